package main

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary"
)

const window = 6000

// project makes a directory of sources to explore.
func project(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for i := range 60 {
		folder := filepath.Join(dir, fmt.Sprintf("quay%d", i/10))
		if err := os.MkdirAll(folder, 0o750); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		fmt.Fprintf(&b, "package quay%d\n", i/10)
		for j := range 20 {
			fmt.Fprintf(&b, "\n// moorShip%d_%d takes ship %d to berth %d of this quay.\nfunc moorShip%d_%d(ship int) error {\n\treturn berths[%d].take(ship)\n}\n", i, j, j, i*j, i, j, i*j)
		}
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("berth%d.go", i)), []byte(b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func noEnv(string) string { return "" }

// TestC12_AnAgentWorksForManyRoundsAndNeverOverflows runs the whole program against a
// server that refuses what the real one refuses.
func TestC12_AnAgentWorksForManyRoundsAndNeverOverflows(t *testing.T) {
	t.Parallel()
	for _, stored := range []bool{false, true} {
		t.Run(fmt.Sprintf("with a store %v", stored), func(t *testing.T) {
			t.Parallel()
			dir := project(t)
			model := scripted.New(&scripted.Options{Window: window, Script: explore(150)})
			server := httptest.NewServer(model)
			defer server.Close()
			args := []string{"--url", server.URL + "/v1", "--model", "gpt-4o", "--window", fmt.Sprint(window), "--dir", dir}
			if stored {
				args = append(args, "--store", filepath.Join(t.TempDir(), "kept.db"))
			}
			var out, progress strings.Builder
			getenv := func(key string) string { return map[string]string{"OPENAI_API_KEY": "key"}[key] }
			if err := run(t.Context(), append(args, "Where do ships moor?"), getenv, &out, &progress); err != nil {
				t.Fatalf("%v\n%s", err, progress.String())
			}
			if got := out.String(); !strings.HasPrefix(got, "I looked at 60 files") {
				t.Errorf("answered %q", got)
			}
			if !strings.Contains(progress.String(), "compaction: COMPRESSED") {
				t.Errorf("the user was told of no compaction")
			}
			log := model.Log()
			checkLog(t, log)
			if got, want := log[0].Call.Conversation.Tools.Len(), map[bool]int{false: 4, true: 6}[stored]; got != want {
				t.Errorf("%d tools are offered, want %d", got, want)
			}
		})
	}
}

// checkLog looks at what the model saw.
func checkLog(t *testing.T, log []scripted.Exchange) {
	t.Helper()
	checkpoints := 0
	for i, e := range log {
		if e.Status != 200 || e.Overflow || len(e.Violations) > 0 {
			t.Fatalf("request %d: status %d, %s", i, e.Status, e.Refusal)
		}
		if e.Header.Get("Authorization") != "Bearer key" {
			t.Errorf("request %d has no key", i)
		}
		asked := false
		for _, m := range e.Call.Conversation.Messages.All() {
			asked = asked || strings.Contains(m.Text(), "Where do ships moor?")
			if summary.IsCheckpoint(m) {
				checkpoints++
				break
			}
		}
		if !asked {
			t.Errorf("request %d does not say what was asked", i)
		}
	}
	if len(log) < 60 || checkpoints == 0 {
		t.Errorf("%d requests, %d of them with a checkpoint", len(log), checkpoints)
	}
}

// recorder notes what the loop asks the keeper.
type recorder struct {
	*fit.Keeper
	asked []string
}

func (r *recorder) note(name string, t fit.Task) {
	last := t.Conversation.Messages.At(t.Conversation.Messages.Len() - 1)
	r.asked = append(r.asked, name+" behind "+string(last.Role))
}

func (r *recorder) Fit(ctx context.Context, t fit.Task) (*plimsoll.Plan, error) {
	r.note("fit", t)
	return r.Keeper.Fit(ctx, t)
}

func (r *recorder) AfterModel(ctx context.Context, t fit.Task, u plimsoll.Usage) (*fit.Compaction, error) {
	r.note(fmt.Sprintf("after a model that billed something (%v)", u.Prompt() > 0 && u.Output > 0), t)
	return r.Keeper.AfterModel(ctx, t, u)
}

func (r *recorder) AfterTools(ctx context.Context, t fit.Task) (*fit.Compaction, error) {
	r.note("after tools", t)
	return r.Keeper.AfterTools(ctx, t)
}

func (r *recorder) BeforeReturn(ctx context.Context, t fit.Task) (*fit.Compaction, error) {
	r.note("before the return", t)
	return r.Keeper.BeforeReturn(ctx, t)
}

func TestC12_TheLoopAsksAfterTheModelAfterToolsAndOnceBeforeTheReturn(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(scripted.New(&scripted.Options{Script: scripted.Steps(
		scripted.Step{Text: "two at once", Calls: []plimsoll.ToolCall{{Name: "list_files", Arguments: `{"path":"."}`}, {Name: "unknown"}}},
		scripted.Use("list_files", `{"path":"quay0"}`),
		scripted.Say("There."),
	)}))
	defer server.Close()
	keeper, err := newKeeper(&preset.Options{Window: window}, io.Discard)
	if err != nil {
		t.Fatal(err)
	}
	defer keeper.Close()
	tools, err := openTools(project(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.close)
	r := &recorder{Keeper: keeper}
	a := &agent{model: &client{url: server.URL + "/v1"}, keeper: r, tools: tools, rounds: 9, progress: io.Discard}
	answer, err := a.work(t.Context(), newHistory("gpt-4o", tools), "Where?")
	if err != nil || answer != "There." {
		t.Fatalf("%q, %v", answer, err)
	}
	round := []string{"after a model that billed something (true) behind assistant", "after tools behind tool", "fit behind tool"}
	want := append([]string{"fit behind user"}, round...)
	want = append(append(want, round...), "after a model that billed something (true) behind assistant", "before the return behind assistant")
	if diff := cmp.Diff(want, r.asked); diff != "" {
		t.Errorf("asked (-want +got):\n%s", diff)
	}
}

// forcer compacts at one of the places, whatever the load is.
type forcer struct {
	*fit.Keeper
	behind plimsoll.Role
}

func (f *forcer) compact(ctx context.Context, t fit.Task) (*fit.Compaction, error) {
	last := t.Conversation.Messages.At(t.Conversation.Messages.Len() - 1)
	return f.Compact(ctx, t, fit.CompactOptions{Force: last.Role == f.behind})
}

func (f *forcer) AfterModel(ctx context.Context, t fit.Task, _ plimsoll.Usage) (*fit.Compaction, error) {
	return f.compact(ctx, t)
}

func (f *forcer) AfterTools(ctx context.Context, t fit.Task) (*fit.Compaction, error) {
	return f.compact(ctx, t)
}

func TestC12_TheLoopGoesOnWithWhatWasCompacted(t *testing.T) {
	t.Parallel()
	for _, behind := range []plimsoll.Role{plimsoll.Assistant, plimsoll.ToolRole} {
		t.Run("behind "+string(behind), func(t *testing.T) {
			t.Parallel()
			var steps []scripted.Step
			for i := range 8 {
				steps = append(steps, use("", "read_file", arguments{Path: fmt.Sprintf("quay0/berth%d.go", i)}))
			}
			model := scripted.New(&scripted.Options{Script: scripted.Steps(append(steps, scripted.Say("There."))...)})
			server := httptest.NewServer(model)
			defer server.Close()
			keeper, err := newKeeper(&preset.Options{Window: 16_000}, io.Discard)
			if err != nil {
				t.Fatal(err)
			}
			defer keeper.Close()
			tools, err := openTools(project(t))
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(tools.close)
			a := &agent{
				model: &client{url: server.URL + "/v1"}, tools: tools, rounds: 20, progress: io.Discard,
				keeper: &forcer{Keeper: keeper, behind: behind},
			}
			if _, err := a.work(t.Context(), newHistory("gpt-4o", tools), "Where?"); err != nil {
				t.Fatal(err)
			}
			log := model.Log()
			last := log[len(log)-1]
			found := false
			for _, m := range last.Call.Conversation.Messages.All() {
				found = found || summary.IsCheckpoint(m)
			}
			if !found || last.Status != 200 {
				t.Errorf("the last of %d requests has status %d and a checkpoint %v", len(log), last.Status, found)
			}
		})
	}
}

func TestTheScriptedAgentNeedsNoKeyAndNoNetwork(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	if err := run(t.Context(), []string{"--scripted", "--dir", project(t)}, noEnv, &out, io.Discard); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(out.String(), "I looked at 60 files") {
		t.Errorf("answered %q", out.String())
	}
}

func TestWhatGoesWrongIsSaidWithARemedy(t *testing.T) {
	t.Parallel()
	serve := func(s scripted.Step) string {
		s.Again = true
		server := httptest.NewServer(scripted.New(&scripted.Options{Script: scripted.Steps(s)}))
		t.Cleanup(server.Close)
		return server.URL + "/v1"
	}
	locked := serve(scripted.Step{Fault: &scripted.Fault{Status: 401, Message: "no key"}})
	endless := serve(scripted.Use("list_files", `{"path":"."}`))
	broken := serve(scripted.Step{Fault: &scripted.Fault{Status: 503, Message: "try later"}})
	for _, tt := range []struct {
		name       string
		args       []string
		want, hint string
	}{
		{"no task", nil, "no task", "say what to do"},
		{"no job", []string{"--job", "none"}, "read the job", "--job"},
		{"a job and a task", []string{"--job", "none", "x"}, "something else to do", "--job alone"},
		{"no directory", []string{"--dir", "none", "x"}, "open the directory", "--dir"},
		{"a model that nobody knows", []string{"--model", "nobody/knows", "x"}, "unknown model", "window"},
		{"no key", []string{"--url", locked, "x"}, "401", "OPENAI_API_KEY"},
		{"no end", []string{"--url", endless, "--rounds", "3", "x"}, "3 model calls", "--rounds"},
		{"a server that fails", []string{"--url", broken, "x"}, "try later", ""},
		{"no server", []string{"--url", "http://127.0.0.1:1/v1", "x"}, "call the model", "--scripted"},
		{"no address", []string{"--url", ":", "x"}, "call the model", "--url"},
		{"a window that nothing fits into", []string{"--window", "50", "x"}, "exceed", "tools"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			err := run(t.Context(), tt.args, noEnv, io.Discard, io.Discard)
			if err == nil || !strings.Contains(err.Error(), tt.want) || !strings.Contains(plimsoll.HintOf(err), tt.hint) {
				t.Errorf("error %v, hint %q", err, plimsoll.HintOf(err))
			}
		})
	}
}
