package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// doors is one store with every way in to the engine: the library, the command line, the
// API and the proxy, all with the same settings.
type doors struct {
	t       *testing.T
	dialect plimsoll.Dialect
	store   string
	config  string
	proxy   *node
	// sent is what the upstream of the proxy got last.
	sent []byte
}

const doorWindow = 9000

// newStore returns an empty store. Its key gives references their names, so copies of it
// name the same content alike.
func newStore(t *testing.T) []byte {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	db, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), db, nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return file
}

func newDoors(t *testing.T, d plimsoll.Dialect, empty []byte, settings string) *doors {
	t.Helper()
	dir := t.TempDir()
	w := &doors{t: t, dialect: d, store: filepath.Join(dir, "store.db"), config: filepath.Join(dir, "plimsoll.yaml")}
	text := fmt.Sprintf("window: %d\nstore: %q\nexpand: off\nserve: {tenants: one}\n%s", doorWindow, w.store, settings)
	if err := os.WriteFile(w.config, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(w.store, empty, 0o600); err != nil {
		t.Fatal(err)
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		w.sent, _ = io.ReadAll(r.Body)
		rw.Header().Set("Content-Type", "application/json")
		_, _ = io.WriteString(rw, "{}")
	}))
	t.Cleanup(upstream.Close)
	w.proxy = startNode(t, []string{"PLIMSOLL_CONFIG=" + w.config, "PLIMSOLL_ADMIN_TOKEN=open sesame"}, "--upstream", upstream.URL)
	return w
}

// outcome is what a way in made of a request.
type outcome struct {
	Before, After int
	Body          string
}

func (w *doors) library(body []byte) outcome {
	w.t.Helper()
	db, err := sqlite.Open(w.t.Context(), w.store, nil)
	w.must(err)
	s, err := store.New(w.t.Context(), db, nil)
	w.must(err)
	defer func() { w.must(s.Close()) }()
	k, r := w.keeper(), w.decode(body)
	tenant := s.Tenant("")
	plan, err := k.Fit(w.t.Context(), preset.Task(r, preset.Client{Tenant: tenant.Key(), Archive: tenant, Memory: tenant.Memory()}))
	w.must(err)
	sent, err := preset.Body(r, plan)
	w.must(err)
	return outcome{plan.Before.Total, plan.After.Total, string(sent)}
}

func (w *doors) keeper() *fit.Keeper {
	options, err := preset.Auto(&preset.Options{Window: doorWindow, Serving: true})
	w.must(err)
	k, err := fit.New(options)
	w.must(err)
	return k
}

func (w *doors) decode(body []byte) *wire.Request {
	r, err := dialects.Codec(w.dialect).Decode(body)
	w.must(err)
	return r
}

func (w *doors) command(body []byte) outcome {
	w.t.Helper()
	report := filepath.Join(w.t.TempDir(), "report.json")
	cmd := exec.CommandContext(w.t.Context(), "plimsoll", "fit", "--dialect", string(w.dialect), "--report", report, "-")
	cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
	var out, failure bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = bytes.NewReader(body), &out, &failure
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("fit: %v\n%s", err, failure.String())
	}
	var plan plimsoll.Plan
	text, err := os.ReadFile(report)
	w.must(err)
	w.must(json.Unmarshal(text, &plan))
	return outcome{plan.Before.Total, plan.After.Total, out.String()}
}

func (w *doors) api(body []byte) outcome {
	w.t.Helper()
	resp, answer := call(w.t, http.MethodPost, w.proxy.url+"/plimsoll/v1/fit", body, map[string]string{"Authorization": "Bearer open sesame"})
	var got struct {
		Request json.RawMessage
		Report  plimsoll.Plan
	}
	if err := json.Unmarshal(answer, &got); err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("status %d, %v: %.300s", resp.StatusCode, err, answer)
	}
	return outcome{got.Report.Before.Total, got.Report.After.Total, string(got.Request)}
}

func (w *doors) proxied(body []byte) outcome {
	w.t.Helper()
	path := apiPaths[w.dialect][0]
	resp, answer := call(w.t, http.MethodPost, w.proxy.url+path, body, map[string]string{"Authorization": "Bearer sk-1"})
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("status %d: %s", resp.StatusCode, answer)
	}
	after, saved := w.number(resp.Header.Get("X-Plimsoll-Load")), w.number(resp.Header.Get("X-Plimsoll-Saved"))
	return outcome{after + saved, after, string(w.sent)}
}

func (w *doors) number(text string) int {
	w.t.Helper()
	n, err := strconv.Atoi(strings.ReplaceAll(text, ",", ""))
	w.must(err)
	return n
}

func (w *doors) must(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// TestEveryWayInCutsAlike gives the same conversation to every way in, each on a store of
// its own with the same key: the counts, the cut and the bytes must be the same. A command
// fits a file once and need not leave room for what follows, so its own cut is not as
// deep; its count is the same, and on one store it replays the cut of the others.
func TestEveryWayInCutsAlike(t *testing.T) {
	t.Parallel()
	for _, d := range []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			body, empty := agentRequest(t, d, 60), newStore(t)
			want := newDoors(t, d, empty, "").library(body)
			if want.After >= want.Before {
				t.Fatalf("%d tokens became %d: nothing was cut", want.Before, want.After)
			}
			for name, got := range map[string]outcome{
				"the API":   newDoors(t, d, empty, "").api(body),
				"the proxy": newDoors(t, d, empty, "").proxied(body),
			} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s differs from the library (-library +got):\n%s", name, diff)
				}
			}
			if got := newDoors(t, d, empty, "").command(body); got.Before != want.Before || got.After >= got.Before {
				t.Errorf("the command line counts %d and comes down to %d, the library counts %d", got.Before, got.After, want.Before)
			}
		})
	}
}

// TestEveryWayInSeesWhatTheOthersDid lets one way in cut a conversation after another on
// one store: each must send the very bytes of the first. After the API or a command has
// undone the compaction, the proxy must make a new one.
func TestEveryWayInSeesWhatTheOthersDid(t *testing.T) {
	t.Parallel()
	w := newDoors(t, plimsoll.OpenAI, newStore(t), "method: summary\n")
	body := agentRequest(t, plimsoll.OpenAI, 60)
	first := w.proxied(body)
	for name, again := range map[string]func([]byte) outcome{"the API": w.api, "the command line": w.command, "the library": w.library, "the proxy": w.proxied} {
		if diff := cmp.Diff(first, again(body)); diff != "" {
			t.Errorf("%s does not send what the proxy sent first (-first +again):\n%s", name, diff)
		}
	}
	ref := regexp.MustCompile(`kept as ref=(\w+)`).FindStringSubmatch(first.Body)
	if ref == nil {
		t.Fatal("there is no checkpoint to undo")
	}
	decision := func() string {
		resp, _ := call(t, http.MethodPost, w.proxy.url+apiPaths[w.dialect][0], body, map[string]string{"Authorization": "Bearer sk-1"})
		return resp.Header.Get("X-Plimsoll-Decision")
	}
	if got := decision(); got != "recall" {
		t.Errorf("before the undo the proxy's decision is %q, want recall", got)
	}
	undo := map[string]func(ref string){
		"the API": func(ref string) {
			resp, answer := call(t, http.MethodPost, w.proxy.url+"/plimsoll/v1/undo?ref="+ref, body, map[string]string{"Authorization": "Bearer open sesame"})
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("undo: status %d: %s", resp.StatusCode, answer)
			}
		},
		"the command line": func(ref string) {
			cmd := exec.CommandContext(t.Context(), "plimsoll", "compact", "--undo", ref, "-")
			cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
			cmd.Stdin = bytes.NewReader(body)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("undo: %v\n%.300s", err, out)
			}
		},
	}
	for name, undo := range undo {
		undo(ref[1])
		if got := decision(); got != "compact" {
			t.Errorf("after %s has undone it the proxy's decision is %q, want compact", name, got)
		}
	}
}
