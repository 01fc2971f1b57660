package terminal

import (
	"context"
	"io"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// sink collects what would go to a terminal.
type sink struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *sink) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(p)
}

func (s *sink) has(text string) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Contains(s.text.String(), text)
}

func TestRunEndsWithItsContextAndWaitsForTheEngine(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	over := false
	engine := &played{participants: two()[:1], do: func(ctx context.Context, line string, tell func(chat.Event)) error {
		tell(chat.Asked{Text: line, To: []string{"gemini"}})
		tell(chat.Said{Participant: "gemini", Text: "coming"})
		<-ctx.Done()
		time.Sleep(20 * time.Millisecond)
		over = true
		return nil
	}}
	in, keys := io.Pipe()
	out := &sink{}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(ctx, engine, in, out, &Options{Width: 60, Height: 12, Environment: []string{"TERM=xterm-256color"}})
	}()
	go func() { _, _ = io.WriteString(keys, "hello\r") }()
	for !out.has("coming") {
		time.Sleep(time.Millisecond)
	}
	cancel()
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
	if !over {
		t.Error("run returned before the engine did")
	}
	if !out.has("\x1b[?1049l") {
		t.Error("the screen was not given back")
	}
}

func TestRunEndsByTheKeyboard(t *testing.T) {
	t.Parallel()
	in, keys := io.Pipe()
	out := &sink{}
	ended := make(chan error, 1)
	go func() {
		ended <- Run(t.Context(), &played{}, in, out, &Options{Width: 60, Height: 12, Environment: []string{"TERM=xterm-256color"}})
	}()
	if _, err := io.WriteString(keys, "\x03"); err != nil {
		t.Fatal(err)
	}
	for !out.has("quits") {
		time.Sleep(time.Millisecond)
	}
	if _, err := io.WriteString(keys, "\x03"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("run: %v", err)
	}
}
