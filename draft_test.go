package plimsoll_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

// byteMeter weighs a byte as a token and frames each message with 3 and its
// siblings, the system instructions with 7 and the tools with 11.
type byteMeter struct{}

func (byteMeter) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := plimsoll.Load{Exact: true}
	for _, p := range c.System.All() {
		load.System += partBytes(p)
	}
	for _, tool := range c.Tools.All() {
		load.Tools += len(tool.Name) + len(tool.Schema)
	}
	if c.System.Len() > 0 {
		load.System += 7
	}
	if c.Tools.Len() > 0 {
		load.Tools += 11
	}
	load.Total = load.System + load.Tools
	siblings := c.Outline().Siblings
	for i, m := range c.Messages.All() {
		ml := byteMeter{}.WeighMessage(c, m, siblings[i])
		load.Messages = append(load.Messages, ml)
		load.Total += ml.Tokens
	}
	return load
}

func (byteMeter) WeighMessage(_ plimsoll.Conversation, m plimsoll.Message, siblings int) plimsoll.MessageLoad {
	load := plimsoll.MessageLoad{Framing: 3 + siblings, Tokens: 3 + siblings}
	for _, p := range m.Parts.All() {
		n := partBytes(p)
		load.Parts = append(load.Parts, n)
		load.Tokens += n
	}
	return load
}

func (byteMeter) WeighSystem(c plimsoll.Conversation, p plimsoll.Part) int {
	if c.System.Len() == 0 {
		return 7 + partBytes(p)
	}
	return partBytes(p)
}

func (byteMeter) WeighTool(c plimsoll.Conversation, t plimsoll.Tool) int {
	if c.Tools.Len() == 0 {
		return 11 + len(t.Name) + len(t.Schema)
	}
	return len(t.Name) + len(t.Schema)
}

func partBytes(p plimsoll.Part) int {
	switch p := p.(type) {
	case plimsoll.Text:
		return len(p.Text)
	case plimsoll.ToolCall:
		return len(p.Name) + len(p.Arguments)
	case plimsoll.ToolResult:
		n := 1
		for _, c := range p.Content.All() {
			n += partBytes(c)
		}
		return n
	case plimsoll.Reasoning:
		return len(p.Text)
	case plimsoll.Opaque:
		return len(p.Raw)
	}
	return 10
}

var _ plimsoll.Meter = byteMeter{}

func text(s string) plimsoll.List[plimsoll.Part] {
	return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: s})
}

var because = plimsoll.Why{Rung: "test", Reason: "to see"}

func TestDraftWithoutEditsIsTheOriginal(t *testing.T) {
	t.Parallel()
	c := conversation(history(t, "s u a:c1 t:r1 a"))
	d := plimsoll.NewDraft(c, nil)
	if !reflect.DeepEqual(d.Result(), c) {
		t.Error("the result differs from the original")
	}
	for p := range d.Placed() {
		if p.Edited || p.Original < 0 {
			t.Errorf("untouched message is placed as %+v", p)
		}
	}
}

func TestDraftRefusesToPartACallFromItsResult(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(*plimsoll.Draft) error
		want error
	}{
		{"dropping only the call", func(d *plimsoll.Draft) error {
			return d.Drop(plimsoll.Span{Start: 1, End: 2}, because)
		}, plimsoll.ErrSeparated},
		{"dropping only the result", func(d *plimsoll.Draft) error {
			return d.Drop(plimsoll.Span{Start: 2, End: 3}, because)
		}, plimsoll.ErrSeparated},
		{"dropping the round", func(d *plimsoll.Draft) error {
			return d.Drop(plimsoll.Span{Start: 1, End: 3}, because)
		}, nil},
		{"inserting between them", func(d *plimsoll.Draft) error {
			_, err := d.Insert(2, plimsoll.Say(plimsoll.User, "hey"), because)
			return err
		}, plimsoll.ErrSeparated},
		{"inserting after them", func(d *plimsoll.Draft) error {
			_, err := d.Insert(3, plimsoll.Say(plimsoll.User, "hey"), because)
			return err
		}, nil},
		{"removing the call", func(d *plimsoll.Draft) error {
			return d.RemovePart(plimsoll.PartRef{Message: 1, Part: 1}, because)
		}, plimsoll.ErrSeparated},
		{"removing the reasoning beside the call", func(d *plimsoll.Draft) error {
			return d.RemovePart(plimsoll.PartRef{Message: 1}, because)
		}, nil},
		{"removing the only part", func(d *plimsoll.Draft) error {
			return d.RemovePart(plimsoll.PartRef{Message: 0}, because)
		}, plimsoll.ErrInvalid},
		{"replacing what is no result", func(d *plimsoll.Draft) error {
			return d.ReplaceResult(plimsoll.PartRef{Message: 0}, text("x"), because)
		}, plimsoll.ErrInvalid},
		{"replacing in a message that does not exist", func(d *plimsoll.Draft) error {
			return d.ReplaceResult(plimsoll.PartRef{Message: 9}, text("x"), because)
		}, plimsoll.ErrInvalid},
		{"dropping more than there is", func(d *plimsoll.Draft) error {
			return d.Drop(plimsoll.Span{Start: 2, End: 9}, because)
		}, plimsoll.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := plimsoll.NewDraft(conversation(history(t, "u a:think,c1 t:r1 a")), byteMeter{})
			err := tt.edit(d)
			if !errors.Is(err, tt.want) {
				t.Fatalf("got error %v, want %v", err, tt.want)
			}
			if edits := len(d.Edits()); (err != nil) != (edits == 0) {
				t.Errorf("error %v with %d edits in the log", err, edits)
			}
		})
	}
}

func TestDraftKeepsOriginalPositionsThroughEdits(t *testing.T) {
	t.Parallel()
	c := conversation(history(t, "u a:think,text,c1 t:r1 a"))
	d := plimsoll.NewDraft(c, byteMeter{})
	ref := &plimsoll.Ref{ID: "r", Bytes: 9, Lines: 1}
	must(t, d.RemovePart(plimsoll.PartRef{Message: 1, Part: 0}, because))
	must(t, d.RemovePart(plimsoll.PartRef{Message: 1, Part: 1}, because))
	must(t, d.Drop(plimsoll.Span{Start: 0, End: 1}, because))
	must(t, d.ReplaceResult(plimsoll.PartRef{Message: 2}, text("[gone]"), plimsoll.Why{Rung: "clear", Reason: "old", Ref: ref}))

	if _, there := d.Part(plimsoll.PartRef{Message: 1, Part: 0}); there {
		t.Error("a removed part is still there")
	}
	call, _ := d.Part(plimsoll.PartRef{Message: 1, Part: 2})
	if _, ok := call.(plimsoll.ToolCall); !ok {
		t.Errorf("part 2 of message 1 is %T after its neighbours went, want the call", call)
	}
	last := d.Edits()[3]
	want := plimsoll.Edit{Kind: plimsoll.EditReplace, Rung: "clear", Reason: "old", Message: 2, Ref: ref, Saved: -6}
	if diff := cmp.Diff(want, last); diff != "" {
		t.Errorf("log entry (-want +got):\n%s", diff)
	}
	result := d.Result().Messages.At(1).Parts.At(0).(plimsoll.ToolResult)
	if result.Ref != ref || plimsoll.TextOf(result.Content) != "[gone]" || result.CallID != "1" {
		t.Errorf("replaced result is %+v", result)
	}
}

func TestDraftInsertsInOrderAndWithdraws(t *testing.T) {
	t.Parallel()
	d := plimsoll.NewDraft(conversation(history(t, "u a")), byteMeter{})
	first, err := d.Insert(1, plimsoll.Say(plimsoll.User, "one"), because)
	must(t, err)
	_, err = d.Insert(1, plimsoll.Say(plimsoll.User, "two"), because)
	must(t, err)
	_, err = d.Insert(2, plimsoll.Say(plimsoll.User, "end"), because)
	must(t, err)
	must(t, d.Withdraw(first, because))
	if err := d.Withdraw(first, because); !errors.Is(err, plimsoll.ErrNotFound) {
		t.Errorf("second withdrawal: %v, want not found", err)
	}
	var got []string
	for p := range d.Placed() {
		got = append(got, p.Message.Text())
	}
	if diff := cmp.Diff([]string{"u", "two", "a", "end"}, got); diff != "" {
		t.Errorf("messages (-want +got):\n%s", diff)
	}
}

// editAtRandom applies edits of every kind, wherever they fall; refused ones are
// part of the game.
func editAtRandom(t *rapid.T, d *plimsoll.Draft, n int) {
	for range rapid.IntRange(0, 8).Draw(t, "edits") {
		message := rapid.IntRange(0, n).Draw(t, "message")
		at := plimsoll.PartRef{Message: message, Part: rapid.IntRange(0, 2).Draw(t, "part")}
		switch rapid.IntRange(0, 6).Draw(t, "edit") {
		case 0:
			end := rapid.IntRange(message, n).Draw(t, "end")
			_ = d.Drop(plimsoll.Span{Start: message, End: end}, because)
		case 1:
			_ = d.ReplaceResult(at, text("[gone]"), because)
		case 2:
			_ = d.RemovePart(at, because)
		case 3:
			_, _ = d.Insert(message, plimsoll.Say(plimsoll.User, "note"), because)
		case 4:
			_ = d.Withdraw(plimsoll.InsertID(rapid.IntRange(0, 3).Draw(t, "insert")), because)
		case 5:
			d.AddSystem(plimsoll.Text{Text: "more"}, because)
		case 6:
			d.AddTool(plimsoll.Tool{Name: "tool", Schema: "{}"}, because)
		}
	}
}

func TestDraftLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		messages := rapid.OneOf(anyHistory(), legalHistory()).Draw(t, "history")
		c := conversation(messages)
		before := conversation(messages)
		pairs := len(c.Outline().Pairs)

		d := plimsoll.NewDraft(c, byteMeter{})
		editAtRandom(t, d, len(messages))
		mark, saved, marked := d.Mark(), d.Saved(), d.Result()

		if !reflect.DeepEqual(c, before) {
			t.Fatal("the original changed")
		}
		checkSavings(t, d, c)
		checkOrderKept(t, d)
		checkNoStrays(t, c, d, pairs)

		editAtRandom(t, d, len(messages))
		d.Rollback(mark)
		if d.Saved() != saved || !reflect.DeepEqual(d.Result(), marked) {
			t.Fatal("rolling back to a mark did not restore the draft")
		}
		d.Rollback(0)
		if d.Saved() != 0 || !reflect.DeepEqual(d.Result(), c) {
			t.Fatal("rolling back everything did not restore the original")
		}
	})
}

func checkSavings(t *rapid.T, d *plimsoll.Draft, c plimsoll.Conversation) {
	sum := 0
	for _, e := range d.Edits() {
		sum += e.Saved
	}
	weighed := byteMeter{}.Weigh(c).Total - byteMeter{}.Weigh(d.Result()).Total
	if sum != weighed || d.Saved() != weighed {
		t.Fatalf("edits claim %d tokens, the draft %d; weighing gives %d", sum, d.Saved(), weighed)
	}
}

func checkOrderKept(t *rapid.T, d *plimsoll.Draft) {
	last := -1
	for p := range d.Placed() {
		if p.Original < 0 {
			continue
		}
		if p.Original <= last {
			t.Fatalf("message %d stands after %d", p.Original, last)
		}
		last = p.Original
		if original := d.Original().Messages.At(p.Original); !p.Edited && !reflect.DeepEqual(p.Message, original) {
			t.Fatalf("message %d differs but is not marked as edited", p.Original)
		}
	}
}

// checkNoStrays asks that editing makes no call dead and no result an orphan.
func checkNoStrays(t *rapid.T, c plimsoll.Conversation, d *plimsoll.Draft, pairs int) {
	was, is := c.Outline(), d.Result().Outline()
	if len(is.Orphans) > len(was.Orphans) {
		t.Fatalf("orphans grew from %d to %d", len(was.Orphans), len(is.Orphans))
	}
	if strays := len(is.Dead) + len(is.Pending); strays > len(was.Dead)+len(was.Pending) {
		t.Fatalf("unanswered calls grew to %d", strays)
	}
	if len(is.Pairs) > pairs {
		t.Fatalf("pairs grew from %d to %d", pairs, len(is.Pairs))
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
