package rung_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// thought is thinking of 100 letters.
func thought(signature string) plimsoll.Reasoning {
	return plimsoll.Reasoning{Text: strings.Repeat("hm, ", 25), Signature: signature}
}

func call(id string) plimsoll.ToolCall { return plimsoll.ToolCall{ID: id, Name: "look"} }

func answer(id string) plimsoll.Message {
	return plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: parts("seen")})
}

// outlineOf writes a conversation as a letter for each part: u, a for texts, c and
// r for calls and results, T for thinking; messages are set apart.
func outlineOf(c plimsoll.Conversation) string {
	var words []string
	for _, m := range c.Messages.All() {
		word := ""
		for _, p := range m.Parts.All() {
			switch p.(type) {
			case plimsoll.Reasoning:
				word += "T"
			case plimsoll.ToolCall:
				word += "c"
			case plimsoll.ToolResult:
				word += "r"
			case plimsoll.Opaque:
				word += "o"
			default:
				word += string(m.Role[0])
			}
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// thinker is a conversation in which thinking stands beside what it led to.
func thinker() plimsoll.Conversation {
	say := func(text string) plimsoll.Part { return plimsoll.Text{Text: text} }
	return plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "one"),
		plimsoll.NewMessage(plimsoll.Assistant, thought("1"), thought("2"), call("a")),
		answer("a"),
		plimsoll.NewMessage(plimsoll.Assistant, thought("3"), say("done")),
		plimsoll.Say(plimsoll.User, "two"),
		plimsoll.NewMessage(plimsoll.Assistant, thought("4")),
		plimsoll.NewMessage(plimsoll.Assistant, thought("5"), say("done")),
		plimsoll.Say(plimsoll.User, "three"),
		plimsoll.NewMessage(plimsoll.Assistant, thought("6"), call("b")),
		answer("b"),
	)}
}

func TestReasoningOfOldTurnsGoesWhole(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		window int
		rung   rung.Reasoning
		pins   []fit.Pin
		want   string
	}{
		{"nothing has to go", 900, rung.Reasoning{}, nil, "u TTc r Ta u T Ta u Tc r"},
		{"the oldest turn is enough", 500, rung.Reasoning{}, nil, "u c r a u T Ta u Tc r"},
		{"all but the newest", 250, rung.Reasoning{}, nil, "u c r a u a u Tc r"},
		{"more turns are kept", 500, rung.Reasoning{KeepTurns: 2}, nil, "u c r a u T Ta u Tc r"},
		{"what is pinned stays", 550, rung.Reasoning{}, []fit.Pin{pinAt(3)}, "u c r Ta u T Ta u Tc r"},
		{"a pinned thought alone stays", 450, rung.Reasoning{}, []fit.Pin{pinAt(5)}, "u c r a u T Ta u Tc r"},
	} {
		plan := fitted(t, fit.Options{Meter: token.NewMeter(&token.MeterOptions{Counter: letters{}}), Window: tc.window, Rungs: []fit.Rung{&tc.rung}, Pins: tc.pins}, thinker())
		if got := outlineOf(plan.Conversation()); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestReasoningThatStaysIsUntouched(t *testing.T) {
	t.Parallel()
	plan := fitted(t, fit.Options{Meter: token.NewMeter(&token.MeterOptions{Counter: letters{}}), Window: 250, Rungs: []fit.Rung{&rung.Reasoning{}}}, thinker())
	c := plan.Conversation()
	if diff := cmp.Diff(thinker().Messages.At(8).Parts.Slice(), c.Messages.At(c.Messages.Len()-2).Parts.Slice()); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	if want := "thinking of turn 1 of 3"; plan.Edits[0].Reason != want {
		t.Errorf("got reason %q, want %q", plan.Edits[0].Reason, want)
	}
}

func TestReasoningItemsOfResponsesStayWithWhatCannotDoWithoutThem(t *testing.T) {
	t.Parallel()
	think := plimsoll.NewMessage(plimsoll.Assistant, thought("s"))
	act := func(p plimsoll.Part) plimsoll.Message { return plimsoll.NewMessage(plimsoll.Assistant, p) }
	for _, tc := range []struct {
		name  string
		items []plimsoll.Message
		want  string
	}{
		{"a call", []plimsoll.Message{think, think, act(call("a")), answer("a")}, "u c r u a"},
		{"a text", []plimsoll.Message{think, act(plimsoll.Text{Text: "done"})}, "u a u a"},
		{"a search of the server", []plimsoll.Message{think, act(plimsoll.Opaque{Kind: "web_search_call", Raw: "{}"})}, "u T o u a"},
		{"a search behind a text", []plimsoll.Message{think, act(plimsoll.Text{Text: "so"}), act(plimsoll.Opaque{Raw: "{}"})}, "u T a o u a"},
		{"a computer", []plimsoll.Message{think, act(plimsoll.ToolCall{ID: "a", Name: "computer"}), answer("a")}, "u T c r u a"},
	} {
		messages := append([]plimsoll.Message{plimsoll.Say(plimsoll.User, "one")}, tc.items...)
		messages = append(messages, plimsoll.Say(plimsoll.User, "two"), plimsoll.Say(plimsoll.Assistant, strings.Repeat("a", 100)))
		c := plimsoll.Conversation{Dialect: plimsoll.Responses, Messages: plimsoll.ListOf(messages...)}
		plan := fitted(t, fit.Options{
			Meter: token.NewMeter(&token.MeterOptions{Counter: letters{}}), Window: 300, Marks: fit.Watermarks{High: 0.6},
			Rungs: []fit.Rung{&rung.Reasoning{}},
		}, c)
		if got := outlineOf(plan.Conversation()); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestReasoningThatWeighsNothingStays(t *testing.T) {
	t.Parallel()
	c := thinker()
	framing := token.Framing{Message: 4, TextOnly: true}
	plan := fitted(t, fit.Options{
		Meter:  token.NewMeter(&token.MeterOptions{Counter: letters{}, Framing: &framing}),
		Window: 2000, Marks: fit.Watermarks{High: 0.001}, Rungs: []fit.Rung{&rung.Reasoning{}},
	}, c)
	if got, want := outlineOf(plan.Conversation()), outlineOf(c); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
