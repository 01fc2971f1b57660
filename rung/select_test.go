package rung_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/rung"
)

func TestT02_SelectWalksFromTheNewestToTheOldest(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		tokens []int
		budget int
		system int
		groups [][]int
		want   []int
	}{
		{"everything fits", []int{8, 6, 7, 8}, 29, 0, nil, []int{0, 1, 2, 3}},
		{"the oldest goes first", []int{8, 6, 7, 8}, 28, 0, nil, []int{0, 2, 3}},
		{"the budget may be used up", []int{8, 6, 7, 8}, 23, 0, nil, []int{0, 2, 3}},
		{"the system message counts", []int{8, 6, 7, 8}, 21, 0, nil, []int{0, 3}},
		{"what is too large is passed over", []int{5, 105, 5}, 12, -1, nil, []int{0, 2}},
		{"the newest is kept whatever it weighs", []int{1, 1, 500}, 10, -1, nil, []int{2}},
		{"the system message is kept whatever it weighs", []int{500, 1, 1}, 10, 0, nil, []int{0, 2}},
		{"no budget leaves two", []int{8, 6, 7, 8}, 0, 0, nil, []int{0, 3}},
		{"the newest besides the system message", []int{6, 7, 8}, 0, 2, nil, []int{1, 2}},
		{"a system message alone", []int{9}, 0, 0, nil, []int{0}},
		{"nothing", nil, 10, -1, nil, nil},
		{"free messages always fit", []int{0, 4, 0}, 0, -1, nil, []int{0, 2}},

		{"a group goes as one", []int{1, 5, 5, 1}, 8, -1, [][]int{{1, 2}}, []int{0, 3}},
		{"a group stays as one", []int{1, 5, 5, 1}, 11, -1, [][]int{{1, 2}}, []int{1, 2, 3}},
		{"a group is weighed where its newest message stands", []int{5, 1, 5, 1}, 11, -1, [][]int{{0, 2}}, []int{0, 2, 3}},
		{"the newest message keeps its group", []int{9, 1, 9}, 3, -1, [][]int{{0, 2}}, []int{0, 2}},
		{"groups that share a message are one", []int{1, 1, 1, 1, 1}, 3, -1, [][]int{{0, 1}, {3, 2}, {1, 2}}, []int{4}},
		{"the system message keeps its group", []int{1, 7, 1, 1}, 3, 0, [][]int{{1, 0}}, []int{0, 1, 3}},
		{"a message may be named twice", []int{1, 1}, 2, -1, [][]int{{0, 0}, {}, {1}}, []int{0, 1}},
	} {
		got, err := rung.Select(rung.Choice{
			Messages: len(tc.tokens), Tokens: tc.tokens, Budget: tc.budget, System: tc.system, Groups: tc.groups,
		})
		if err != nil {
			t.Errorf("%s: %v", tc.name, err)
			continue
		}
		if diff := cmp.Diff(tc.want, indices(got)); diff != "" {
			t.Errorf("%s: -want +got\n%s", tc.name, diff)
		}
	}
}

func indices(kept []bool) []int {
	var all []int
	for i, k := range kept {
		if k {
			all = append(all, i)
		}
	}
	return all
}

func TestSelectRefusesWhatDoesNotAlign(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		choice rung.Choice
		want   string
	}{
		{"too few counts", rung.Choice{Messages: 2, Tokens: []int{1}, System: -1}, "messages and per_message_tokens must align: 2 and 1"},
		{"too many counts", rung.Choice{Messages: 0, Tokens: []int{1}, System: -1}, "messages and per_message_tokens must align: 0 and 1"},
		{"a system message beyond the end", rung.Choice{Messages: 1, Tokens: []int{1}, System: 1}, "the system message is 1 of 1"},
		{"a system message before the beginning", rung.Choice{Messages: 1, Tokens: []int{1}, System: -2}, "the system message is -2 of 1"},
		{"a group beyond the end", rung.Choice{Messages: 1, Tokens: []int{1}, System: -1, Groups: [][]int{{0, 1}}}, "message 1 of a group of 1 messages"},
		{"a group before the beginning", rung.Choice{Messages: 1, Tokens: []int{1}, System: -1, Groups: [][]int{{-1}}}, "message -1 of a group of 1 messages"},
	} {
		kept, err := rung.Select(tc.choice)
		if kept != nil || !errors.Is(err, plimsoll.ErrInvalid) || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v, %v", tc.name, kept, err)
		}
	}
}

// TestSelectKeepsExactlyWhatFits states what a choice must be, for every choice:
// a group is whole; what is forced is there; what is not forced was paid for when
// it was taken; and what is missing did not fit beside what came before it.
func TestSelectKeepsExactlyWhatFits(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 12).Draw(t, "messages")
		c := rung.Choice{
			Messages: n,
			Tokens:   rapid.SliceOfN(rapid.IntRange(0, 20), n, n).Draw(t, "tokens"),
			Budget:   rapid.IntRange(0, 120).Draw(t, "budget"),
			System:   rapid.IntRange(-1, n-1).Draw(t, "system"),
			Groups:   rapid.SliceOfN(rapid.SliceOfN(rapid.IntRange(0, n-1), 1, 3), 0, 3).Draw(t, "groups"),
		}
		kept, err := rung.Select(c)
		if err != nil {
			t.Fatal(err)
		}
		together := closure(c)
		forced := map[int]bool{}
		force := func(i int) {
			for j := range n {
				forced[j] = forced[j] || i >= 0 && together[i][j]
			}
		}
		force(c.System)
		force(newest(c))
		for i := range n {
			switch weight := weightUpTo(c, kept, together, forced, i); {
			case forced[i] && !kept[i]:
				t.Fatalf("message %d must be kept", i)
			case !forced[i] && kept[i] && weight > c.Budget:
				t.Fatalf("message %d was kept at %d tokens", i, weight)
			case !kept[i] && weight <= c.Budget:
				t.Fatalf("message %d was left out at %d tokens", i, weight)
			}
			for j := range n {
				if together[i][j] && kept[i] != kept[j] {
					t.Fatalf("messages %d and %d were separated", i, j)
				}
			}
		}
	})
}

// closure says which messages belong together, by repeating what the groups say
// until nothing is new.
func closure(c rung.Choice) [][]bool {
	together := make([][]bool, c.Messages)
	for i := range together {
		together[i] = make([]bool, c.Messages)
		together[i][i] = true
	}
	for _, g := range c.Groups {
		for _, i := range g {
			for _, j := range g {
				together[i][j] = true
			}
		}
	}
	for k := range c.Messages {
		for i := range c.Messages {
			for j := range c.Messages {
				together[i][j] = together[i][j] || together[i][k] && together[k][j]
			}
		}
	}
	return together
}

func newest(c rung.Choice) int {
	if n := c.Messages - 1; n != c.System {
		return n
	}
	return c.Messages - 2
}

// weightUpTo is what message i's group weighs together with everything that was
// kept before the walk came to it.
func weightUpTo(c rung.Choice, kept []bool, together [][]bool, forced map[int]bool, i int) int {
	last := i
	for j := range c.Messages {
		if together[i][j] {
			last = max(last, j)
		}
	}
	sum := 0
	for j := range c.Messages {
		before := false
		for k := range c.Messages {
			before = before || together[j][k] && k > last
		}
		if together[i][j] || kept[j] && (before || forced[j]) {
			sum += c.Tokens[j]
		}
	}
	return sum
}

func ExampleSelect() {
	kept, err := rung.Select(rung.Choice{
		Messages: 4, Tokens: []int{8, 6, 70, 8}, Budget: 30, System: 0,
	})
	fmt.Println(kept, err)
	// Output: [true true false true] <nil>
}
