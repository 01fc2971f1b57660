package plimsoll_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

func resultOf(parts ...plimsoll.Part) *plimsoll.Draft {
	return plimsoll.NewDraft(plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: plimsoll.ListOf(parts...)}),
	)}, nil)
}

func TestAGlimpseIsKnownOnceATextWasRead(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("a long output\n", 100)
	late := plimsoll.Defer(plimsoll.Text{}, counted{plimsoll.Text{Text: text}, new(int)})
	d := resultOf(late)
	if g, known := d.Glimpse(plimsoll.PartRef{}); known {
		t.Errorf("got %+v of what nobody has read", g)
	}
	part, _ := d.Part(plimsoll.PartRef{})
	part.(plimsoll.ToolResult).Content.At(0)
	got, known := d.Glimpse(plimsoll.PartRef{})
	if !known || got.Bytes != len(text) {
		t.Errorf("got %+v, %v, want %d bytes", got, known, len(text))
	}
	if plain, _ := resultOf(plimsoll.Text{Text: text}).Glimpse(plimsoll.PartRef{}); plain != got {
		t.Errorf("got %+v, want %+v as for a text that is not deferred", got, plain)
	}
}

func TestThereIsNoGlimpseOfOtherThings(t *testing.T) {
	t.Parallel()
	picture := plimsoll.Media{Kind: plimsoll.Image, Data: "aaaa"}
	for name, d := range map[string]*plimsoll.Draft{
		"a picture":           resultOf(plimsoll.Text{Text: "a"}, picture),
		"a picture, deferred": resultOf(plimsoll.Defer(plimsoll.Media{}, counted{picture, new(int)})),
		"no result":           plimsoll.NewDraft(plimsoll.Conversation{Messages: plimsoll.ListOf(plimsoll.Say(plimsoll.User, "a"))}, nil),
	} {
		if part, _ := d.Part(plimsoll.PartRef{}); part != nil {
			if r, ok := part.(plimsoll.ToolResult); ok {
				r.Content.Slice()
			}
		}
		if g, known := d.Glimpse(plimsoll.PartRef{}); known {
			t.Errorf("%s: got %+v", name, g)
		}
	}
}

func TestTextsThatDifferAtTheirEndsOrInLengthGiveOtherGlimpses(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		other := rapid.SampledFrom([]string{text, text + "x", "x" + text, text + text + "y", "\x00" + text}).Draw(t, "other")
		a, okA := resultOf(plimsoll.Text{Text: text}).Glimpse(plimsoll.PartRef{})
		b, okB := resultOf(plimsoll.Text{Text: other}).Glimpse(plimsoll.PartRef{})
		if !okA || !okB || (a == b) != (text == other) {
			t.Fatalf("got %+v, %v of %q and %+v, %v of %q", a, okA, text, b, okB, other)
		}
	})
	one, _ := resultOf(plimsoll.Text{Text: "a"}, plimsoll.Text{Text: "b"}).Glimpse(plimsoll.PartRef{})
	two, _ := resultOf(plimsoll.Text{Text: "b"}, plimsoll.Text{Text: "a"}).Glimpse(plimsoll.PartRef{})
	if one == two {
		t.Error("the order of texts does not matter")
	}
}
