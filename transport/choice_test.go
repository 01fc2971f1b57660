package transport_test

import (
	"bytes"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// choices are how clients demand that a tool is called: any, or the one that is named.
var choices = map[plimsoll.Dialect]struct{ any, named string }{
	plimsoll.OpenAI:    {`"tool_choice":"required"`, `"tool_choice":{"type":"function","function":{"name":"read"}}`},
	plimsoll.Responses: {`"tool_choice":"required"`, `"tool_choice":{"type":"function","name":"read"}`},
	plimsoll.Anthropic: {`"tool_choice":{"type":"any"}`, `"tool_choice":{"type":"tool","name":"read"}`},
	plimsoll.Gemini:    {`"toolConfig":{"functionCallingConfig":{"mode":"ANY"}}`, `"toolConfig":{"functionCallingConfig":{"mode":"ANY","allowedFunctionNames":["read"]}}`},
	plimsoll.Converse:  {`"toolChoice":{"any":{}}`, `"toolChoice":{"tool":{"name":"read"}}`},
}

// choosing returns the agent's next request with a demand.
func (a *agent) choosing(choice string) []byte {
	if choice == "" {
		a.t.Skip("the API has no such demand")
	}
	if a.dialect == plimsoll.Converse {
		return bytes.Replace(a.body(), []byte(`"toolConfig":{`), []byte(`"toolConfig":{`+choice+`,`), 1)
	}
	return append([]byte("{"+choice+","), bytes.TrimPrefix(a.body(), []byte("{"))...)
}

// reader is a model that reads in the cache as long as it can, and then does what the
// client wants.
func reader(then scripted.Step) scripted.Script {
	return func(c *scripted.Call) (scripted.Step, bool) {
		if has(c.Conversation, "tool_output_cache") && c.End() != scripted.EndSummary && !silent(c) {
			return scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":"nosuch%d"}`, c.N)), true
		}
		return then, true
	}
}

func silent(c *scripted.Call) bool {
	body := c.Request.Body()
	return bytes.Contains(body, []byte(`"tool_choice":"none"`)) || bytes.Contains(body, []byte(`"tool_choice":{"type":"none"}`)) || bytes.Contains(body, []byte(`"mode":"NONE"`))
}

func TestAClientThatDemandsACallGetsOneOfItsOwn(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: reader(scripted.Use("read", `{"path":"file1"}`))},
			transport.Options{Store: newStore(t), Expand: transport.ExpandAlways, Rounds: 2})
		a := b.agent(d, stream)
		a.say("hi")
		got := a.post(d, stream, a.choosing(choices[d].any), nil)
		if got.status != http.StatusOK || !got.done {
			t.Fatalf("%d, done %v: %s", got.status, got.done, got.body)
		}
		var called []string
		for _, p := range got.said.Message.Parts.All() {
			if call, ok := p.(plimsoll.ToolCall); ok {
				called = append(called, call.Name)
			}
		}
		if strings.Join(called, ",") != "read" {
			t.Errorf("the client sees the calls %q: %s", called, got.body)
		}
		log := b.model.Log()
		if len(log) != 3 {
			t.Fatalf("the model was asked %d times, want 3", len(log))
		}
		for i, x := range log {
			if offered := has(x.Call.Conversation, "tool_output_cache"); offered != (i < 2) {
				t.Errorf("request %d: the tools are offered: %v", i, offered)
			}
		}
		a.history = append(a.history, got.said.Message)
		a.answerCalls(func(plimsoll.ToolCall) string { return "here it is" })
		if got := a.ask(); got.status != http.StatusOK {
			t.Errorf("the next request: %d %s", got.status, got.body)
		}
		next := b.model.Log()[3]
		if !has(next.Call.Conversation, "tool_output_cache") || !bytes.Contains(next.Body, []byte("nosuch1")) {
			t.Error("the next request has not the tools, or not what the model has read")
		}
		if over, wrong := b.upstreamFaults(); over+wrong > 0 {
			t.Errorf("%d overflows, %d violations", over, wrong)
		}
	})
}

func TestAClientThatDemandsOneToolChangesNothingAboutOurs(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{Script: scripted.Steps(scripted.Step{Calls: []plimsoll.ToolCall{{Name: "read", Arguments: `{"path":"file1"}`}}, Again: true})},
			transport.Options{Store: newStore(t), Window: 9000})
		a := b.long(d, 8)
		a.stream = stream
		for i, body := range [][]byte{a.body(), a.choosing(choices[d].named), a.body()} {
			if got := a.post(d, stream, body, nil); got.status != http.StatusOK || !got.done || got.said.Message.Parts.Len() != 1 {
				t.Fatalf("request %d: %d %s", i, got.status, got.body)
			}
		}
		log := b.model.Log()
		for i, x := range log {
			if !has(x.Call.Conversation, "tool_output_cache") || sharedMessages(x.Call.Conversation, log[0].Call.Conversation) != log[0].Call.Conversation.Messages.Len() {
				t.Errorf("request %d has other tools or messages than the first", i)
			}
		}
		if over, wrong := b.upstreamFaults(); over+wrong > 0 || len(log) != 3 {
			t.Errorf("%d requests, %d overflows, %d violations", len(log), over, wrong)
		}
	})
}

func TestAModelThatReadsTooOftenStillAnswers(t *testing.T) {
	t.Parallel()
	for name, tools := range map[string][]plimsoll.Tool{"a client with tools": {readTool}, "a client without": nil} {
		for _, d := range dialects.All() {
			if tools == nil && dialects.Codec(d).Traits().NoCalls.Key == "" {
				continue // the model cannot be told to call no tool
			}
			for _, stream := range []bool{false, true} {
				b := newBench(t, &scripted.Options{Script: reader(scripted.Say("this is the answer"))}, transport.Options{
					Store: newStore(t), Expand: transport.ExpandAlways, Rounds: 3, Official: func(string) bool { return true },
				})
				a := b.agent(d, stream)
				a.tools = tools
				a.say("hi")
				if got := a.ask(); got.said.Message.Text() != "this is the answer" || !got.done {
					t.Errorf("%s, %s: %d %s", name, d, got.status, got.body)
				}
				if over, wrong := b.upstreamFaults(); over+wrong > 0 || len(b.model.Log()) != 4 {
					t.Errorf("%s, %s: asked %d times, %d violations", name, d, len(b.model.Log()), wrong)
				}
			}
		}
	}
}
