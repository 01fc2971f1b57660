package preset_test

import (
	"context"
	"encoding/json"
	"errors"
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

// shelf is a tenant of a store in a file of the test's own.
func shelf(t testing.TB) *store.Tenant {
	t.Helper()
	return shelfStore(t).Tenant("")
}

func shelfStore(t testing.TB) *store.Store {
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
	return s
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
	if !strings.HasSuffix(view, "\n\n[tool output truncated; the rest can be expanded; ref="+ref.ID+"]") || len(view) > 51_200+100 {
		t.Errorf("view of %d bytes ends in %q", len(view), view[max(0, len(view)-60):])
	}
	content, err := archive.Content(t.Context(), ref.ID)
	if err != nil || plimsoll.TextOf(content) != large {
		t.Errorf("the store has %d bytes, error %v", len(plimsoll.TextOf(content)), err)
	}
}

// TestO04_O05_R07_EveryOutputIsStoredWhenItArrives: the small one too, which stays as it
// is, and a later request stores only what is new.
func TestO04_O05_R07_EveryOutputIsStoredWhenItArrives(t *testing.T) {
	t.Parallel()
	archive := &counting{Archive: shelf(t)}
	k := keeper(t, "agent", &preset.Options{Archive: archive})
	outputs := []string{"small", strings.Repeat("a line of output\n", 10_000), "三つ目"}
	for n := 1; n <= len(outputs); n++ {
		archive.puts = 0
		plan, err := k.Fit(t.Context(), fit.Task{Conversation: toolRounds(outputs[:n]...)})
		if err != nil {
			t.Fatal(err)
		}
		if len(plan.Outputs) != n {
			t.Fatalf("%d references for %d outputs", len(plan.Outputs), n)
		}
		for i, o := range plan.Outputs {
			content, err := archive.Content(t.Context(), o.Ref.ID)
			if err != nil || plimsoll.TextOf(content) != outputs[i] || o.Message != 2*i+2 || o.Ref.Bytes != int64(len(outputs[i])) {
				t.Errorf("output %d: %+v, error %v", i, o, err)
			}
		}
		// A cut output is stored with each request that needs it.
		if cut := min(n/2, 1); archive.puts > 1+cut {
			t.Errorf("request %d stored %d outputs", n, archive.puts)
		}
	}
	data, err := json.Marshal(plimsoll.OutputRef{Message: 2, Ref: plimsoll.Ref{ID: "x", Bytes: 5, Lines: 1}})
	if want := `{"message":2,"part":0,"output_ref":{"id":"x","byte_size":5,"line_count":1}}`; err != nil || string(data) != want {
		t.Errorf("%s, want %s", data, want)
	}
}

// counting counts what is stored.
type counting struct {
	fit.Archive
	puts int
}

func (c *counting) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	c.puts++
	return c.Archive.Put(ctx, content)
}

func TestO06_ALightLongLineIsCut(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("=", 3000)
	plan, err := keeper(t, "agent", &preset.Options{Archive: shelf(t)}).Fit(t.Context(), fit.Task{Conversation: toolRounds(line)})
	if err != nil {
		t.Fatal(err)
	}
	got := results(plan.Conversation())[0]
	want := strings.Repeat("=", 2000) + "\n\n[tool output truncated; the rest can be expanded; ref=" + plan.Outputs[0].Ref.ID + "]"
	if text := plimsoll.TextOf(got.Content); text != want {
		t.Errorf("%d characters, end in %q", len(text), text[max(0, len(text)-80):])
	}
}

func TestO07_TheOldestGoesFirstEvenIfItReportsAFailure(t *testing.T) {
	t.Parallel()
	var outputs []string
	for i := range 10 {
		outputs = append(outputs, fmt.Sprintf("output %d\n", i)+strings.Repeat("word word word word\n", 1_000))
	}
	outputs[0] = "error: exit status 1\n" + outputs[0]
	plan, err := keeper(t, "agent", &preset.Options{Window: 128_000}).Fit(t.Context(), fit.Task{Conversation: toolRounds(outputs...)})
	if err != nil {
		t.Fatal(err)
	}
	cleared := 0
	for i, r := range results(plan.Conversation()) {
		if plimsoll.TextOf(r.Content) == "[tool output trimmed]" {
			if cleared++; cleared != i+1 {
				t.Errorf("output %d is cleared and an older one is not", i)
			}
		}
	}
	if cleared == 0 {
		t.Error("nothing was cleared")
	}
}

func TestO07_ACutForASmallWindowIsNotRepeatedInALargeOne(t *testing.T) {
	t.Parallel()
	var outputs []string
	for range 6 {
		outputs = append(outputs, strings.Repeat("word word word word\n", 1_500))
	}
	archive := shelf(t)
	for i, window := range []int{100_000, 1_000_000} {
		want := []int{3, 0}[i]
		k := keeper(t, "agent", &preset.Options{Window: window, Archive: archive, Memory: archive.Memory()})
		for range 2 {
			plan, err := k.Fit(t.Context(), fit.Task{Conversation: toolRounds(outputs...)})
			if err != nil {
				t.Fatal(err)
			}
			if len(plan.Edits) != want {
				t.Errorf("%d outputs are trimmed in a window of %d, want %d", len(plan.Edits), window, want)
			}
		}
	}
}

// TestO10_AReferenceThatACompactionTookOutCanBeCollected is the text's own case: an output
// is trimmed, then a compaction replaces its message by a summary.
func TestO10_AReferenceThatACompactionTookOutCanBeCollected(t *testing.T) {
	t.Parallel()
	s := shelfStore(t)
	archive := s.Tenant("")
	collected := func() int64 {
		report, err := s.GC(t.Context(), store.Policy{Unreferenced: true, Grace: -1}, false)
		if err != nil {
			t.Fatal(err)
		}
		return report.Unreferenced.Objects
	}
	k := keeper(t, "agent", &preset.Options{Window: 40_000, Archive: archive, Memory: archive.Memory()})
	c := toolRounds(strings.Repeat("the oldest output\n", 4000), strings.Repeat("the newest output\n", 3000))
	plan, err := k.Fit(t.Context(), fit.Task{Conversation: c})
	if err != nil {
		t.Fatal(err)
	}
	old := plan.Outputs[0].Ref.ID
	if got := plimsoll.TextOf(results(plan.Conversation())[0].Content); got != "[tool output trimmed; ref="+old+"]" {
		t.Fatalf("the oldest output became %.80q", got)
	}
	collected()
	if _, err := archive.Content(t.Context(), old); err != nil {
		t.Fatalf("what a placeholder names was collected: %v", err)
	}
	messages := append(c.Messages.Slice(), plimsoll.Say(plimsoll.Assistant, "Done."), plimsoll.Say(plimsoll.User, strings.Repeat("and now something else ", 6000)))
	c.Messages = plimsoll.ListOf(messages...)
	if plan, err = k.Fit(t.Context(), fit.Task{Conversation: c}); err != nil {
		t.Fatal(err)
	}
	if n := len(results(plan.Conversation())); n != 0 {
		t.Fatalf("%d outputs are left after the compaction: %v", n, plan.Rungs)
	}
	if n := collected(); n == 0 {
		t.Error("nothing was collected")
	}
	if _, err := archive.Content(t.Context(), old); !errors.Is(err, plimsoll.ErrNotFound) {
		t.Errorf("the reference that nothing names still resolves: %v", err)
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
