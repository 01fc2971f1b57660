package plimsoll_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

// counted loads a part and counts how often.
type counted struct {
	whole plimsoll.Part
	loads *int
}

func (c counted) LoadAt(plimsoll.Part, uint64) plimsoll.Part { *c.loads++; return c.whole }

func TestADeferredPartIsLoadedOnlyWhenItIsRead(t *testing.T) {
	t.Parallel()
	loads := 0
	call := plimsoll.ToolCall{ID: "1", Name: "read"}
	whole := plimsoll.ToolCall{ID: "1", Name: "read", Arguments: `{"path":"a.go"}`}
	c := testkit.Conversation([]plimsoll.Message{
		plimsoll.Say(plimsoll.User, "read it"),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Defer(call, counted{whole, &loads}, 0)),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.Defer(plimsoll.ToolResult{CallID: "1"}, counted{plimsoll.ToolResult{CallID: "1", Content: testkit.Text("x")}, &loads}, 0)),
	})
	o := c.Outline()
	d := plimsoll.NewDraft(c, nil)
	_ = d.Result()
	if len(o.Pairs) != 1 || loads != 0 {
		t.Fatalf("outline and draft found %d pairs with %d loads, want 1 and 0", len(o.Pairs), loads)
	}
	m := c.Messages.At(1)
	if !plimsoll.Has[plimsoll.ToolCall](m) || plimsoll.Has[plimsoll.Text](m) || plimsoll.CountOf[plimsoll.ToolCall](m) != 1 || loads != 0 {
		t.Errorf("asking for kinds loaded %d parts", loads)
	}
	if diff := cmp.Diff(plimsoll.Part(call), plimsoll.Peek(m, 0)); diff != "" || loads != 0 {
		t.Errorf("peeking loaded %d parts and differs: %s", loads, diff)
	}
	for _, p := range m.Parts.All() {
		if diff := cmp.Diff(plimsoll.Part(whole), p); diff != "" {
			t.Errorf("loaded part (-want +got):\n%s", diff)
		}
	}
	if m.Parts.At(0) != plimsoll.Part(whole) || m.Parts.Slice()[0] != plimsoll.Part(whole) {
		t.Error("At and Slice must return the whole part")
	}
	if err := d.ReplaceResult(plimsoll.PartRef{Message: 2}, testkit.Text("[gone]"), because); err != nil {
		t.Error(err)
	}
}
