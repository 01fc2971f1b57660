package modelserver_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/modelserver"
)

// site is a server that answers on the paths that it is given, and 404 on all others.
type site struct {
	*httptest.Server
	mu    sync.Mutex
	paths map[string]string
	asked []string
	heads []http.Header
}

func newSite(t *testing.T, paths map[string]string) *site {
	t.Helper()
	s := &site{paths: paths}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.asked, s.heads = append(s.asked, r.Method+" "+r.URL.RequestURI()), append(s.heads, r.Header.Clone())
		text, ok := s.paths[r.Method+" "+r.URL.Path]
		if !ok {
			http.NotFound(w, r)
			return
		}
		body, _ := io.ReadAll(r.Body)
		var asks struct{ Model string }
		if r.Method == http.MethodPost && (json.Unmarshal(body, &asks) != nil || asks.Model == "" && !bytes.Contains(body, []byte(`"add_special":true`))) {
			http.Error(w, `{"error":"model is required"}`, http.StatusBadRequest)
			return
		}
		if r.URL.Path == "/api/generate" {
			s.paths["GET /api/ps"] = running(asks.Model, 32_768)
		}
		_, _ = io.WriteString(w, text)
	}))
	t.Cleanup(s.Close)
	return s
}

func (s *site) set(path, text string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paths[path] = text
}

func (s *site) questions() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.asked)
}

func (s *site) target(model string) modelserver.Target {
	return modelserver.Target{Root: s.URL, Header: http.Header{"Authorization": {"Bearer key"}}, Model: model}
}

// running is what Ollama says of the models that it has loaded.
func running(model string, window int) string {
	return fmt.Sprintf(`{"models":[{"name":"other:7b","model":"other:7b","context_length":99},{"name":%q,"model":%q,"size":1,"digest":"d","details":{},"expires_at":"2026-08-22T10:00:00Z","size_vram":0,"context_length":%d}]}`, model, model, window)
}

// shown is what Ollama says of a model, of which one parameter may set the window.
func shown(parameters string) string {
	return fmt.Sprintf(`{"modelfile":"FROM x","parameters":%q,"details":{"family":"llama"},"model_info":{"general.architecture":"llama","llama.context_length":131072,"llama.rope.scaling.original_context_length":8192}}`, parameters)
}

// The answers have the form that the sources give them: llama.cpp b21e4de, Ollama fb30760, vLLM
// a014e35, llama-cpp-python 0.3.35, all of August 2026, and LM Studio's REST API v0.
func TestAServerTellsTheWindowOfAModel(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		paths map[string]string
		model string
		want  int
	}{
		"llama.cpp, of one slot": {map[string]string{
			"GET /props": `{"default_generation_settings":{"params":{"n_predict":-1},"n_ctx":2048},"total_slots":4,"model_alias":"smollm2","model_path":"smollm2.gguf","chat_template":"{{x}}"}`,
		}, "any name", 2048},
		"llama.cpp in front of several models, of none": {map[string]string{
			"GET /props": `{"role":"router","default_generation_settings":{"params":{},"n_ctx":0}}`,
		}, "m", 0},
		"vLLM": {map[string]string{
			"GET /v1/models": `{"object":"list","data":[{"id":"other","object":"model","max_model_len":4096,"parent":null},{"id":"m","object":"model","owned_by":"vllm","root":"m","parent":null,"max_model_len":8192}]}`,
		}, "m", 8192},
		"vLLM, of an adapter": {map[string]string{
			"GET /v1/models": `{"object":"list","data":[{"id":"base","object":"model","max_model_len":4096,"parent":null},{"id":"lora","object":"model","parent":"base","max_model_len":null}]}`,
		}, "lora", 4096},
		"LM Studio": {map[string]string{
			"GET /v1/models":     `{"object":"list","data":[{"id":"m","object":"model","owned_by":"organization_owner"}]}`,
			"GET /api/v0/models": `{"object":"list","data":[{"id":"m","object":"model","type":"llm","state":"loaded","max_context_length":131072,"loaded_context_length":4096}]}`,
		}, "m", 4096},
		"LM Studio, before it loads the model": {map[string]string{
			"GET /api/v0/models": `{"object":"list","data":[{"id":"m","object":"model","type":"llm","state":"not-loaded","max_context_length":131072}]}`,
		}, "m", 0},
		"Ollama, of a model that runs": {map[string]string{
			"GET /api/ps": running("m:latest", 8192), "POST /api/show": shown("temperature                    0.2\nstop                           \"<|end|>\""),
		}, "m", 8192},
		"Ollama, of a model that sets it": {map[string]string{
			"GET /api/ps": `{"models":[]}`, "POST /api/show": shown("num_ctx                        16384\ntop_p                          0.9"),
		}, "m:7b", 16_384},
		"Ollama, of a model that sets more than it was trained for": {map[string]string{
			"GET /api/ps": `{"models":[]}`, "POST /api/show": shown("num_ctx                        999999"),
		}, "m", 131_072},
		"Ollama, of a model that another client has loaded with a window of its own": {map[string]string{
			"GET /api/ps": running("m:7b", 65_536), "POST /api/show": shown("num_ctx                        16384"),
		}, "m:7b", 16_384},
		"Ollama, of a model that it loads on being asked": {map[string]string{
			"GET /api/ps": `{"models":[]}`, "POST /api/show": shown(""), "POST /api/generate": `{"model":"m","response":"","done":true,"done_reason":"load"}`,
		}, "m", 32_768},
		"Ollama, of a model that it cannot load": {map[string]string{
			"GET /api/ps": `{"models":[]}`, "POST /api/show": shown(""),
		}, "m", 4096},
		"Ollama, of a model in its cloud": {map[string]string{
			"GET /api/ps": `{"models":[]}`, "POST /api/show": `{"remote_host":"https://ollama.com:443","remote_model":"m","model_info":{"general.architecture":"glm","glm.context_length":202752}}`,
		}, "m:cloud", 202_752},
		"Ollama, of a model that it does not have": {map[string]string{"GET /api/ps": `{"models":[]}`}, "m", 0},
		"llama-cpp-python, which tells nothing": {map[string]string{
			"GET /v1/models": `{"object":"list","data":[{"id":"m","object":"model","owned_by":"me","permissions":[]}]}`,
		}, "m", 0},
		"a server that answers everything with a page": {map[string]string{
			"GET /props": `<html>`, "GET /v1/models": `<html>`, "GET /api/v0/models": `<html>`, "GET /api/ps": `<html>`,
		}, "m", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSite(t, tt.paths)
			if got := modelserver.New(http.DefaultTransport, time.Now).Window(t.Context(), s.target(tt.model)); got != tt.want {
				t.Errorf("the window is %d, want %d; it was asked %q", got, tt.want, s.questions())
			}
			for i, h := range s.heads {
				if h.Get("Authorization") != "Bearer key" {
					t.Errorf("%s has no key", s.asked[i])
				}
			}
		})
	}
}

func props(window int) string {
	return fmt.Sprintf(`{"default_generation_settings":{"n_ctx":%d},"total_slots":1}`, window)
}

func TestAnAnswerIsBelievedForAWhileAndAskedForAgainWhenItIsDoubted(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 8, 22, 0, 0, 0, 0, time.UTC)
	s := newSite(t, map[string]string{"GET /props": props(2048)})
	a := modelserver.New(http.DefaultTransport, func() time.Time { return now })
	told := s.target("m")
	step := func(why string, want, asked int) {
		t.Helper()
		if got := a.Window(t.Context(), told); got != want || len(s.questions()) != asked {
			t.Errorf("%s: the window is %d after %d questions, want %d after %d", why, got, len(s.questions()), want, asked)
		}
	}
	step("the first request asks", 2048, 1)
	s.set("GET /props", props(8192))
	step("the next one does not", 2048, 1)
	a.Doubt(told)
	step("one after a doubt does", 8192, 2)
	now = now.Add(time.Hour)
	s.set("GET /props", props(4096))
	step("one after an hour does", 4096, 3)
	if all := a.Told(); len(all) != 1 || all[0] != (modelserver.Window{Root: s.URL, Model: "m", Tokens: 4096, At: now}) {
		t.Errorf("%+v is told, want the window of 4,096", all)
	}
	now = now.Add(time.Hour)
	s.Close()
	step("a server that does not answer is taken at its last word", 4096, 3)
	other := newSite(t, nil)
	told = other.target("m")
	for range 3 {
		if got := a.Window(t.Context(), told); got != 0 {
			t.Errorf("a server without endpoints tells %d", got)
		}
	}
	if n := len(other.questions()); n != 4 {
		t.Errorf("it was asked %q, want each question once", other.questions())
	}
}

func TestADryRunLoadsNoModel(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"GET /api/ps": `{"models":[]}`, "POST /api/show": shown(""), "POST /api/generate": `{"done":true}`})
	a := modelserver.New(http.DefaultTransport, time.Now)
	dry := s.target("m")
	dry.DryRun = true
	if got := a.Window(t.Context(), dry); got != 4096 || slices.Contains(s.questions(), "POST /api/generate") {
		t.Errorf("the window is %d, asked %q", got, s.questions())
	}
	if got := a.Window(t.Context(), s.target("m")); got != 32_768 {
		t.Errorf("after the dry run the window is %d, want that of the loaded model", got)
	}
}

func TestRequestsThatComeTogetherAskOnce(t *testing.T) {
	t.Parallel()
	s := newSite(t, map[string]string{"GET /props": props(2048)})
	a := modelserver.New(http.DefaultTransport, time.Now)
	var all sync.WaitGroup
	for range 20 {
		all.Go(func() {
			if got := a.Window(t.Context(), s.target("m")); got != 2048 {
				t.Errorf("the window is %d", got)
			}
		})
	}
	all.Wait()
	if got := s.questions(); len(got) != 1 {
		t.Errorf("asked %q, want once", got)
	}
}

func TestARedirectIsNotFollowed(t *testing.T) {
	t.Parallel()
	other := newSite(t, map[string]string{"GET /props": props(2048)})
	s := httptest.NewServer(http.RedirectHandler(other.URL+"/props", http.StatusFound))
	t.Cleanup(s.Close)
	got := modelserver.New(http.DefaultTransport, time.Now).Window(t.Context(), modelserver.Target{Root: s.URL, Header: http.Header{"Authorization": {"Bearer key"}}, Model: "m"})
	if got != 0 || len(other.questions()) > 0 {
		t.Errorf("the window is %d, and another server was asked %q", got, other.questions())
	}
}

// TestAServerCountsARequest has the answers of llama.cpp b21e4de and b4000, and of vLLM a014e35.
func TestAServerCountsARequest(t *testing.T) {
	t.Parallel()
	const body = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}],"tools":[]}`
	for name, tt := range map[string]struct {
		paths   map[string]string
		dialect plimsoll.Dialect
		want    int
	}{
		"llama.cpp":                    {map[string]string{"GET /props": props(2048), "POST /v1/chat/completions/input_tokens": `{"input_tokens":31,"object":"response.input_tokens"}`}, plimsoll.OpenAI, 31},
		"llama.cpp, Responses":         {map[string]string{"GET /props": props(2048), "POST /v1/responses/input_tokens": `{"input_tokens":32,"object":"response.input_tokens"}`}, plimsoll.Responses, 32},
		"llama.cpp, Messages":          {map[string]string{"GET /props": props(2048), "POST /v1/messages/count_tokens": `{"input_tokens":33}`}, plimsoll.Anthropic, 33},
		"llama.cpp, older":             {map[string]string{"GET /props": props(2048), "POST /apply-template": `{"prompt":"<|im_start|>user\nhi<|im_end|>\n"}`, "POST /tokenize": `{"tokens":[1,4093,198,5112,2,198]}`}, plimsoll.OpenAI, 6},
		"llama.cpp, older still":       {map[string]string{"GET /props": props(2048)}, plimsoll.OpenAI, 0},
		"vLLM":                         {map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"m","max_model_len":8192}]}`, "POST /tokenize": `{"count":35,"max_model_len":8192,"tokens":[1,2]}`}, plimsoll.OpenAI, 35},
		"vLLM, Responses":              {map[string]string{"GET /v1/models": `{"object":"list","data":[{"id":"m","max_model_len":8192}]}`, "POST /tokenize": `{"count":35,"max_model_len":8192,"tokens":[1,2]}`}, plimsoll.Responses, 0},
		"Ollama, which does not count": {map[string]string{"GET /api/ps": running("m", 8192), "POST /api/show": shown(""), "POST /tokenize": `{"count":35}`}, plimsoll.OpenAI, 0},
	} {
		s := newSite(t, tt.paths)
		if got := modelserver.New(http.DefaultTransport, time.Now).Count(t.Context(), s.target("m"), tt.dialect, []byte(body)); got != tt.want {
			t.Errorf("%s counts %d, want %d; it was asked %q", name, got, tt.want, s.questions())
		}
	}
}
