package scripted_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func readAll(r *http.Response) ([]byte, error) {
	defer r.Body.Close()
	return io.ReadAll(r.Body)
}

func TestTokensAreCountedWithoutAnAnswer(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, path, body, member string }{
		{"Anthropic", "/v1/messages/count_tokens", `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"hi"}]}`, "input_tokens"},
		{"Responses", "/v1/responses/input_tokens", bodies[plimsoll.Responses], "input_tokens"},
		{"Gemini", "/v1beta/models/gemini-2.5-flash:countTokens", bodies[plimsoll.Gemini], "totalTokens"},
		{"Gemini with a whole request", "/v1beta/models/gemini-2.5-flash:countTokens", `{"generateContentRequest":` + bodies[plimsoll.Gemini] + `}`, "totalTokens"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := send(t, scripted.New(&scripted.Options{Window: 1}), http.MethodPost, tt.path, tt.body)
			var answer map[string]any
			if err := json.Unmarshal(got.body, &answer); err != nil {
				t.Fatal(err)
			}
			if n, _ := answer[tt.member].(float64); got.status != 200 || n < 1 || n > 20 {
				t.Errorf("%d %s", got.status, got.body)
			}
		})
	}
}

func TestModelsAreListedAsEachProviderDoes(t *testing.T) {
	t.Parallel()
	model := scripted.New(&scripted.Options{Models: []string{"a", "b"}})
	for _, tt := range []struct {
		name, path, version string
		status              int
		want                string
	}{
		{"OpenAI's list", "/v1/models", "", 200, `"object":"list"`},
		{"one of OpenAI's", "/v1/models/b", "", 200, `"id":"b"`},
		{"one that is not there", "/v1/models/c", "", 404, `"model_not_found"`},
		{"Anthropic's list", "/v1/models", "2023-06-01", 200, `"has_more":false`},
		{"Google's list", "/v1beta/models", "", 200, `"name":"models/a"`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := httptest.NewRequestWithContext(t.Context(), http.MethodGet, tt.path, nil)
			r.Header.Set("Anthropic-Version", tt.version)
			w := httptest.NewRecorder()
			model.ServeHTTP(w, r)
			if w.Code != tt.status || !strings.Contains(w.Body.String(), tt.want) {
				t.Errorf("%d %s, want %s", w.Code, w.Body, tt.want)
			}
		})
	}
}

func TestOtherPathsAndMethodsAreRefused(t *testing.T) {
	t.Parallel()
	for path, want := range map[string]int{"/v1/embeddings": 404, "/v1/responses/compact": 404, "/": 404} {
		if got := send(t, scripted.New(nil), http.MethodPost, path, "{}"); got.status != want {
			t.Errorf("POST %s: %d, want %d", path, got.status, want)
		}
	}
	if got := send(t, scripted.New(nil), http.MethodGet, "/v1/chat/completions", ""); got.status != 405 {
		t.Errorf("GET: %d", got.status)
	}
}

func TestAResponseCanBeContinuedByItsID(t *testing.T) {
	t.Parallel()
	model := scripted.New(&scripted.Options{Script: scripted.Steps(scripted.Use("read", `{}`), scripted.Say("two"), scripted.Say("three"))})
	id := func(r reply) string {
		var answer struct {
			ID string `json:"id"`
		}
		if err := json.Unmarshal(r.body, &answer); err != nil || r.status != 200 {
			t.Fatalf("%d %s", r.status, r.body)
		}
		return answer.ID
	}
	first := id(ask(t, model, plimsoll.Responses, bodies[plimsoll.Responses]))
	call := model.Log()[0].Step.Calls[0].ID
	second := id(ask(t, model, plimsoll.Responses, `{"model":"gpt-4o","previous_response_id":"`+first+`","input":[{"type":"function_call_output","call_id":"`+call+`","output":"x"}]}`))
	id(ask(t, model, plimsoll.Responses, `{"model":"gpt-4o","previous_response_id":"`+second+`","input":"and now?"}`))
	log := model.Log()
	if n := log[2].Call.Conversation.Messages.Len(); n != 5 {
		t.Errorf("the third request has %d messages, want 5", n)
	}
	if got := ask(t, model, plimsoll.Responses, `{"model":"gpt-4o","previous_response_id":"other","input":"x"}`); got.status != 400 {
		t.Errorf("an id that nobody gave: %d %s", got.status, got.body)
	}
}

func TestAnswersToGoogleWithoutEventsAreAList(t *testing.T) {
	t.Parallel()
	path := strings.TrimSuffix(streamPath, "?alt=sse")
	codec := dialects.Codec(plimsoll.Gemini)
	got := send(t, once(scripted.Say("a text of more than one piece")), http.MethodPost, path, bodies[plimsoll.Gemini])
	said, err := codec.ReadResponse(got.body)
	if err != nil || got.body[0] != '[' || said.Message.Text() != "a text of more than one piece" {
		t.Errorf("%v: %s", err, got.body)
	}
	got = send(t, once(scripted.Step{Fault: &scripted.Fault{Status: 503}}), http.MethodPost, path, bodies[plimsoll.Gemini])
	if said, err := codec.ReadResponse(got.body); err != nil || got.body[0] != '[' || said.Error == nil {
		t.Errorf("a fault: %v: %s", err, got.body)
	}
}
