package dialects_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/wire"
)

// repeating are messages that can carry what they say twice: under two names, under one
// name twice, or in full and in parts. WORDS stands for some words, ID for an id. A
// question stands before each.
var repeating = map[plimsoll.Dialect]struct {
	body, question string
	answers        []string
}{
	plimsoll.OpenAI: {`{"model":"MODEL","messages":[%s]}`, `{"role":"user","content":"WORDS"}`, []string{
		`{"role":"assistant","content":"WORDS","reasoning":"WORDS","reasoning_content":"WORDS"}`,
		`{"role":"assistant","reasoning_details":[{"type":"reasoning.text","text":"WORDS"}],"content":"WORDS","reasoning":"WORDS"}`,
		`{"role":"assistant","reasoning_content":"WORDS","thinking_blocks":[{"type":"thinking","thinking":"WORDS"}],"content":"WORDS"}`,
		`{"role":"assistant","reasoning_details":[{"type":"reasoning.encrypted","data":"WORDS"}],"content":"WORDS"}`,
		`{"role":"assistant","content":"WORDS","content":"WORDS","reasoning":"WORDS","reasoning":"WORDS"}`,
		`{"role":"assistant","content":[{"type":"text","text":"WORDS","text":"WORDS"}],"refusal":"WORDS","annotations":[{"text":"WORDS"}]}`,
		`{"role":"assistant","content":null,"tool_calls":[{"id":"x","function":{"name":"f","arguments":"{}"}}],"tool_calls":[{"id":"ID","function":{"name":"f","arguments":"{\"a\":\"WORDS\"}"}}]},{"role":"tool","tool_call_id":"ID","content":"WORDS","content":"WORDS WORDS"},{"role":"assistant","content":"WORDS"}`,
		`{"role":"assistant","reasoning":"WORDS","reasoning_content":"WORDS","tool_calls":[{"id":"ID","function":{"name":"f","arguments":"{}","arguments":"{\"a\":\"WORDS\"}"}}]},{"role":"tool","tool_call_id":"ID","content":[{"type":"text","text":"WORDS"},{"type":"text","text":"WORDS"}]}`,
		`{"role":"assistant","content":"","function_call":{"name":"f","arguments":"{\"a\":\"WORDS\"}"}},{"role":"function","name":"f","content":"WORDS WORDS"},{"role":"assistant","content":"WORDS"}`,
	}},
	plimsoll.Ollama: {`{"model":"qwen3:8b","messages":[%s]}`, `{"role":"user","content":"WORDS"}`, []string{
		`{"role":"assistant","content":"WORDS","thinking":"WORDS","content":"WORDS","thinking":"WORDS"}`,
		`{"role":"assistant","content":"","thinking":"WORDS","tool_calls":[{"function":{"name":"x","arguments":{}}}],"tool_calls":[{"function":{"name":"f","arguments":{},"arguments":{"a":"WORDS"}}}]},{"role":"tool","content":"WORDS","content":"WORDS WORDS"},{"role":"assistant","content":"WORDS"}`,
		`{"role":"assistant","tool_calls":[{"id":"ID","function":{"name":"f","arguments":{"a":"WORDS"}}},{"id":"xID","function":{"name":"f","arguments":{}}}]},{"role":"tool","tool_call_id":"xID","content":"WORDS WORDS","images":["aGk="],"images":["aGk=","aGk="]},{"role":"tool","tool_name":"f","content":"WORDS"},{"role":"assistant","content":"WORDS"}`,
	}},
	plimsoll.Responses: {`{"model":"gpt-5","input":[%s]}`, `{"role":"user","content":"WORDS"}`, []string{
		`{"type":"reasoning","id":"rs_ID","summary":[{"type":"summary_text","text":"WORDS"}],"content":[{"type":"reasoning_text","text":"WORDS"}],"encrypted_content":"WORDS"},{"type":"message","id":"msg_ID","role":"assistant","content":[{"type":"output_text","text":"WORDS"}]}`,
		`{"type":"reasoning","id":"rs_ID","summary":[{"type":"summary_text","text":"WORDS"}],"summary":"WORDS"},{"type":"function_call","id":"fc_ID","call_id":"ID","name":"f","arguments":"{\"a\":\"WORDS\"}"},{"type":"function_call_output","call_id":"ID","output":"WORDS","output":"WORDS WORDS"}`,
		`{"role":"assistant","content":"WORDS","content":[{"type":"output_text","text":"WORDS","text":"WORDS"}]}`,
		`{"type":"function_call","call_id":"ID","name":"f","arguments":"{}","input":"WORDS"},{"type":"function_call_output","call_id":"ID","output":"WORDS","result":"WORDS WORDS"},{"role":"assistant","content":"WORDS"}`,
		`{"type":"tool_search_call","call_id":"ID","execution":"client","arguments":{"query":"WORDS"}},{"type":"tool_search_output","call_id":"ID","execution":"client","tools":[{"type":"function","name":"f","description":"WORDS WORDS"}]},{"role":"assistant","content":"WORDS"}`,
		`{"type":"tool_search_call","call_id":null,"execution":"server","arguments":{}},{"type":"tool_search_output","call_id":null,"execution":"server","tools":[{"type":"function","name":"f","description":"WORDS"}]},{"role":"assistant","content":"WORDS"}`,
		`{"type":"tool_search_call","call_id":"ID","execution":"client","arguments":{}},{"type":"function_call_output","call_id":"ID","output":"WORDS WORDS"},{"role":"assistant","content":"WORDS"}`,
		`{"type":"shell_call","call_id":"ID","action":{"commands":["WORDS"]}},{"type":"shell_call_output","call_id":"ID","output":[{"stdout":"WORDS","stderr":"WORDS","outcome":{"type":"exit","exit_code":1}}]},{"role":"assistant","content":"WORDS"}`,
	}},
	plimsoll.Anthropic: {`{"model":"claude-sonnet-4-5","max_tokens":10,"messages":[%s]}`, `{"role":"user","content":"WORDS"}`, []string{
		`{"role":"assistant","content":"WORDS","content":[{"type":"text","text":"WORDS"}]}`,
		`{"role":"assistant","content":[{"type":"thinking","thinking":"WORDS","thinking":"WORDS","signature":"WORDS"},{"type":"text","text":"WORDS","text":"WORDS"}]}`,
		`{"role":"assistant","content":[{"type":"redacted_thinking","data":"WORDS"},{"type":"text","text":" "},{"type":"tool_use","id":"ID","name":"f","input":{"a":"WORDS"},"input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"ID","content":"WORDS","content":[{"type":"text","text":"WORDS WORDS"}]}]},{"role":"assistant","content":"WORDS"}`,
		`{"role":"assistant","content":[{"type":"tool_use","id":"ID","name":"f","input":{"a":"WORDS"}}]},{"role":"user","content":"WORDS","content":[{"type":"tool_result","tool_use_id":"ID","content":[{"type":"text","text":"WORDS"}],"content":"WORDS WORDS"}]},{"role":"assistant","content":[{"type":"text","text":"WORDS"}]}`,
		`{"role":"assistant","content":[{"type":"server_tool_use","id":"srv_ID","name":"web_search","input":{"query":"WORDS"}},{"type":"web_search_tool_result","tool_use_id":"srv_ID","content":[{"type":"web_search_result","title":"WORDS"}]},{"type":"text","text":"WORDS","citations":[{"cited_text":"WORDS"}]}]}`,
	}},
	plimsoll.Converse: {`{"toolConfig":{"tools":[]},"messages":[%s]}`, `{"role":"user","content":[{"text":"WORDS"}]}`, []string{
		`{"role":"assistant","content":[{"text":"WORDS"}],"content":[{"text":"WORDS"},{"cachePoint":{"type":"default"}}]}`,
		`{"role":"assistant","content":[{"reasoningContent":{"reasoningText":{"text":"WORDS","signature":"WORDS"}}},{"text":"WORDS","text":"WORDS"},{"text":"WORDS"}]}`,
		`{"role":"assistant","content":[{"toolUse":{"toolUseId":"ID","name":"f","input":{},"input":{"a":"WORDS"}}}]},{"role":"user","content":[{"toolResult":{"toolUseId":"ID","content":[{"text":"WORDS"}],"content":[{"json":{"a":"WORDS"}},{"text":"WORDS WORDS"}]}}]},{"role":"assistant","content":[{"text":"WORDS"}]}`,
	}},
	plimsoll.Gemini: {`{"contents":[%s]}`, `{"role":"user","parts":[{"text":"WORDS"}]}`, []string{
		`{"role":"model","parts":[{"text":"WORDS"}],"parts":[{"text":"WORDS","text":"WORDS"}]}`,
		`{"role":"model","parts":[{"thought":true,"text":"WORDS","thoughtSignature":"WORDS","thought_signature":"WORDS"},{"text":"WORDS"}]}`,
		`{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"function_call":{"name":"f","args":{"a":"WORDS"}},"thoughtSignature":"WORDS"}]},{"role":"user","parts":[{"functionResponse":{"name":"ID","response":{"output":"WORDS"},"response":{"output":"WORDS WORDS"}}}]},{"role":"model","parts":[{"text":"WORDS"}]}`,
		`{"role":"model","parts":[{"functionCall":{"name":"f","args":{"a":"WORDS"}}}]},{"role":"model","parts":[{"functionCall":{"name":"g","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"x","response":{"result":"WORDS WORDS"}}}]},{"role":"function","parts":[{"function_response":{"name":"f","response":{"output":"WORDS","error":"WORDS"}}}]},{"role":"model","parts":[{"text":"WORDS"}]}`,
	}},
}

// wordsOf returns some words. Long runs of them are what a cut takes.
func wordsOf(r *rand.Rand) string {
	words := make([]string, 5+r.IntN(60))
	for i := range words {
		words[i] = []string{"load", "line", "draft", "hull", "port", "café", "積荷", `\n`, "ok"}[r.IntN(9)]
	}
	return strings.Join(words, " ")
}

// repeats returns a conversation whose messages carry content twice.
func repeats(r *rand.Rand, d plimsoll.Dialect, model string) string {
	form := repeating[d]
	var messages []string
	for i := range 3 + r.IntN(8) {
		answer := form.answers[r.IntN(len(form.answers))]
		messages = append(messages, form.question, strings.ReplaceAll(answer, "ID", fmt.Sprintf("c%d", i)))
	}
	body := strings.Replace(fmt.Sprintf(form.body, strings.Join(append(messages, form.question), ",")), "MODEL", model, 1)
	for strings.Contains(body, "WORDS") {
		body = strings.Replace(body, "WORDS", wordsOf(r), 1)
	}
	return body
}

func TestWhatWasFittedWeighsWhatThePlanSays(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		dialect plimsoll.Dialect
		model   string
		// merged says that neighbouring messages are merged. These models are estimated, and
		// one long text weighs other than two short ones, within the band, and one message
		// less than two.
		merged bool
	}{
		{plimsoll.OpenAI, "gpt-4o", false},
		{plimsoll.OpenAI, "qwen3-32b", false},
		{plimsoll.OpenAI, "sonar-pro", true},
		{plimsoll.OpenAI, "mistral-large-latest", true},
		{plimsoll.Ollama, "", false},
		{plimsoll.Responses, "", false},
		{plimsoll.Anthropic, "", false},
		{plimsoll.Gemini, "", false},
		{plimsoll.Converse, "", true},
	} {
		t.Run(string(tt.dialect)+tt.model, func(t *testing.T) {
			t.Parallel()
			cuts := 0
			for seed := range uint64(60) {
				r := rand.New(rand.NewPCG(seed, 21))
				request := decoded(t, tt.dialect, repeats(r, tt.dialect, tt.model))
				if v := wire.Check(request); len(v) > 0 {
					t.Fatalf("seed %d: %v\n%s", seed, v, request.Body())
				}
				rungs := [][]string{nil, {"reasoning", "slide"}, {"clear", "trim", "slide"}, {"view", "dedupe", "compact"}}[r.IntN(4)]
				share := []int{80, 60, 40}[r.IntN(3)]
				plan, body := fitted(t, request, rungs, share)
				if plan == nil {
					continue
				}
				cuts++
				got := weighed(t, decoded(t, tt.dialect, string(body))).Total
				if got != plan.After.Total && (!tt.merged || got > plan.After.Total+plan.After.Band) {
					t.Fatalf("seed %d, %d %%, rungs %v: the plan says %d tokens, the body has %d\n in %s\nout %s",
						seed, share, rungs, plan.After.Total, got, request.Body(), body)
				}
			}
			if cuts < 40 {
				t.Errorf("only %d conversations could be cut", cuts)
			}
		})
	}
}

func TestClaudeWeighsTheSameByConverse(t *testing.T) {
	t.Parallel()
	const model = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	messages := decoded(t, plimsoll.Anthropic, `{"model":"`+model+`","max_tokens":9,"system":"Be brief.",
		"tools":[{"name":"read","description":"Reads a file.","input_schema":{"type":"object","properties":{"path":{"type":"string"}}}}],"tool_choice":{"type":"any"},
		"messages":[{"role":"user","content":"Read a."},{"role":"assistant","content":[{"type":"tool_use","id":"t","name":"read","input":{"path":"a"}}]},
		{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"seven crates"}]}]}`)
	converse := decoded(t, plimsoll.Converse, `{"model":"`+model+`","inferenceConfig":{"maxTokens":9},"system":[{"text":"Be brief."},{"cachePoint":{"type":"default"}}],
		"toolConfig":{"tools":[{"toolSpec":{"name":"read","description":"Reads a file.","inputSchema":{"json":{"type":"object","properties":{"path":{"type":"string"}}}}}},{"cachePoint":{"type":"default"}}],"toolChoice":{"any":{}}},
		"messages":[{"role":"user","content":[{"text":"Read a."}]},{"role":"assistant","content":[{"toolUse":{"toolUseId":"t","name":"read","input":{"path":"a"}}}]},
		{"role":"user","content":[{"toolResult":{"toolUseId":"t","content":[{"text":"seven crates"}]}},{"cachePoint":{"type":"default"}}]}]}`)
	if want, got := weighed(t, messages).Total, weighed(t, converse).Total; got != want || got < 500 {
		t.Errorf("%d tokens by Converse, %d by Messages", got, want)
	}
}

// fitted fits a request into a share of what it weighs. The plan is nil if it cannot.
func fitted(t *testing.T, r *wire.Request, rungs []string, share int) (*plimsoll.Plan, []byte) {
	t.Helper()
	options, err := preset.Named("", &preset.Options{Window: weighed(t, r).Total * share / 100, Reserve: new(0), Rungs: rungs})
	if err != nil {
		t.Fatal(err)
	}
	k, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Fit(t.Context(), preset.Task(r, preset.Client{}))
	if overload := new(plimsoll.OverloadError); errors.As(err, &overload) {
		return nil, nil
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, r.Body())
	}
	body, err := preset.Body(r, plan)
	if err != nil {
		t.Fatal(err)
	}
	return plan, body
}

// weighed weighs a request with a meter of its own.
func weighed(t *testing.T, r *wire.Request) plimsoll.Load {
	t.Helper()
	options, err := preset.Named("", nil)
	if err != nil {
		t.Fatal(err)
	}
	return options.Meter.Weigh(preset.ConversationTask(r.Conversation(), preset.Client{}).Conversation)
}
