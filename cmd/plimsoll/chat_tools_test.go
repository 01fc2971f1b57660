package main

import (
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// TestChatTools runs testdata/chat-tools, with the command "user NAME [TOOL ARGUMENTS]…",
// which sets a variable to the address of a model that uses these tools, one after the
// other, and then says what the last one answered. "{ref}" in arguments is the reference
// in the answer before.
func TestChatTools(t *testing.T) {
	t.Parallel()
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/chat-tools",
		UpdateScripts:       *update,
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			env.Setenv("LANG", "C.UTF-8")
			env.Setenv("GORACE", noSleep)
			return nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){"exits": exits, "user": serveUser},
	})
}

func serveUser(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args)%2 != 1 {
		ts.Fatalf("usage: user NAME [TOOL ARGUMENTS]...")
	}
	var mu sync.Mutex
	used := 0
	server := httptest.NewServer(scripted.New(&scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		mu.Lock()
		defer mu.Unlock()
		if c.End() == scripted.EndUser {
			used = 0
		}
		said := "nothing"
		for _, r := range c.Results() {
			said = plimsoll.TextOf(r.Content)
		}
		if calls := args[1:]; 2*used < len(calls) {
			used++
			_, ref, _ := strings.Cut(said, "; ref=")
			ref, _, _ = strings.Cut(ref, "]")
			return scripted.Use(calls[2*used-2], strings.ReplaceAll(calls[2*used-1], "{ref}", ref)), true
		}
		return scripted.Say("It says: " + strings.TrimSpace(said)), true
	}}))
	ts.Defer(server.Close)
	ts.Setenv(args[0], server.URL)
}

func TestCommandsOfModelsSeeNoKeys(t *testing.T) {
	t.Parallel()
	got := withoutKeys([]string{"PATH=/bin", "OPENAI_API_KEY=a", "GEMINI_API_KEY=b", "GOOGLE_API_KEY=c", "ANTHROPIC_API_KEY=d", "HOME=/"})
	if strings.Join(got, " ") != "PATH=/bin HOME=/" {
		t.Errorf("they see %q", got)
	}
}
