package scripted_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// eachDialect runs a test in all of them.
func eachDialect(t *testing.T, test func(t *testing.T, d plimsoll.Dialect)) {
	t.Parallel()
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			test(t, d)
		})
	}
}

func once(s scripted.Step) *scripted.Model {
	s.Again = true
	return scripted.New(&scripted.Options{Script: scripted.Steps(s)})
}

func TestAnAnswerSaysWhatTheStepSaysStreamedOrNot(t *testing.T) {
	step := scripted.Step{
		Text:  "満載喫水線 and a text of more than one piece",
		Calls: []plimsoll.ToolCall{{Name: "read", Arguments: `{"path":"cranes/of/the/harbour.go"}`}, {ID: "own", Name: "now"}},
	}
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		for way, got := range map[string]reply{
			"complete": ask(t, once(step), d, bodies[d]),
			"streamed": askStreamed(t, once(step), d, bodies[d]),
		} {
			if way == "streamed" && !got.done {
				t.Errorf("the stream does not say that it is complete")
			}
			if got.status != 200 || got.said.Error != nil || got.said.Stop != wire.StopTools || got.said.Model == "" && d != plimsoll.Converse {
				t.Fatalf("%s: status %d, stop %q, model %q, error %v\n%s", way, got.status, got.said.Stop, got.said.Model, got.said.Error, got.body)
			}
			var calls []plimsoll.ToolCall
			for _, p := range got.said.Message.Parts.All() {
				if c, ok := p.(plimsoll.ToolCall); ok {
					calls = append(calls, c)
				}
			}
			if got.said.Message.Text() != step.Text || len(calls) != 2 {
				t.Fatalf("%s: %q and %d calls", way, got.said.Message.Text(), len(calls))
			}
			if calls[0].ID == "" || calls[0].Arguments != step.Calls[0].Arguments || calls[1].ID != "own" || calls[1].Arguments != "{}" {
				t.Errorf("%s: calls %+v", way, calls)
			}
			if !got.said.HasUsage || got.said.Usage.Input == 0 || got.said.Usage.Output < 20 {
				t.Errorf("%s: usage %+v", way, got.said.Usage)
			}
		}
	})
}

func TestEveryStopReasonIsToldInTheWordsOfTheAPI(t *testing.T) {
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		for _, stop := range []wire.Stop{wire.StopEnd, wire.StopLength, wire.StopFiltered} {
			if d == plimsoll.Ollama && stop == wire.StopFiltered {
				continue // it has no word for that
			}
			step := scripted.Step{Text: "x", Stop: stop}
			if got := ask(t, once(step), d, bodies[d]).said.Stop; got != stop {
				t.Errorf("complete: %q, want %q", got, stop)
			}
			if got := askStreamed(t, once(step), d, bodies[d]).said.Stop; got != stop {
				t.Errorf("streamed: %q, want %q", got, stop)
			}
		}
	})
}

func TestWhatTheAPIRefusesIsRefusedAsTheAPIDoes(t *testing.T) {
	refused := map[plimsoll.Dialect]string{
		plimsoll.OpenAI:    `{"model":"m","messages":[{"role":"user","content":"a"},{"role":"tool","tool_call_id":"1","content":"x"}]}`,
		plimsoll.Responses: `{"model":"m","input":[{"type":"function_call_output","call_id":"1","output":"x"}]}`,
		plimsoll.Anthropic: `{"model":"m","max_tokens":1,"messages":[{"role":"user","content":[{"type":"tool_result","tool_use_id":"1","content":"x"}]}]}`,
		plimsoll.Gemini:    `{"contents":[{"role":"user","parts":[{"functionResponse":{"name":"f","response":{}}}]}]}`,
		plimsoll.Ollama:    `{"model":"m","messages":[{"role":"assistant","tool_calls":[{"function":{"name":"f","arguments":"{}"}}]}]}`,
		plimsoll.Converse:  `{"messages":[{"role":"user","content":[{"toolResult":{"toolUseId":"1","content":[]}}]}]}`,
	}
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		for name, body := range map[string]string{"no JSON": `{`, "no conversation": `{"model":"m"}`, "a result without its call, or arguments in a text": refused[d]} {
			model := once(scripted.Say("never"))
			got := ask(t, model, d, body)
			if got.status != 400 || got.said.Error == nil || got.said.Error.Message == "" || got.said.Error.Overflows() {
				t.Errorf("%s: status %d\n%s", name, got.status, got.body)
			}
			log := model.Log()
			if len(log) != 1 || log[0].Status != 400 || log[0].Refusal == "" {
				t.Fatalf("%s: log %+v", name, log)
			}
			if name == "a result without its call" && len(log[0].Violations) == 0 {
				t.Errorf("no violation is in the log")
			}
		}
	})
}

func TestARequestWithoutWhatTheAPIRequiresIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect    plimsoll.Dialect
		body, want string
	}{
		{plimsoll.OpenAI, `{"messages":[{"role":"user","content":"a"}]}`, "model: Field required"},
		{plimsoll.Responses, `{"input":"a"}`, "model: Field required"},
		{plimsoll.Anthropic, `{"model":"m","messages":[{"role":"user","content":"a"}]}`, "max_tokens: Field required"},
	} {
		got := ask(t, scripted.New(nil), tt.dialect, tt.body)
		if got.status != 400 || got.said.Error.Message != tt.want {
			t.Errorf("%s: status %d, %s", tt.dialect, got.status, got.body)
		}
	}
}

func TestGeminiRefusesParametersWithMembersThatItDoesNotKnow(t *testing.T) {
	t.Parallel()
	const at = "tools[0].function_declarations[1].parameters"
	for _, tt := range []struct{ name, declaration, unknown, at string }{
		{"all known", `"parameters":{"type":"object","properties":{"additionalProperties":{"type":"string"}},"any_of":[{"minItems":1}]}`, "", ""},
		{"a JSON schema", `"parametersJsonSchema":{"additionalProperties":false}`, "", ""},
		{"at the root", `"parameters":{"type":"object","additionalProperties":false}`, "additionalProperties", at},
		{"in a property", `"parameters":{"properties":{"a":{},"b":{"const":1}}}`, "const", at + ".properties[1].value"},
		{"in items", `"parameters":{"items":{"$ref":"#"}}`, "$ref", at + ".items"},
		{"in an alternative", `"parameters":{"anyOf":[{},{"oneOf":[]}]}`, "oneOf", at + ".any_of[1]"},
	} {
		body := strings.Replace(bodies[plimsoll.Gemini], "{", `{"tools":[{"functionDeclarations":[{"name":"f"},{"name":"g",`+tt.declaration+`}]}],`, 1)
		got := ask(t, once(scripted.Say("yes")), plimsoll.Gemini, body)
		if tt.unknown == "" {
			if got.status != 200 {
				t.Errorf("%s: status %d\n%s", tt.name, got.status, got.body)
			}
			continue
		}
		want := `Unknown name "` + tt.unknown + `" at '` + tt.at + `': Cannot find field.`
		if got.status != 400 || got.said.Error == nil || !strings.Contains(got.said.Error.Message, want) {
			t.Errorf("%s: status %d, want %s\n%s", tt.name, got.status, want, got.body)
		}
	}
}

func TestGeminiThreeWantsItsSignaturesBack(t *testing.T) {
	t.Parallel()
	const path = "/v1beta/models/gemini-3-pro:generateContent"
	model := once(scripted.Use("read", `{}`))
	first := send(t, model, http.MethodPost, path, bodies[plimsoll.Gemini])
	var answer struct {
		Candidates []struct {
			Content json.RawMessage `json:"content"`
		} `json:"candidates"`
	}
	if err := json.Unmarshal(first.body, &answer); err != nil {
		t.Fatal(err)
	}
	next := func(content string) string {
		return `{"contents":[{"role":"user","parts":[{"text":"hi"}]},` + content + `,{"role":"user","parts":[{"functionResponse":{"name":"read","response":{"output":"x"}}}]}]}`
	}
	signed := string(answer.Candidates[0].Content)
	if got := send(t, model, http.MethodPost, path, next(signed)); got.status != 200 {
		t.Errorf("signed: %d %s", got.status, got.body)
	}
	unsigned := strings.Replace(signed, "thoughtSignature", "other", 1)
	if got := send(t, model, http.MethodPost, path, next(unsigned)); got.status != 400 {
		t.Errorf("unsigned: %d %s", got.status, got.body)
	}
}

func TestAFullWindowIsToldInTheWordsOfTheAPI(t *testing.T) {
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		body := strings.Replace(bodies[d], `"hi"`, `"`+strings.Repeat("load line ", 1000)+`"`, 1)
		for _, streamed := range []bool{false, true} {
			model := scripted.New(&scripted.Options{Window: 1000})
			var got reply
			if streamed {
				got = askStreamed(t, model, d, body)
			} else {
				got = ask(t, model, d, body)
			}
			want := 400
			if streamed && d == plimsoll.Responses {
				want = 200 // which says it inside the stream
			}
			if got.status != want || got.said.Error != nil && !got.said.Error.Overflows() {
				t.Errorf("streamed %v: status %d, %s", streamed, got.status, got.body)
			}
			if want == 400 {
				if o, ok := wire.FindOverflow(got.status, got.body); !ok || d != plimsoll.Responses && d != plimsoll.Ollama && (o.Limit != 1000 || o.Tokens < 2000) {
					t.Errorf("streamed %v: overflow %v %+v", streamed, ok, o)
				}
			} else if got.said.Error == nil {
				t.Errorf("the stream has no error: %s", got.body)
			}
			if log := model.Log(); !log[0].Overflow {
				t.Errorf("the log does not say so")
			}
			if got := ask(t, model, d, bodies[d]); got.status != 200 {
				t.Errorf("a small request: %s", got.body)
			}
		}
	})
}

func TestAFaultIsAnErrorOfTheAPIBeforeOrInTheMiddleOfAStream(t *testing.T) {
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		fault := &scripted.Fault{Status: 429, Message: "slow down", RetryAfter: 3 * time.Second}
		got := ask(t, once(scripted.Step{Fault: fault}), d, bodies[d])
		if got.status != 429 || got.said.Error == nil || got.said.Error.Message != "slow down" || got.header.Get("Retry-After") != "3" {
			t.Errorf("before: %d %v %s", got.status, got.header, got.body)
		}
		got = askStreamed(t, once(scripted.Step{Text: strings.Repeat("half an answer ", 20), Fault: &scripted.Fault{Message: "broke"}, After: 6}), d, bodies[d])
		if got.status != 200 || got.said.Error == nil || got.said.Error.Message != "broke" || d != plimsoll.Responses && got.said.Message.Text() == "" {
			t.Errorf("in the middle: %d %v %q", got.status, got.said.Error, got.said.Message.Text())
		}
	})
}

func TestACutBreaksTheConnection(t *testing.T) {
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		server := httptest.NewServer(once(scripted.Step{Text: strings.Repeat("a ", 1000), Cut: true, After: 3}))
		defer server.Close()
		for _, path := range []string{paths[d], streamPath} {
			if path == streamPath && d != plimsoll.Gemini {
				continue
			}
			resp, err := server.Client().Post(server.URL+path, "application/json", strings.NewReader(bodies[d]))
			if err != nil {
				continue
			}
			if _, err = readAll(resp); err == nil {
				t.Errorf("%s: the answer came whole", path)
			}
		}
	})
}

func TestAnAnswerTakesItsTimeUnlessTheClientGoesAway(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		model := once(scripted.Step{Text: "late", Delay: time.Minute})
		begin := time.Now()
		ask(t, model, plimsoll.OpenAI, bodies[plimsoll.OpenAI])
		if waited := time.Since(begin); waited != time.Minute {
			t.Errorf("the answer came after %v", waited)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		begin = time.Now()
		w := httptest.NewRecorder()
		model.ServeHTTP(w, httptest.NewRequestWithContext(ctx, http.MethodPost, paths[plimsoll.OpenAI], strings.NewReader(bodies[plimsoll.OpenAI])))
		if waited := time.Since(begin); waited != time.Second || w.Body.Len() > 0 {
			t.Errorf("after %v there were %d bytes for nobody", waited, w.Body.Len())
		}
	})
}

func TestManyMayAskAtOnce(t *testing.T) {
	t.Parallel()
	model := once(scripted.Use("read", `{}`))
	var all sync.WaitGroup
	for range 4 {
		for _, d := range dialects.All() {
			all.Go(func() {
				if got := ask(t, model, d, bodies[d]); got.status != 200 {
					t.Errorf("%s: %d", d, got.status)
				}
			})
		}
	}
	all.Wait()
	ids := map[string]bool{}
	for _, e := range model.Log() {
		ids[e.Step.Calls[0].ID] = true
	}
	if want := 4 * len(dialects.All()); len(ids) != want {
		t.Errorf("%d calls have %d ids", want, len(ids))
	}
}

func TestUsageShowsWhatAPromptCacheWouldHaveRead(t *testing.T) {
	long := strings.Repeat("load line ", 800)
	histories := map[plimsoll.Dialect]func(turns ...string) string{
		plimsoll.OpenAI: func(turns ...string) string {
			return `{"model":"gpt-4o","messages":[` + eachTurn(turns, `{"role":"%s","content":"%s"}`, "assistant") + `]}`
		},
		plimsoll.Responses: func(turns ...string) string {
			return `{"model":"gpt-4o","input":[` + eachTurn(turns, `{"role":"%s","content":"%s"}`, "assistant") + `]}`
		},
		plimsoll.Anthropic: func(turns ...string) string {
			return `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[` + eachTurn(turns, `{"role":"%s","content":"%s"}`, "assistant") + `]}`
		},
		plimsoll.Gemini: func(turns ...string) string {
			return `{"contents":[` + eachTurn(turns, `{"role":"%s","parts":[{"text":"%s"}]}`, "model") + `]}`
		},
		plimsoll.Converse: func(turns ...string) string {
			return `{"messages":[` + eachTurn(turns, `{"role":"%s","content":[{"text":"%s"}]}`, "assistant") + `]}`
		},
	}
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		body, ok := histories[d]
		if !ok {
			t.Skip("the API says nothing of cached tokens")
		}
		model := once(scripted.Say("ok"))
		usage := func(turns ...string) plimsoll.Usage { return ask(t, model, d, body(turns...)).said.Usage }
		first := usage(long)
		if first.CacheRead != 0 || first.Prompt() < 1600 {
			t.Errorf("first: %+v", first)
		}
		if again := usage(long, "ok", "more"); again.CacheRead < 1600 || again.CacheRead >= again.Prompt() {
			t.Errorf("the same and more: %+v", again)
		}
		if longer := usage(long, "ok", "more", "ok", "still more"); longer.CacheRead <= 1600 {
			t.Errorf("still more: %+v", longer)
		}
		if other := usage("x"+long, "ok", "more"); other.CacheRead != 0 {
			t.Errorf("another beginning: %+v", other)
		}
		if usage("hi"); usage("hi", "ok", "more").CacheRead != 0 {
			t.Errorf("a short prefix was cached")
		}
	})
}

func eachTurn(turns []string, form, assistant string) string {
	var all []string
	for i, text := range turns {
		role := "user"
		if i%2 == 1 {
			role = assistant
		}
		all = append(all, fmt.Sprintf(form, role, text))
	}
	return strings.Join(all, ",")
}

func TestTheLoadIsWhatTheMeterSays(t *testing.T) {
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect) {
		model := scripted.New(nil)
		got := ask(t, model, d, bodies[d])
		call := model.Log()[0].Call
		if want := token.NewMeter(nil).Weigh(call.Conversation).Total; got.said.Usage.Prompt() != want || call.Load.Total != want {
			t.Errorf("billed %d, weighed %d, want %d", got.said.Usage.Prompt(), call.Load.Total, want)
		}
	})
}

func TestTheLogHasRequestsAsTheyCame(t *testing.T) {
	t.Parallel()
	model := scripted.New(&scripted.Options{Remember: 2, Script: scripted.Steps(scripted.Say("one"), scripted.Say("two"), scripted.Say("three"))})
	for _, d := range dialects.All()[:3] {
		send(t, model, http.MethodPost, paths[d]+"?beta=true", bodies[d])
	}
	type line struct{ Path, Body, Text string }
	var got []line
	for _, e := range model.Log() {
		got = append(got, line{e.Path, string(e.Body), e.Step.Text})
	}
	want := []line{
		{paths[plimsoll.Responses] + "?beta=true", bodies[plimsoll.Responses], "two"},
		{paths[plimsoll.Anthropic] + "?beta=true", bodies[plimsoll.Anthropic], "three"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the newest two (-want +got):\n%s", diff)
	}
}
