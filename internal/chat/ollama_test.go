package chat_test

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

func TestTheContextThatOllamaRunsAModelWithIsTheLimit(t *testing.T) {
	t.Parallel()
	var running atomic.Bool
	model := scripted.New(chatter(100))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/ps" {
			if r.URL.Path == "/v1/chat/completions" {
				running.Store(true)
			}
			model.ServeHTTP(w, r)
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
	if g := tt.engine.Gauges()[0]; g.Window != 131_072 {
		t.Errorf("before the model runs its window is %d, want what is known of it", g.Window)
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
	tt.do("/limit 500")
	if g := tt.engine.Gauges()[0]; g.Window != 500 {
		t.Errorf("the window is %d, want the lower limit of the person", g.Window)
	}
	tt.do("/limit 9000")
	if g := tt.engine.Gauges()[0]; g.Window != 1024 {
		t.Errorf("the window is %d, want that with which the model runs", g.Window)
	}
}
