package plimsoll_test

import (
	"errors"
	"reflect"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/testkit"
)

var _ plimsoll.Meter = testkit.ByteMeter{}

var because = testkit.Because

func TestDraftWithoutEditsIsTheOriginal(t *testing.T) {
	t.Parallel()
	c := testkit.Conversation(testkit.History(t, "s u a:c1 t:r1 a"))
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
			return d.ReplaceResult(plimsoll.PartRef{Message: 0}, testkit.Text("x"), because)
		}, plimsoll.ErrInvalid},
		{"replacing in a message that does not exist", func(d *plimsoll.Draft) error {
			return d.ReplaceResult(plimsoll.PartRef{Message: 9}, testkit.Text("x"), because)
		}, plimsoll.ErrNotFound},
		{"dropping more than there is", func(d *plimsoll.Draft) error {
			return d.Drop(plimsoll.Span{Start: 2, End: 9}, because)
		}, plimsoll.ErrInvalid},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := plimsoll.NewDraft(testkit.Conversation(testkit.History(t, "u a:think,c1 t:r1 a")), testkit.ByteMeter{})
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
	c := testkit.Conversation(testkit.History(t, "u a:think,text,c1 t:r1 a"))
	d := plimsoll.NewDraft(c, testkit.ByteMeter{})
	ref := &plimsoll.Ref{ID: "r", Bytes: 9, Lines: 1}
	testkit.Must(t, d.RemovePart(plimsoll.PartRef{Message: 1, Part: 0}, because))
	testkit.Must(t, d.RemovePart(plimsoll.PartRef{Message: 1, Part: 1}, because))
	testkit.Must(t, d.Drop(plimsoll.Span{Start: 0, End: 1}, because))
	testkit.Must(t, d.ReplaceResult(plimsoll.PartRef{Message: 2}, testkit.Text("[gone]"), plimsoll.Why{Rung: "clear", Reason: "old", Ref: ref}))

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
	d := plimsoll.NewDraft(testkit.Conversation(testkit.History(t, "u a")), testkit.ByteMeter{})
	first, err := d.Insert(1, plimsoll.Say(plimsoll.User, "one"), because)
	testkit.Must(t, err)
	_, err = d.Insert(1, plimsoll.Say(plimsoll.User, "two"), because)
	testkit.Must(t, err)
	_, err = d.Insert(2, plimsoll.Say(plimsoll.User, "end"), because)
	testkit.Must(t, err)
	testkit.Must(t, d.Withdraw(first, because))
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
			_ = d.ReplaceResult(at, testkit.Text("[gone]"), because)
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
		messages := rapid.OneOf(testkit.AnyHistory(), testkit.LegalHistory()).Draw(t, "history")
		c := testkit.Conversation(messages)
		before := testkit.Conversation(messages)
		pairs := len(c.Outline().Pairs)

		d := plimsoll.NewDraft(c, testkit.ByteMeter{})
		editAtRandom(t, d, len(messages))
		position, saved, result := d.Position(), d.Saved(), d.Result()

		if !same(c, before) {
			t.Fatal("the original changed")
		}
		if fresh := testkit.Conversation(result.Messages.Slice()).Outline(); !reflect.DeepEqual(result.Outline(), fresh) {
			t.Fatalf("the outline of the result is %+v, want %+v", result.Outline(), fresh)
		}
		checkSavings(t, d, c)
		testkit.CheckOrderKept(t, d)
		checkNoStrays(t, c, d, pairs)

		editAtRandom(t, d, len(messages))
		d.Rollback(position)
		if d.Saved() != saved || !same(d.Result(), result) {
			t.Fatal("rolling back did not restore the draft")
		}
		d.Rollback(0)
		if d.Saved() != 0 || !same(d.Result(), c) {
			t.Fatal("rolling back everything did not restore the original")
		}
	})
}

// same compares conversations with their outlines.
func same(a, b plimsoll.Conversation) bool {
	a.Outline()
	b.Outline()
	return reflect.DeepEqual(a, b)
}

func checkSavings(t *rapid.T, d *plimsoll.Draft, c plimsoll.Conversation) {
	sum := 0
	for _, e := range d.Edits() {
		sum += e.Saved
	}
	weighed := testkit.ByteMeter{}.Weigh(c).Total - testkit.ByteMeter{}.Weigh(d.Result()).Total
	if sum != weighed || d.Saved() != weighed {
		t.Fatalf("edits claim %d tokens, the draft %d; weighing gives %d", sum, d.Saved(), weighed)
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
