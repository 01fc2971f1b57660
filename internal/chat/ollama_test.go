package chat_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

func TestTheContextThatOllamaRunsAModelWithIsTheLimit(t *testing.T) {
	t.Parallel()
	var running atomic.Bool
	var loads atomic.Int32
	model := scripted.New(chatter(100))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/ps":
		case "/api/show":
			fmt.Fprint(w, `{"parameters":"stop \"<|im_end|>\"\ntemperature 0.2"}`)
			return
		case "/api/generate":
			loads.Add(1)
			running.Store(true)
			fmt.Fprint(w, `{"model":"llama3.2","done":true,"done_reason":"load"}`)
			return
		case "/v1/chat/completions":
			running.Store(true)
			model.ServeHTTP(w, r)
			return
		default:
			http.NotFound(w, r)
			return
		}
		models := ""
		if running.Load() {
			models = `{"name":"other:7b","context_length":99},{"name":"llama3.2:latest","model":"llama3.2:latest","context_length":1024}`
		}
		fmt.Fprintf(w, `{"models":[%s]}`, models)
	}))
	t.Cleanup(server.Close)
	p, err := chat.ParseParticipant("ollama:llama3.2@"+server.URL, func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	tt := newTable(t)
	tt.o.Participants = []chat.Participant{p}
	tt.models["ollama"] = model
	tt.o.Method = "window"
	tt.open()
	if g := tt.engine.Gauges()[0]; g.Window != 4096 {
		t.Errorf("before the model runs its window is %d, want the least that Ollama gives", g.Window)
	}
	for i := range 12 {
		tt.do(fmt.Sprintf("Question %d?", i))
		if g := tt.engine.Gauges()[0]; g.Window != 1024 {
			t.Fatalf("the window is %d, want that with which the model runs", g.Window)
		}
	}
	if text := show(tt.sent("ollama")); strings.Contains(text, "Question 0?") {
		t.Errorf("more was sent than the server takes:\n%s", text)
	}
	if loads.Load() != 1 {
		t.Errorf("the model was loaded %d times, want once, before the first request", loads.Load())
	}
	tt.do("/limit 500")
	if g := tt.engine.Gauges()[0]; g.Window != 500 {
		t.Errorf("the window is %d, want the lower limit of the person", g.Window)
	}
	tt.do("/limit 9000")
	if g := tt.engine.Gauges()[0]; g.Window != 1024 {
		t.Errorf("the window is %d, want that with which the model runs", g.Window)
	}
}

// ollamaServer is a server with two models that runs none of them.
func ollamaServer(t *testing.T, model http.Handler) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/api/tags":
			fmt.Fprint(w, `{"models":[{"name":"llama3.2:latest"},{"name":"qwen3:8b"}]}`)
		case "/api/ps":
			fmt.Fprint(w, `{"models":[]}`)
		case "/api/show":
			fmt.Fprint(w, `{"parameters":"num_ctx                        2048\nstop \"x\""}`)
		default:
			model.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(server.Close)
	return server.URL
}

func TestTheContextOfAModelThatDoesNotRunYetIsTheLimit(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	p, err := chat.ParseParticipant("ollama:llama3.2@"+ollamaServer(t, scripted.New(nil)), func(string) string { return "" })
	if err != nil {
		t.Fatal(err)
	}
	tt.o.Participants = []chat.Participant{p}
	tt.open()
	if g := tt.engine.Gauges()[0]; g.Window != 2048 {
		t.Errorf("the window is %d, want that of the model's parameters", g.Window)
	}
}

func TestWithoutAModelTheServersModelsAreListed(t *testing.T) {
	t.Parallel()
	missing := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(http.StatusNotFound)
		fmt.Fprint(w, `{"error":{"message":"model 'llama9' not found","type":"not_found_error"}}`)
	})
	at := ollamaServer(t, missing)
	parse := func(spec string) chat.Participant {
		p, err := chat.ParseParticipant(spec, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	tt := newTable(t)
	const want = "has llama3.2, qwen3:8b"
	tt.o.Participants = []chat.Participant{parse("ollama:@" + at)}
	if _, err := chat.New(t.Context(), &tt.o); !strings.Contains(plimsoll.HintOf(err), want) {
		t.Errorf("no model: %v, hint %q", err, plimsoll.HintOf(err))
	}
	tt.o.Participants = []chat.Participant{parse("ollama:llama9@" + at)}
	tt.open()
	tt.do("hi")
	if failed := all[chat.Failed](tt); len(failed) != 1 || !strings.Contains(plimsoll.HintOf(failed[0].Err), want) {
		t.Errorf("another model: %v", failed)
	}
	if err := tt.engine.Do(t.Context(), "/model ollama:@"+at, func(chat.Event) {}); !strings.Contains(plimsoll.HintOf(err), want) {
		t.Errorf("a command: %v, hint %q", err, plimsoll.HintOf(err))
	}
}
