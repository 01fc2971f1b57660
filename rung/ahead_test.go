package rung_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// TestAllProcessorsFindWhatOneFinds is not parallel: it sets how many there are.
func TestAllProcessorsFindWhatOneFinds(t *testing.T) {
	var steps []step
	for i := range 120 {
		text := fmt.Sprintf("%d %s\n%s", i, strings.Repeat("word ", 20+i%5), strings.Repeat("l", 40*(i%9)))
		if i%11 == 3 {
			text += "\nerror: no such file"
		}
		steps = append(steps, ran(fmt.Sprint("tool", i%4), text))
	}
	c := session(steps...)
	var messages []plimsoll.Message
	for i, m := range c.Messages.All() {
		m.Digest = plimsoll.Digest{1, byte(i), byte(i >> 8)}
		messages = append(messages, m)
	}
	c.Messages = plimsoll.ListOf(messages...)
	fit := func(processors int) []plimsoll.Edit {
		before := runtime.GOMAXPROCS(processors)
		defer runtime.GOMAXPROCS(before)
		view, clear := &rung.View{MaxLine: 300, All: true}, &rung.Clear{Budget: 7000, MinReclaim: -1}
		return fitted(t, fit.Options{Window: 1_000_000, Arrival: []fit.Rung{view, clear}}, c).Edits
	}
	alone, together := fit(1), fit(4)
	if len(alone) < 30 {
		t.Fatalf("only %d edits", len(alone))
	}
	if diff := cmp.Diff(alone, together); diff != "" {
		t.Errorf("-alone +together\n%s", diff)
	}
}

// TestWhatIsFoundTogetherIsFoundAlone compares with a conversation of which nothing can be
// remembered, so that every part is looked at when it is asked about. It is not parallel: it
// sets how many processors there are.
func TestWhatIsFoundTogetherIsFoundAlone(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	all := func() []fit.Rung {
		return []fit.Rung{&rung.View{MaxLine: 300, All: true}, &rung.Dedupe{All: true}, &rung.Clear{Budget: 3000, MinReclaim: -1}}
	}
	for _, test := range []struct {
		name    string
		options func() fit.Options
	}{
		{"on arrival", func() fit.Options {
			return fit.Options{Window: 1_000_000, Arrival: all()}
		}},
		{"with what was seen when it was weighed", func() fit.Options {
			return fit.Options{Window: 30_000, Rungs: all()}
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			c := parallelRounds(60)
			var messages []plimsoll.Message
			for i, m := range c.Messages.All() {
				m.Digest = plimsoll.Digest{1, byte(i), byte(i >> 8)}
				messages = append(messages, m)
			}
			remembered := c
			remembered.Messages = plimsoll.ListOf(messages...)
			edits := func(c plimsoll.Conversation) []plimsoll.Edit {
				o := test.options()
				o.Meter = token.NewMeter(nil)
				return fitted(t, o, c).Edits
			}
			want := edits(c)
			if len(want) < 60 {
				t.Fatalf("only %d edits", len(want))
			}
			if diff := cmp.Diff(want, edits(remembered)); diff != "" {
				t.Errorf("-alone +together\n%s", diff)
			}
		})
	}
}

// parallelRounds are rounds of several calls each, some of which read a file again or change
// one, and some of which fail.
func parallelRounds(n int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "go")}
	tools := []string{"Read", "Write", "Bash", "Read", "other"}
	for i := range n {
		var calls, results []plimsoll.Part
		for k := range 4 {
			at := 4*i + k
			id := fmt.Sprint("call", at)
			text := fmt.Sprintf("%d %s\n%s", at%53, strings.Repeat("word ", 20+at%31), strings.Repeat("l", 40*(at%9)))
			if at%7 == 3 {
				text += "\nerror: no such file"
			}
			calls = append(calls, plimsoll.ToolCall{ID: id, Name: tools[at%len(tools)], Arguments: fmt.Sprintf(`{"file_path":"f%d.go"}`, at*7%40)})
			results = append(results, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})})
		}
		messages = append(messages, plimsoll.NewMessage(plimsoll.Assistant, calls...), plimsoll.NewMessage(plimsoll.User, results...))
	}
	return plimsoll.Conversation{Dialect: plimsoll.Anthropic, Model: "claude-sonnet-4-5", Messages: plimsoll.ListOf(messages...)}
}
