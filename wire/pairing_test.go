package wire_test

import (
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// history draws lists of messages that are mostly illegal: calls and results with
// few ids and names, in any order and by anybody.
func history() *rapid.Generator[[]plimsoll.Message] {
	id := rapid.SampledFrom([]string{"", "1", "2", "3"})
	name := rapid.SampledFrom([]string{"read", "grep"})
	part := rapid.Custom(func(t *rapid.T) plimsoll.Part {
		switch rapid.IntRange(0, 3).Draw(t, "kind") {
		case 0:
			return plimsoll.ToolCall{ID: id.Draw(t, "id"), Name: name.Draw(t, "name")}
		case 1:
			return plimsoll.ToolResult{CallID: id.Draw(t, "id"), Name: name.Draw(t, "name")}
		case 2:
			return plimsoll.Reasoning{Text: "hm"}
		}
		return plimsoll.Text{Text: rapid.SampledFrom([]string{"x", plimsoll.EarlierReceipt}).Draw(t, "text")}
	})
	role := rapid.SampledFrom([]plimsoll.Role{
		plimsoll.System, plimsoll.Developer, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole, "narrator",
	})
	return rapid.SliceOfN(rapid.Custom(func(t *rapid.T) plimsoll.Message {
		return plimsoll.NewMessage(role.Draw(t, "role"), rapid.SliceOfN(part, 0, 4).Draw(t, "parts")...)
	}), 0, 14)
}

func TestAPairingSaysWhatAnOutlineSays(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := plimsoll.Conversation{Messages: plimsoll.ListOf(history().Draw(t, "history")...)}
		o, p := c.Outline(), wire.NewPairing(c.Messages)
		turn, round := p.Newest()
		var want, got struct {
			Pairs                  []plimsoll.Pair
			Orphans, Dead, Pending []plimsoll.PartRef
			Turn, Round            plimsoll.Span
		}
		want.Pairs, want.Orphans, want.Dead, want.Pending = o.Pairs, o.Orphans, o.Dead, o.Pending
		if n := len(o.Turns); n > 0 {
			want.Turn, want.Round = o.Turns[n-1].Span, o.Turns[n-1].Span
			if rounds := o.Turns[n-1].Rounds; len(rounds) > 0 {
				want.Round = rounds[len(rounds)-1].Span
			}
		}
		got.Pairs, got.Orphans = slices.Collect(p.Pairs()), slices.Collect(p.Orphans())
		got.Dead, got.Pending = slices.Collect(p.Open(false)), slices.Collect(p.Open(true))
		got.Turn, got.Round = turn, round
		if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
			t.Fatalf("(-outline +pairing):\n%s", diff)
		}
	})
}

func TestKeysFindTheFirstEntryOfAWord(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		words := rapid.SliceOf(rapid.StringN(0, 2, 4)).Draw(t, "words")
		keys := wire.NewKeys(len(words), func(i int) string { return words[i] })
		first := map[string]int{}
		for i, w := range words {
			if _, known := keys.Find(w); known != (keys.Put(i) != i) {
				t.Fatalf("%q is known before it is put, or not after it", w)
			}
			if _, known := first[w]; !known {
				first[w] = i
			}
		}
		for w, i := range first {
			if at, ok := keys.Find(w); at != i || !ok {
				t.Fatalf("%q is at %d, want %d", w, at, i)
			}
		}
	})
}
