package transport_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

// hiddenChat calls a tool of ours on each of the named calls, and answers with their
// number on the others.
func hiddenChat(calls ...int) func(n int, _ string) (int, string) {
	return func(n int, _ string) (int, string) {
		message, finish := fmt.Sprintf(`{"role":"assistant","content":"answer %d"}`, n), "stop"
		for _, c := range calls {
			if c == n {
				message, finish = fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":"hid%d","type":"function","function":{"name":"tool_output_cache","arguments":"{\"ref_id\":\"x\"}"}}]}`, n), "tool_calls"
			}
		}
		return http.StatusOK, fmt.Sprintf(`{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":%s,"finish_reason":%q}]}`, message, finish)
	}
}

func TestEveryReplyAtAPlaceKeepsWhatWasNotShownOfIt(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"", "a name"} {
		u := newUpstream(t, hiddenChat(0, 2))
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways})
		b.server = u.Server
		a := b.agent(plimsoll.OpenAI, false)
		if name != "" {
			a.header = http.Header{transport.HeaderConversation: {name}}
		}
		a.say("hi")
		question := a.history
		for range 2 {
			a.history = question
			a.ask()
		}
		for said, hidden := range map[string]string{"answer 1": "hid0", "answer 3": "hid2"} {
			a.history = append(question[:1:1], plimsoll.Say(plimsoll.Assistant, said), plimsoll.Say(plimsoll.User, "go on"))
			a.ask()
			last := u.bodies[len(u.bodies)-1]
			if strings.Count(last, hidden) != 2 || strings.Count(last, `"hid`) != 2 {
				t.Errorf("behind %q the model sees %s", said, last)
			}
		}
		a.history = append(question[:1:1], plimsoll.Say(plimsoll.Assistant, "answer by somebody else"), plimsoll.Say(plimsoll.User, "go on"))
		a.ask()
		if last := u.bodies[len(u.bodies)-1]; strings.Contains(last, "hid") {
			t.Errorf("behind another answer the model sees %s", last)
		}
	}
}

func TestC11_AnAnswerWithHiddenRoundsCanBeNamed(t *testing.T) {
	t.Parallel()
	for _, mixed := range []bool{false, true} {
		u := newUpstream(t, func(n int, _ string) (int, string) {
			said := `{"type":"message","id":"msg_1","role":"assistant","status":"completed","content":[{"type":"output_text","text":"ok","annotations":[]}]}`
			if n == 0 {
				said = `{"type":"function_call","id":"fc_1","call_id":"call_hid","name":"tool_output_cache","arguments":"{\"ref_id\":\"x\"}","status":"completed"}`
				if mixed {
					said += `,{"type":"function_call","id":"fc_2","call_id":"call_own","name":"read","arguments":"{}","status":"completed"}`
				}
			}
			return http.StatusOK, fmt.Sprintf(`{"id":"resp_%d","object":"response","status":"completed","model":"gpt-4o","output":[%s],"usage":{"input_tokens":10,"output_tokens":1,"total_tokens":11}}`, n, said)
		})
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways})
		b.server = u.Server
		const tools = `"tools":[{"type":"function","name":"read","parameters":{"type":"object"}}]`
		if got := b.postRaw("/v1/responses", []byte(`{"model":"gpt-4o",`+tools+`,"input":"go"}`), nil); !strings.Contains(string(got.body), `"resp_0"`) {
			t.Fatalf("%s", got.body)
		}
		input := `"more"`
		if mixed {
			input = `[{"type":"function_call_output","call_id":"call_own","output":"mine"}]`
		}
		b.postRaw("/v1/responses", []byte(`{"model":"gpt-4o","previous_response_id":"resp_0",`+tools+`,"input":`+input+`}`), nil)
		last := u.bodies[len(u.bodies)-1]
		if strings.Contains(last, "previous_response_id") || strings.Count(last, "call_hid") != 2 {
			t.Errorf("mixed %v: the model is sent %s", mixed, last)
		}
		if !mixed && !strings.Contains(last, `"text":"ok"`) || mixed && strings.Count(last, "call_own") != 2 {
			t.Errorf("mixed %v: what the client was shown is missing: %s", mixed, last)
		}
	}
}

func TestARequestThatIsRepeatedLosesNothingThatWasHiddenBefore(t *testing.T) {
	t.Parallel()
	u := newUpstream(t, hiddenChat(0, 2, 4))
	b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways})
	b.server = u.Server
	a := b.agent(plimsoll.OpenAI, false)
	a.say("hi")
	a.ask() // calls 0 and 1
	a.say("go on")
	question := a.history
	for range 2 { // calls 2 and 3, and again 4 and 5
		a.history = question
		a.ask()
	}
	a.say("and on")
	a.ask()
	last := u.bodies[len(u.bodies)-1]
	for _, hidden := range []string{"hid0", "hid4"} {
		if strings.Count(last, hidden) != 2 {
			t.Errorf("the model does not see %s: %s", hidden, last)
		}
	}
}

func TestWhatAnotherProcessHidIsPutBack(t *testing.T) {
	t.Parallel()
	for name, calls := range map[string][]int{
		"where this one hid nothing":       {1},
		"where this one hid something too": {0, 2},
	} {
		u := newUpstream(t, hiddenChat(calls...))
		shared := newStore(t)
		first := newBench(t, nil, transport.Options{Store: shared, Expand: transport.ExpandAlways})
		second := newBench(t, nil, transport.Options{Store: shared, Expand: transport.ExpandAlways})
		first.server, second.server = u.Server, u.Server
		a := first.agent(plimsoll.OpenAI, false)
		a.say("hi")
		question := a.history
		a.ask()
		b := second.agent(plimsoll.OpenAI, false)
		b.history = question
		b.ask()
		// The client goes on from the second answer, and asks the first process.
		a.history = append(b.history, plimsoll.Say(plimsoll.User, "go on"))
		for range 2 {
			asked := a.history
			a.ask()
			a.history = asked
			last := u.bodies[len(u.bodies)-1]
			if want := fmt.Sprintf("hid%d", calls[len(calls)-1]); strings.Count(last, want) != 2 || strings.Count(last, `"hid`) != 2 {
				t.Errorf("%s: the model is sent %s", name, last)
			}
		}
	}
}
