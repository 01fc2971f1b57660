package toolbox_test

import (
	"context"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
)

// TestModelsUseTheToolsInEveryDialect lets a model read, list, search, run a command and
// ask a server, one after the other.
func TestModelsUseTheToolsInEveryDialect(t *testing.T) {
	t.Parallel()
	for _, spec := range []string{"openai:gpt-5", "responses:gpt-4o", "anthropic:claude-sonnet-4-5", "gemini:gemini-2.5-flash"} {
		t.Run(spec, func(t *testing.T) {
			t.Parallel()
			after := func(tool, contains string, s scripted.Step) scripted.Step {
				s.On = scripted.On{End: scripted.EndTool, Tool: tool, Contains: contains}
				return s
			}
			server := httptest.NewServer(scripted.New(&scripted.Options{Script: scripted.Steps(
				scripted.Use("list", `{}`),
				after("list", "notes.txt 30", scripted.Use("read", `{"path":"notes.txt"}`)),
				after("read", "two ships", scripted.Use("grep", `{"pattern":"Quay"}`)),
				after("grep", "berths/plan.go:3", scripted.Use("run", `{"command":"echo ahoy"}`)),
				after("run", "ahoy", scripted.Use("tides_high_water", `{"quay":"4"}`)),
				after("tides_high_water", "high at noon", scripted.Use("tides_chart", `{}`)),
				after("tides_chart", "left out", scripted.Say("All is well.")),
			)}))
			t.Cleanup(server.Close)
			box := open(t, harbour(t), &toolbox.Options{Servers: map[string]string{"tides": served(t)}})
			p, err := chat.ParseParticipant(spec+"@"+server.URL, func(string) string { return "" })
			if err != nil {
				t.Fatal(err)
			}
			o, err := preset.Auto(nil)
			if err != nil {
				t.Fatal(err)
			}
			keeper, err := fit.New(o)
			if err != nil {
				t.Fatal(err)
			}
			engine, err := chat.New(t.Context(), &chat.Options{
				Participants: []chat.Participant{p}, Tools: box,
				Keeper: func(string) (*fit.Keeper, error) { return keeper, nil },
			})
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = engine.Close() })
			var asked []string
			engine.Attend(chat.Desk{Confirm: func(_ context.Context, c chat.Confirmation) bool {
				asked = append(asked, c.Action)
				return true
			}})
			var called []string
			var answered string
			err = engine.Do(t.Context(), "How is the harbour?", func(e chat.Event) {
				switch e := e.(type) {
				case chat.Called:
					called = append(called, e.Tool)
				case chat.Answered:
					answered = e.Text
				case chat.Failed:
					t.Error(e.Err)
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(called, " "); got != "list read grep run tides_high_water tides_chart" || answered != "All is well." {
				t.Errorf("called %s, answered %q", got, answered)
			}
			if len(asked) != 1 || asked[0] != "echo ahoy" {
				t.Errorf("asked %q", asked)
			}
		})
	}
}
