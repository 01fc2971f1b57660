package preset_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// shelf opens a store in a file of the test's own.
func shelf(t testing.TB) *store.Tenant {
	t.Helper()
	db, err := sqlite.Open(t.Context(), storetest.NewFile(t, sqlite.Open), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s.Tenant("")
}

// toolRounds is an agent's conversation with the given outputs.
func toolRounds(outputs ...string) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "go")}
	for i, output := range outputs {
		id := fmt.Sprint("call_", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "run", Arguments: "{}"}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output})}))
	}
	return plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
}

func results(c plimsoll.Conversation) []plimsoll.ToolResult {
	var all []plimsoll.ToolResult
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if r, ok := p.(plimsoll.ToolResult); ok {
				all = append(all, r)
			}
		}
	}
	return all
}

func TestO04_O05_AnOutputThatArrivesIsStoredAndBecomesAView(t *testing.T) {
	t.Parallel()
	archive := shelf(t)
	large := strings.Repeat("a line of output\n", 10_000)
	plan, err := keeper(t, "agent", &preset.Options{Archive: archive}).Fit(t.Context(), fit.Task{Conversation: toolRounds("small", large)})
	if err != nil {
		t.Fatal(err)
	}
	got := results(plan.Conversation())
	if got[0].Ref != nil || plimsoll.TextOf(got[0].Content) != "small" {
		t.Errorf("the small output became %+v", got[0])
	}
	ref, view := got[1].Ref, plimsoll.TextOf(got[1].Content)
	if ref == nil || ref.Bytes != int64(len(large)) || ref.Lines != 10_001 {
		t.Fatalf("ref %+v of %d bytes", ref, len(large))
	}
	if !strings.HasSuffix(view, "\n\n[tool output truncated; ref="+ref.ID+"]") || len(view) > 51_200+100 {
		t.Errorf("view of %d bytes ends in %q", len(view), view[max(0, len(view)-60):])
	}
	content, err := archive.Content(t.Context(), ref.ID)
	if err != nil || plimsoll.TextOf(content) != large {
		t.Errorf("the store has %d bytes, error %v", len(plimsoll.TextOf(content)), err)
	}
}

func TestO01_O02_O07_OutputsTogetherStayWithinTheirBudget(t *testing.T) {
	t.Parallel()
	var outputs []string
	for i := range 10 {
		outputs = append(outputs, fmt.Sprintf("output %d ", i)+strings.Repeat("word word word word\n", 1_000))
	}
	for _, tt := range []struct {
		name    string
		options preset.Options
		cleared int
	}{
		{"a quarter of the window", preset.Options{Window: 128_000}, 4},
		{"a budget that is given", preset.Options{Window: 128_000, Outputs: preset.Outputs{Budget: 10_500}}, 8},
		{"switched off", preset.Options{Window: 128_000, Outputs: preset.Outputs{Off: true}}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.options.Archive = shelf(t)
			plan, err := keeper(t, "agent", &tt.options).Fit(t.Context(), fit.Task{Conversation: toolRounds(outputs...)})
			if err != nil {
				t.Fatal(err)
			}
			for i, r := range results(plan.Conversation()) {
				text := plimsoll.TextOf(r.Content)
				trimmed := r.Ref != nil && text == "[tool output trimmed; ref="+r.Ref.ID+"]"
				if trimmed != (i < tt.cleared) {
					t.Errorf("output %d is %.60q with ref %v; want the oldest %d trimmed", i, text, r.Ref, tt.cleared)
				}
			}
		})
	}
}
