package rung_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

// drawConversation makes turns of rounds with one or several calls, thinking,
// outputs of all kinds, and now and then a result without a call.
func drawConversation(t *rapid.T) plimsoll.Conversation {
	var messages []plimsoll.Message
	id := 0
	for range rapid.IntRange(1, 4).Draw(t, "turns") {
		messages = append(messages, plimsoll.Say(plimsoll.User, "go on"))
		for range rapid.IntRange(0, 4).Draw(t, "rounds") {
			var said []plimsoll.Part
			var results []plimsoll.Message
			if rapid.Bool().Draw(t, "thinks") {
				said = append(said, thought(fmt.Sprint(id)))
			}
			for range rapid.IntRange(1, 3).Draw(t, "calls") {
				id++
				said = append(said, drawCall(t, fmt.Sprint(id)))
				results = append(results, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
					CallID: fmt.Sprint(id), Content: drawOutput(t), IsError: rapid.IntRange(0, 5).Draw(t, "failed") == 0,
				}))
			}
			messages = append(append(messages, plimsoll.NewMessage(plimsoll.Assistant, said...)), results...)
		}
		if rapid.IntRange(0, 9).Draw(t, "orphan") == 0 {
			messages = append(messages, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "gone", Content: drawOutput(t)}))
		}
		messages = append(messages, plimsoll.NewMessage(plimsoll.Assistant, thought("end"), plimsoll.Text{Text: "done"}))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

func drawCall(t *rapid.T, id string) plimsoll.ToolCall {
	tool := rapid.SampledFrom([]string{"Read", "Edit", "Bash", "tool_output_cache"}).Draw(t, "tool")
	args := fmt.Sprintf(`{"file_path":"%s.go"}`, rapid.SampledFrom([]string{"a", "b"}).Draw(t, "path"))
	return plimsoll.ToolCall{ID: id, Name: tool, Arguments: args}
}

func drawOutput(t *rapid.T) plimsoll.List[plimsoll.Part] {
	text := func() string {
		unit := rapid.SampledFrom([]string{"", "ok", "line\n", "two\r\n", "日本語 ", "error: x\n", "v1 ", "[tool output trimmed]"}).Draw(t, "unit")
		return strings.Repeat(unit, rapid.SampledFrom([]int{1, 30, 300}).Draw(t, "times"))
	}
	switch rapid.IntRange(0, 6).Draw(t, "kind") {
	case 0:
		return parts(text(), picture, text())
	case 1:
		return parts(picture)
	}
	return parts(text())
}

// bare forgets the references that results carry, as APIs do.
func bare(c plimsoll.Conversation) plimsoll.Conversation {
	messages := c.Messages.Slice()
	for i, m := range messages {
		list := m.Parts.Slice()
		for j, p := range list {
			if r, ok := p.(plimsoll.ToolResult); ok {
				r.Ref = nil
				list[j] = r
			}
		}
		messages[i].Parts = plimsoll.ListOf(list...)
	}
	c.Messages = plimsoll.ListOf(messages...)
	return c
}

func drawRung(t *rapid.T) fit.Rung {
	return rapid.SampledFrom([]fit.Rung{
		&rung.View{All: true, MaxBytes: 700, MaxLine: 100, Tail: 0.3, Errors: true},
		&rung.View{All: true, MaxBytes: 120, Explain: true},
		&rung.Clear{Budget: 900, MinReclaim: -1},
		&rung.Clear{Budget: 1, KeepNewest: 2, MinReclaim: 200, Explain: true},
		&rung.Clear{Budget: -1, KeepNewest: 1, MinReclaim: -1, ToGoal: true},
		&rung.Dedupe{All: true},
	}).Draw(t, "rung")
}

func show(t *rapid.T, c plimsoll.Conversation) string {
	data, err := json.Marshal(c.Messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestRungsKeepTheLaws(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, r := drawConversation(t), drawRung(t)
		pin := rapid.IntRange(0, c.Messages.Len()-1).Draw(t, "pin")
		o := fit.Options{Meter: letterMeter(), Window: 1 << 20, Arrival: []fit.Rung{r}, Pins: []fit.Pin{pinAt(pin)}}
		if rapid.Bool().Draw(t, "archive") {
			o.Archive = &shelf{}
		}
		plan := mustFit(t, o, c)
		got := plan.Conversation()
		_, isView := r.(*rung.View)
		checkLaws(t, c, plan, pin, isView)
		if again := mustFit(t, o, c).Conversation(); show(t, again) != show(t, got) {
			t.Fatal("the second time it did something else")
		}
		if again := mustFit(t, o, got); again.Changed() {
			t.Fatalf("applied again it made %v", again.Edits)
		}
		if again := mustFit(t, o, bare(got)); again.Changed() {
			t.Fatalf("applied again, without references, it made %v", again.Edits)
		}
	})
}

func mustFit(t *rapid.T, o fit.Options, c plimsoll.Conversation) *plimsoll.Plan {
	k, err := fit.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	if err != nil {
		t.Fatal(err)
	}
	return plan
}

// checkLaws checks what holds for every rung. A view of a light text may weigh more than
// the text, because it must say that there is more.
func checkLaws(t *rapid.T, c plimsoll.Conversation, plan *plimsoll.Plan, pin int, view bool) {
	got := plan.Conversation()
	for _, r := range plan.Rungs {
		// There is not always room for a checkpoint.
		if r.Undone != "" && r.Rung != "compact" {
			t.Fatalf("%s was undone: %s", r.Rung, r.Undone)
		}
	}
	for _, e := range plan.Edits {
		if e.Saved <= 0 && e.Kind == plimsoll.EditReplace && !view {
			t.Fatalf("an edit that saves nothing: %+v", e)
		}
	}
	if plan.After.Total > plan.Before.Total && !view {
		t.Fatalf("%d tokens became %d", plan.Before.Total, plan.After.Total)
	}
	if a, b := c.Outline(), got.Outline(); len(b.Orphans) > len(a.Orphans) || len(b.Dead) > len(a.Dead) {
		t.Fatal("a call was parted from its result")
	}
	for placed := range plan.Draft.Placed() {
		if placed.Original == pin && placed.Edited {
			t.Fatal("what is pinned was edited")
		}
	}
}

// The whole ladder reaches its goal or says why it cannot.
func TestRungsMakeRoomTogether(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := drawConversation(t)
		load := letterMeter().Weigh(c).Total
		pin := rapid.IntRange(0, c.Messages.Len()-1).Draw(t, "pin")
		o := fit.Options{
			Meter: letterMeter(), Window: rapid.IntRange(max(1, load/10), load).Draw(t, "window"), Reserve: new(0), Pins: []fit.Pin{pinAt(pin)},
			Rungs: []fit.Rung{
				&rung.View{MaxBytes: 700, Errors: true}, &rung.Dedupe{}, &rung.Clear{ToGoal: true, KeepNewest: 1}, &rung.Reasoning{},
				&rung.Compact{}, &rung.Slide{}, &rung.View{ToFit: true, Tail: 0.3, Errors: true},
			},
		}
		k, err := fit.New(&o)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
		if over := new(plimsoll.OverloadError); errors.As(err, &over) {
			if over.Floor <= over.Line.Limit() {
				t.Fatalf("the floor of %d is within %d: %v", over.Floor, over.Line.Limit(), err)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		checkLaws(t, c, plan, pin, false)
		if plan.After.Total > plan.Line.Limit() {
			t.Fatalf("%d tokens are over %d", plan.After.Total, plan.Line.Limit())
		}
		if again := mustFit(t, o, plan.Conversation()); again.Changed() {
			t.Fatalf("what fits was changed again: %v", again.Edits)
		}
	})
}
