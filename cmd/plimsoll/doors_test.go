package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// doors is one store with every way in to the engine: the library, the command line, the
// API, the proxy and the chat, all with the same settings. `plimsoll replay` has no store.
type doors struct {
	t       *testing.T
	dialect plimsoll.Dialect
	store   string
	config  string
	// preset and method are what the settings say, for the library.
	preset, method string
	proxy          *node
	// sent is what the upstream of the proxy got last.
	sent []byte
	// model answers the chat, and remembers what it got.
	model    *scripted.Model
	modelURL string
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
	w.model = scripted.New(nil)
	model := httptest.NewServer(w.model)
	t.Cleanup(model.Close)
	w.modelURL = model.URL
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
	options, err := preset.Named(w.preset, &preset.Options{Window: doorWindow, Serving: true, Method: w.method})
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
	resp, answer := call(w.t, http.MethodPost, w.proxy.url+"/plimsoll/v1/fit?dialect="+string(w.dialect), body, map[string]string{"Authorization": "Bearer open sesame"})
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

// chat continues a session whose newest question has no answer yet. It returns what the
// model got, and what the chat said about it.
func (w *doors) chat(session []byte, arguments ...string) (sent []byte, remarks string) {
	w.t.Helper()
	dir := strings.TrimSuffix(w.store, ".db") + ".chats"
	w.must(os.MkdirAll(dir, 0o700))
	w.must(os.WriteFile(filepath.Join(dir, "door.jsonl"), session, 0o600))
	names := map[plimsoll.Dialect]string{
		plimsoll.OpenAI: "openai:gpt-4o", plimsoll.Responses: "responses:gpt-4o",
		plimsoll.Anthropic: "anthropic:claude-sonnet-4-5", plimsoll.Gemini: "gemini:gemini-2.5-flash",
	}
	participant := "model=" + names[w.dialect] + "@" + w.modelURL
	cmd := exec.CommandContext(w.t.Context(), "plimsoll", append([]string{"chat", "--session", "door", "-m", participant}, append(arguments, "/retry")...)...)
	cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("chat: %v\n%s", err, said.String())
	}
	log := w.model.Log()
	return log[len(log)-1].Body, said.String()
}

// chatted is the outcome of a chat whose request must be cut.
func (w *doors) chatted(session []byte) outcome {
	w.t.Helper()
	sent, remarks := w.chat(session)
	figures := regexp.MustCompile(`: ≈?([\d,]+) → ≈?([\d,]+) tokens`).FindStringSubmatch(remarks)
	if figures == nil {
		w.t.Fatalf("the chat does not say that it cuts:\n%s", remarks)
	}
	return outcome{w.number(figures[1]), w.number(figures[2]), string(sent)}
}

// chatSession is an agent's work as a session of the chat: old turns with their calls and
// results, and a question without an answer.
func chatSession(t *testing.T, d plimsoll.Dialect) []byte {
	t.Helper()
	type reply struct {
		Participant, Model string
		Dialect            plimsoll.Dialect
		Text               string
		Rounds             json.RawMessage
	}
	type turn struct {
		Question string
		To       []string
		Replies  []reply `json:",omitempty"`
	}
	var all []turn
	for work := agentAtWork(60).Messages.Slice()[1:]; len(work) > 0; work = work[12:] { // six rounds
		i := len(all)
		answer := plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("Quay %d is deep enough.", i))
		rounds, err := wiretest.Rewrite(dialects.Codec(d), plimsoll.Conversation{Messages: plimsoll.ListOf(append(slices.Clone(work[:12]), answer)...)})
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, turn{fmt.Sprintf("Is quay %d deep enough?", i), []string{"model"}, []reply{{"model", "any", d, "It is.", rounds}}})
	}
	all = append(all, turn{"And what is open?", []string{"model"}, nil})
	line, err := json.Marshal(map[string]any{"kind": "turns", "what": "loading", "turns": all})
	if err != nil {
		t.Fatal(err)
	}
	return line
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
			// The chat writes its requests itself: without a limit it sends the whole one.
			session := chatSession(t, d)
			whole, _ := newDoors(t, d, empty, "").chat(session, "--limit", "200000")
			want = newDoors(t, d, empty, "").library(whole)
			for name, got := range map[string]outcome{
				"the chat":  newDoors(t, d, empty, "").chatted(session),
				"the proxy": newDoors(t, d, empty, "").proxied(whole),
			} {
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("%s differs from the library (-library +got):\n%s", name, diff)
				}
			}
		})
	}
}

// TestEveryWayInRecollectsAlike asks for something that was told early in a long chat. The
// library, the API, the proxy and the chat quote it in the same bytes, and on one store
// the command line sends those of the proxy.
func TestEveryWayInRecollectsAlike(t *testing.T) {
	t.Parallel()
	type reply struct{ Participant, Model, Dialect, Text string }
	type turn struct {
		Question string
		To       []string
		Replies  []reply `json:",omitempty"`
	}
	for _, d := range []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini} {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			var all []turn
			messages := talk("en", 150).Messages.Slice()[1:]
			for i := 0; i+1 < len(messages); i += 2 {
				all = append(all, turn{messages[i].Text(), []string{"model"}, []reply{{"model", "any", string(d), messages[i+1].Text()}}})
			}
			all = append(all, turn{"At which quay does ship 12 lie, as plan_12.csv says?", []string{"model"}, nil})
			session, err := json.Marshal(map[string]any{"kind": "turns", "what": "loading", "turns": all})
			if err != nil {
				t.Fatal(err)
			}
			empty := newStore(t)
			whole, _ := newDoors(t, d, empty, "").chat(session, "--limit", "200000")
			shared := newDoors(t, d, empty, "")
			proxied := shared.proxied(whole)
			if !strings.Contains(proxied.Body, plimsoll.RecollectionOpening) {
				t.Fatal("nothing is brought back")
			}
			got := map[string]outcome{
				"the API": newDoors(t, d, empty, "").api(whole), "the chat": newDoors(t, d, empty, "").chatted(session),
				"the library": newDoors(t, d, empty, "").library(whole),
			}
			if d == plimsoll.OpenAI || d == plimsoll.Responses { // the body names the model
				got["the command line"] = shared.command(whole)
			}
			for name, got := range got {
				if diff := cmp.Diff(proxied, got); diff != "" {
					t.Errorf("%s differs from the proxy (-proxy +got):\n%s", name, diff)
				}
			}
			if off := newDoors(t, d, empty, "recollect: off\n").proxied(whole); strings.Contains(off.Body, plimsoll.RecollectionOpening) {
				t.Error("the setting does not switch it off")
			}
		})
	}
}

// TestEveryWayInSeesWhatTheOthersDid lets one way in cut a conversation after another on
// one store: each must send the very bytes of the first. After the API or a command has
// undone the compaction, the proxy and the chat must make a new one.
func TestEveryWayInSeesWhatTheOthersDid(t *testing.T) {
	t.Parallel()
	w := newDoors(t, plimsoll.OpenAI, newStore(t), "method: summary\n")
	w.method = preset.MethodSummary
	body := agentRequest(t, plimsoll.OpenAI, 60)
	first := w.proxied(body)
	for name, again := range map[string]func([]byte) outcome{"the API": w.api, "the command line": w.command, "the library": w.library, "the proxy": w.proxied} {
		if diff := cmp.Diff(first, again(body)); diff != "" {
			t.Errorf("%s does not send what the proxy sent first (-first +again):\n%s", name, diff)
		}
	}
	checkpoint := regexp.MustCompile(`kept as ref=(\w+)`)
	ref := checkpoint.FindStringSubmatch(first.Body)
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
	undo := map[string]func(ref string, body []byte){
		"the API": func(ref string, body []byte) {
			resp, answer := call(t, http.MethodPost, w.proxy.url+"/plimsoll/v1/undo?ref="+ref, body, map[string]string{"Authorization": "Bearer open sesame"})
			if resp.StatusCode != http.StatusOK {
				t.Fatalf("undo: status %d: %s", resp.StatusCode, answer)
			}
		},
		"the command line": func(ref string, body []byte) {
			cmd := exec.CommandContext(t.Context(), "plimsoll", "compact", "--undo", ref, "-")
			cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
			cmd.Stdin = bytes.NewReader(body)
			if out, err := cmd.CombinedOutput(); err != nil {
				t.Fatalf("undo: %v\n%.300s", err, out)
			}
		},
	}
	for name, undo := range undo {
		undo(ref[1], body)
		if got := decision(); got != "compact" {
			t.Errorf("after %s has undone it the proxy's decision is %q, want compact", name, got)
		}
	}

	// The chat recalls what the proxy did with its request, and compacts again what
	// another one has undone.
	session := chatSession(t, w.dialect)
	body, _ = w.chat(session, "--limit", "200000")
	first = w.proxied(body)
	if ref = checkpoint.FindStringSubmatch(first.Body); ref == nil {
		t.Fatal("there is no checkpoint in the chat")
	}
	compacts := func() (string, bool) {
		sent, remarks := w.chat(session)
		return string(sent), strings.Contains(remarks, "will become a summary")
	}
	if sent, made := compacts(); made || sent != first.Body {
		t.Errorf("the chat does not send what the proxy made of its request; it says that it makes another summary: %v", made)
	}
	for name, undo := range undo {
		undo(ref[1], body)
		if _, made := compacts(); !made {
			t.Errorf("after %s has undone it the chat compacts nothing", name)
		}
		if _, made := compacts(); made {
			t.Errorf("the chat does not recall what it made after %s had undone the first", name)
		}
	}
}

// plainNames is an archive whose references are the same in every run.
type plainNames struct{}

func (plainNames) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	text := plimsoll.TextOf(content)
	return plimsoll.Ref{ID: fmt.Sprintf("%x", sha256.Sum256([]byte(text)))[:26], Bytes: int64(len(text)), Lines: int64(strings.Count(text, "\n") + 1)}, nil
}

func (a plainNames) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return a.Ref(ctx, content)
}

func (plainNames) Content(context.Context, string) (plimsoll.List[plimsoll.Part], error) {
	return plimsoll.List[plimsoll.Part]{}, plimsoll.ErrNotFound
}

// TestTheLabCutsAsTheLibraryDoes plays a recorded conversation and gives the library the
// request of each call. `plimsoll replay` has no store and makes its own references, so
// each of them may weigh a token or two more or less.
func TestTheLabCutsAsTheLibraryDoes(t *testing.T) {
	t.Parallel()
	agent := func(calls int) []byte { return agentRequest(t, plimsoll.OpenAI, calls) }
	chat := func(calls int) []byte {
		c := talk("en", 150)
		c.Messages = plimsoll.ListOf(c.Messages.Slice()[:2*calls+2]...)
		c.Tools = agentAtWork(1).Tools // without tools the lab assumes that some are not recorded
		body, err := wiretest.Rewrite(dialects.Codec(plimsoll.OpenAI), c)
		if err != nil {
			t.Fatal(err)
		}
		return append([]byte(`{"model":"gpt-4o",`), bytes.TrimPrefix(body, []byte("{"))...)
	}
	for _, tt := range []struct {
		policy  string
		request func(calls int) []byte
		calls   int
		off     float64
	}{
		{preset.NameMultichat, chat, 150, 0.001},
		{preset.NameAuto, agent, 60, 0.01},
	} {
		t.Run(tt.policy, func(t *testing.T) {
			t.Parallel()
			w := &doors{t: t, dialect: plimsoll.OpenAI}
			options, err := preset.Named(tt.policy, &preset.Options{Window: doorWindow, Meter: token.NewMeter(nil)})
			w.must(err)
			k, err := fit.New(options)
			w.must(err)
			sum, cut := 0, false
			var last *plimsoll.Plan
			for calls := range tt.calls + 1 {
				last, err = k.Fit(t.Context(), preset.Task(w.decode(tt.request(calls)), preset.Client{Archive: plainNames{}}))
				w.must(err)
				sum += last.After.Total
				cut = cut || last.Changed()
			}
			file := filepath.Join(t.TempDir(), "session.jsonl")
			w.must(os.WriteFile(file, tt.request(tt.calls), 0o600))
			out, err := exec.CommandContext(t.Context(), "plimsoll", "replay", "--policy", tt.policy, "--window", fmt.Sprint(doorWindow), "--json", "-", file).Output()
			w.must(err)
			var report struct {
				Calls, Tokens int
				Policies      map[string]struct {
					Load int `json:"mean_load"`
				}
			}
			w.must(json.Unmarshal(out, &report))
			if report.Calls != tt.calls+1 || report.Tokens != last.Before.Total || !cut {
				t.Errorf("the lab plays %d calls and counts %d tokens at the end, the library %d and %d; cut: %v", report.Calls, report.Tokens, tt.calls+1, last.Before.Total, cut)
			}
			want, got := sum/report.Calls, report.Policies[tt.policy].Load
			if off := math.Abs(float64(got-want)) / float64(want); off > tt.off {
				t.Errorf("the requests of the lab have %d tokens on average, those of the library %d", got, want)
			}
		})
	}
}
