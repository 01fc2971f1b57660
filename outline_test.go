package plimsoll_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// sketch writes an outline as text: the head in parentheses, each turn in square
// brackets, each round in braces, messages by index.
func sketch(o plimsoll.Outline) string {
	var b strings.Builder
	if o.Head > 0 {
		fmt.Fprintf(&b, "(%s)", indices(plimsoll.Span{End: o.Head}))
	}
	for _, turn := range o.Turns {
		b.WriteString("[")
		at := turn.Start
		for _, r := range turn.Rounds {
			b.WriteString(indices(plimsoll.Span{Start: at, End: r.Start}))
			fmt.Fprintf(&b, "{%s}", indices(r.Span))
			at = r.End
		}
		b.WriteString(indices(plimsoll.Span{Start: at, End: turn.End}))
		b.WriteString("]")
	}
	return b.String()
}

func indices(s plimsoll.Span) string {
	var words []string
	for i := s.Start; i < s.End; i++ {
		words = append(words, fmt.Sprint(i))
	}
	return strings.Join(words, " ")
}

func TestResultsWithoutIDsMeetTheirCallsByName(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, history string
		pairs         []plimsoll.Pair
	}{
		{"in order", "u a:cX!,cX! u:rX!,rX! a", []plimsoll.Pair{{at(1, 0), at(2, 0)}, {at(1, 1), at(2, 1)}}},
		{"beside others with ids", "u a:cX!,c1 u:rX!,r1 a", []plimsoll.Pair{{at(1, 0), at(2, 0)}, {at(1, 1), at(2, 1)}}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			o := testkit.Conversation(testkit.History(t, tt.history)).Outline()
			if diff := cmp.Diff(tt.pairs, o.Pairs); diff != "" || len(o.Orphans)+len(o.Dead)+len(o.Pending) > 0 {
				t.Errorf("%d orphans, -want +got\n%s", len(o.Orphans), diff)
			}
		})
	}
}

func at(message, part int) plimsoll.PartRef { return plimsoll.PartRef{Message: message, Part: part} }

func TestOutlineOfAHistory(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, history, want string }{
		{"an empty history has nothing", "", ""},
		{"leading instructions are the head", "s d u a", "(0 1)[2{3}]"},
		{"several models answer one message in one turn (S01)", "s u a a u a", "(0)[1{2}{3}][4{5}]"},
		{"an agent loop is one turn of many rounds", "u a:c1 t:r1 a:c2 t:r2 a", "[0{1 2}{3 4}{5}]"},
		{"parallel calls answered one message each", "u a:c1,c2 t:r2 t:r1 a", "[0{1 2 3}{4}]"},
		{"parallel calls sent as several messages share a round", "u a:c1 a:c2 t:r1 t:r2 a", "[0{1 2 3 4}{5}]"},
		{"results in a user message open no turn", "u a:c1 u:r1 a u a", "[0{1 2}{3}][4{5}]"},
		{"results with a remark beside them open no turn", "u a:c1 u:r1,text a", "[0{1 2}{3}]"},
		{"reasoning stays with the message it led to", "u a:think a:c1 t:r1 a:think a", "[0{1 2 3}{4 5}]"},
		{"what stands before the first user message is a turn without one", "s a u a", "(0)[{1}][2{3}]"},
		{"an instruction inside the history belongs to its turn", "u s a u s a", "[0 1{2}][3 4{5}]"},
		{"a user message between call and result opens no turn", "u a:c1 u t:r1 a u", "[0{1 2 3}{4}][5]"},
		{"a dead call holds nothing together", "u a:c1 u a", "[0{1}][2{3}]"},
		{"a reused id belongs to the newest call", "u a:c1 u a:c1 t:r1", "[0{1}][2{3 4}]"},
		{"calls without ids pair by name and order", "u a:cX!,cX! u:rX!,rX! a", "[0{1 2}{3}]"},
		{"an orphan result stays where it is", "u t:r9 a", "[0 1{2}]"},
		{"only a result", "t:r1", "[0]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := sketch(testkit.Conversation(testkit.History(t, tt.history)).Outline())
			if got != tt.want {
				t.Errorf("outline of %q:\n got %s\nwant %s", tt.history, got, tt.want)
			}
		})
	}
}

func TestOutlineSortsCallsByTheirFate(t *testing.T) {
	t.Parallel()
	o := testkit.Conversation(testkit.History(t, "u a:c1,c2 t:r1 a:c3 t:r9 a:c4,c5 t:r5")).Outline()
	type at = plimsoll.PartRef
	want := plimsoll.Outline{
		Pairs:   []plimsoll.Pair{{Call: at{1, 0}, Result: at{2, 0}}, {Call: at{5, 1}, Result: at{6, 0}}},
		Orphans: []at{{4, 0}},
		Pending: []at{{5, 0}},
		Dead:    []at{{1, 1}, {3, 0}},
	}
	want.Siblings = []int{0, 0, 2, 0, 0, 0, 2}
	o.Head, o.Turns = 0, nil
	if diff := cmp.Diff(want, o); diff != "" {
		t.Errorf("fates (-want +got):\n%s", diff)
	}
}

func TestOutlineLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		messages := testkit.AnyHistory().Draw(t, "history")
		o := testkit.Conversation(messages).Outline()
		checkCover(t, o, len(messages))
		checkPairsWhole(t, o)
		checkEveryCallAndResultOnce(t, messages, o)
		checkOpeners(t, messages, o)
	})
}

func checkCover(t *rapid.T, o plimsoll.Outline, n int) {
	at := o.Head
	for _, turn := range o.Turns {
		if turn.Start != at || turn.Len() <= 0 {
			t.Fatalf("turn %v does not continue at %d", turn.Span, at)
		}
		at = turn.End
		inner := turn.Start
		for k, r := range turn.Rounds {
			if r.Len() <= 0 || r.Start < inner || (k > 0 && r.Start != inner) {
				t.Fatalf("round %v does not continue at %d", r.Span, inner)
			}
			inner = r.End
		}
		if len(turn.Rounds) > 0 && inner != turn.End {
			t.Fatalf("rounds end at %d, their turn at %d", inner, turn.End)
		}
	}
	if at != n {
		t.Fatalf("outline covers %d of %d messages", at, n)
	}
}

// home returns the turn and round of a message; round -1 before the first.
func home(o plimsoll.Outline, message int) (turn, round int) {
	for i, t := range o.Turns {
		if !t.Contains(message) {
			continue
		}
		for j, r := range t.Rounds {
			if r.Contains(message) {
				return i, j
			}
		}
		return i, -1
	}
	return -1, -1
}

func checkPairsWhole(t *rapid.T, o plimsoll.Outline) {
	for _, p := range o.Pairs {
		ct, cr := home(o, p.Call.Message)
		rt, rr := home(o, p.Result.Message)
		if ct != rt || cr != rr {
			t.Fatalf("call %v in turn %d round %d, result %v in turn %d round %d", p.Call, ct, cr, p.Result, rt, rr)
		}
	}
}

func checkEveryCallAndResultOnce(t *rapid.T, messages []plimsoll.Message, o plimsoll.Outline) {
	seen := map[plimsoll.PartRef]int{}
	for _, p := range o.Pairs {
		seen[p.Call]++
		seen[p.Result]++
	}
	for _, list := range [][]plimsoll.PartRef{o.Orphans, o.Pending, o.Dead} {
		for _, at := range list {
			seen[at]++
		}
	}
	for i, m := range messages {
		for j, part := range m.Parts.All() {
			want := 0
			switch part.(type) {
			case plimsoll.ToolCall, plimsoll.ToolResult:
				want = 1
			}
			if got := seen[plimsoll.PartRef{Message: i, Part: j}]; got != want {
				t.Fatalf("part %d of message %d (%T) is listed %d times, want %d", j, i, part, got, want)
			}
		}
	}
}

func checkOpeners(t *rapid.T, messages []plimsoll.Message, o plimsoll.Outline) {
	for i, turn := range o.Turns {
		if turn.User < 0 {
			if i != 0 {
				t.Fatalf("turn %d has no user message", i)
			}
			continue
		}
		m := messages[turn.User]
		if turn.User != turn.Start || m.Role != plimsoll.User || plimsoll.Has[plimsoll.ToolResult](m) {
			t.Fatalf("turn %d opens with %v at %d", i, m.Role, turn.User)
		}
	}
}

func TestOutlineOfALegalHistoryOnlyGrowsAtItsEnd(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		messages := testkit.LegalHistory().Draw(t, "history")
		whole := testkit.Conversation(messages).Outline()
		if len(whole.Orphans)+len(whole.Pending)+len(whole.Dead) > 0 {
			t.Fatalf("a legal history has stray calls or results: %+v", whole)
		}
		keep := rapid.IntRange(1, len(whole.Turns)).Draw(t, "turns kept")
		prefix := testkit.Conversation(messages[:whole.Turns[keep-1].End]).Outline()
		if diff := cmp.Diff(whole.Turns[:keep], prefix.Turns); diff != "" {
			t.Fatalf("turns changed when later ones were added (-whole +prefix):\n%s", diff)
		}
	})
}

// TestSiblingsOfManyParallelCallsAreFoundInLinearTime would not end if every
// result looked back over all the others.
func TestSiblingsOfManyParallelCallsAreFoundInLinearTime(t *testing.T) {
	t.Parallel()
	const n = 100_000
	calls := make([]plimsoll.Part, n)
	messages := make([]plimsoll.Message, 1, n+1)
	for i := range calls {
		id := fmt.Sprint(i)
		calls[i] = plimsoll.ToolCall{ID: id, Name: "read"}
		messages = append(messages, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id}))
	}
	messages[0] = plimsoll.NewMessage(plimsoll.Assistant, calls...)
	siblings := testkit.Conversation(messages).Outline().Siblings
	if siblings[1] != n || siblings[n] != n {
		t.Errorf("siblings %d and %d, want %d", siblings[1], siblings[n], n)
	}
}

func TestOutlineOfOneListIsDrawnOnce(t *testing.T) {
	t.Parallel()
	c := testkit.Conversation(testkit.History(t, "u a:c1 t:r1 a"))
	d := plimsoll.NewDraft(c, nil)
	testkit.Must(t, d.ReplaceResult(plimsoll.PartRef{Message: 2}, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "short"}), because))
	first := &c.Outline().Pairs[0]
	if first != &d.Outline().Pairs[0] || first != &d.Result().Outline().Pairs[0] {
		t.Error("a draft that only replaces a result drew the outline again")
	}
	testkit.Must(t, d.Drop(plimsoll.Span{Start: 3, End: 4}, because))
	if turns := d.Result().Outline().Turns; turns[0].End != 3 {
		t.Errorf("turns %+v, want one of three messages", turns)
	}
}

func TestOutlineIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	c := testkit.Conversation(testkit.History(t, "u a:c1 t:r1 a"))
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if n := len(c.Outline().Pairs); n != 1 {
				t.Errorf("%d pairs, want 1", n)
			}
		})
	}
	all.Wait()
}
