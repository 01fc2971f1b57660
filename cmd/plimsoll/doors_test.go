package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"net/url"
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
	// model is named to those ways in whose request names none.
	model string
	// window and limit are named with each request, and flags when the proxy is started.
	window, limit int
	flags         []string
	// upstream is that of the proxy. It got sent last, and says answer.
	upstream, answer string
	sent             []byte
	proxy            *node
	// provider answers the chat as the model chatModel, and remembers what it got.
	provider    *scripted.Model
	providerURL string
	chatModel   string
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
	w := &doors{t: t, dialect: d, store: filepath.Join(dir, "store.db"), config: filepath.Join(dir, "plimsoll.yaml"), answer: "{}"}
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
		_, _ = io.WriteString(rw, w.answer)
	}))
	t.Cleanup(upstream.Close)
	w.upstream, w.provider = upstream.URL, scripted.New(nil)
	provider := httptest.NewServer(w.provider)
	t.Cleanup(provider.Close)
	w.providerURL = provider.URL
	w.chatModel = map[plimsoll.Dialect]string{
		plimsoll.OpenAI: "openai:gpt-4o", plimsoll.Responses: "responses:gpt-4o",
		plimsoll.Anthropic: "anthropic:claude-sonnet-4-5", plimsoll.Gemini: "gemini:gemini-2.5-flash",
	}[d]
	return w
}

// url is the address of the proxy, which is started when it is first needed.
func (w *doors) url() string {
	w.t.Helper()
	if w.proxy == nil {
		w.proxy = startNode(w.t, []string{"PLIMSOLL_CONFIG=" + w.config, "PLIMSOLL_ADMIN_TOKEN=open sesame"}, append(w.flags, "--upstream", w.upstream)...)
	}
	return w.proxy.url
}

// stop ends the proxy, which then writes the bills that it has not written yet.
func (w *doors) stop() {
	w.t.Helper()
	w.must(w.proxy.command.Process.Signal(os.Interrupt))
	w.must(w.proxy.command.Wait())
	w.proxy = nil
}

// figure is a count with its band. The band is someBand where a way in shows only that
// there is one.
type figure struct{ Total, Band int }

const someBand = -1

func figureOf(l plimsoll.Load) figure { return figure{l.Total, l.Band} }

// outcome is what a way in made of a request.
type outcome struct {
	Before, After figure
	Body          string
}

// roughly is the outcome as the chat shows it: with a mark at each estimate.
func (o outcome) roughly() outcome {
	for _, f := range []*figure{&o.Before, &o.After} {
		if f.Band > 0 {
			f.Band = someBand
		}
	}
	return o
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
	task := preset.Task(r, preset.Client{Tenant: tenant.Key(), Archive: tenant, Memory: tenant.Memory(), Model: w.model, Window: w.window, Limit: w.limit})
	weighed := k.Weigh(w.t.Context(), task)
	plan, err := k.Fit(w.t.Context(), task)
	w.must(err)
	if diff := cmp.Diff(plan.Before, weighed); diff != "" {
		w.t.Errorf("Keeper.Weigh differs from Fit (-fit +weigh):\n%s", diff)
	}
	sent, err := preset.Body(r, plan)
	w.must(err)
	return outcome{figureOf(plan.Before), figureOf(plan.After), string(sent)}
}

func (w *doors) keeper() *fit.Keeper {
	options, err := preset.Named(w.preset, &preset.Options{Window: doorWindow, Method: w.method})
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
	arguments := []string{"fit", "--dialect", string(w.dialect), "--report", report, "-"}
	for word, n := range w.named() {
		arguments = append(arguments, "--"+word, n)
	}
	out := w.output(body, arguments...)
	var plan plimsoll.Plan
	text, err := os.ReadFile(report)
	w.must(err)
	w.must(json.Unmarshal(text, &plan))
	return outcome{figureOf(plan.Before), figureOf(plan.After), string(out)}
}

func (w *doors) api(body []byte) outcome {
	w.t.Helper()
	var got struct {
		Request json.RawMessage
		Report  plimsoll.Plan
	}
	operation := "fit?dialect=" + string(w.dialect)
	for word, n := range w.named() {
		operation += "&" + word + "=" + n
	}
	w.ask(operation, body, &got)
	return outcome{figureOf(got.Report.Before), figureOf(got.Report.After), string(got.Request)}
}

// named are the window and the limit that are not 0.
func (w *doors) named() map[string]string {
	all := map[string]string{}
	for word, n := range map[string]int{"window": w.window, "limit": w.limit} {
		if n > 0 {
			all[word] = strconv.Itoa(n)
		}
	}
	return all
}

// proxied first asks the proxy what it would do, which has no effect.
func (w *doors) proxied(body []byte) outcome {
	w.t.Helper()
	address := w.url() + apiPaths[w.dialect][0]
	header := map[string]string{"Authorization": "Bearer sk-1"}
	for word, n := range w.named() {
		header["X-Plimsoll-"+word] = n
	}
	asks := maps.Clone(header)
	asks["X-Plimsoll-Dry-Run"] = "1"
	_, dry := call(w.t, http.MethodPost, address, body, asks)
	var plan plimsoll.Plan
	w.must(json.Unmarshal(dry, &plan))
	resp, answer := call(w.t, http.MethodPost, address, body, header)
	if resp.StatusCode != http.StatusOK {
		w.t.Fatalf("status %d: %s", resp.StatusCode, answer)
	}
	after, saved := w.number(resp.Header.Get("X-Plimsoll-Load")), w.number(resp.Header.Get("X-Plimsoll-Saved"))
	if after != plan.After.Total || after+saved != plan.Before.Total {
		w.t.Errorf("the dry run says %d tokens of %d, the request %d of %d", plan.After.Total, plan.Before.Total, after, after+saved)
	}
	return outcome{figureOf(plan.Before), figureOf(plan.After), string(w.sent)}
}

// chat continues a session whose newest question has no answer yet. Arguments that begin
// with a slash are typed. It returns what the model got, and what the chat said about it.
func (w *doors) chat(session []byte, arguments ...string) (sent []byte, remarks string) {
	w.t.Helper()
	dir := strings.TrimSuffix(w.store, ".db") + ".chats"
	w.must(os.MkdirAll(dir, 0o700))
	w.must(os.WriteFile(filepath.Join(dir, "door.jsonl"), session, 0o600))
	participant := "model=" + w.chatModel + "@" + w.providerURL
	flags, lines := []string{"chat", "--session", "door", "-m", participant}, ""
	for _, a := range arguments {
		if strings.HasPrefix(a, "/") {
			lines += a + "\n"
		} else {
			flags = append(flags, a)
		}
	}
	cmd := exec.CommandContext(w.t.Context(), "plimsoll", flags...)
	cmd.Stdin = strings.NewReader(lines + "/retry\n")
	cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
	var said bytes.Buffer
	cmd.Stderr = &said
	if err := cmd.Run(); err != nil {
		w.t.Fatalf("chat: %v\n%s", err, said.String())
	}
	log := w.provider.Log()
	return log[len(log)-1].Body, said.String()
}

// chatted is the outcome of a chat whose request must be cut.
func (w *doors) chatted(session []byte, arguments ...string) outcome {
	w.t.Helper()
	sent, remarks := w.chat(session, arguments...)
	shown := regexp.MustCompile(`: (≈?)([\d,]+) → (≈?)([\d,]+) tokens`).FindStringSubmatch(remarks)
	if shown == nil {
		w.t.Fatalf("the chat does not say that it cuts:\n%s", remarks)
	}
	figureOf := func(mark, total string) figure {
		if mark == "" {
			return figure{Total: w.number(total)}
		}
		return figure{w.number(total), someBand}
	}
	return outcome{figureOf(shown[1], shown[2]), figureOf(shown[3], shown[4]), string(sent)}
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

// ask calls an operation of the API.
func (w *doors) ask(operation string, body []byte, into any) {
	w.t.Helper()
	address, err := url.Parse(w.url() + "/plimsoll/v1/" + operation)
	w.must(err)
	query := address.Query()
	query.Set("model", w.model)
	address.RawQuery = query.Encode()
	resp, answer := call(w.t, http.MethodPost, address.String(), body, map[string]string{"Authorization": "Bearer open sesame"})
	if err := json.Unmarshal(answer, into); err != nil || resp.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: status %d, %v: %.300s", operation, resp.StatusCode, err, answer)
	}
}

// counted is what `plimsoll count` says.
func (w *doors) counted(body []byte) (f figure) {
	w.t.Helper()
	w.must(json.Unmarshal(w.output(body, "count", "--model", w.model, "--json", "-"), &f))
	return f
}

// fitted is what `plimsoll fit` begins with. It is not told the dialect.
func (w *doors) fitted(body []byte) figure {
	w.t.Helper()
	report := filepath.Join(w.t.TempDir(), "report.json")
	w.output(body, "fit", "--model", w.model, "--dry-run", "--report", report, "-")
	text, err := os.ReadFile(report)
	w.must(err)
	var plan plimsoll.Plan
	w.must(json.Unmarshal(text, &plan))
	return figureOf(plan.Before)
}

// output runs a command on a body.
func (w *doors) output(body []byte, arguments ...string) []byte {
	w.t.Helper()
	cmd := exec.CommandContext(w.t.Context(), "plimsoll", arguments...)
	cmd.Env = append(os.Environ(), "PLIMSOLL_CONFIG="+w.config)
	var failure bytes.Buffer
	cmd.Stdin, cmd.Stderr = bytes.NewReader(body), &failure
	out, err := cmd.Output()
	if err != nil {
		w.t.Fatalf("%v: %v\n%s", arguments, err, failure.String())
	}
	return out
}
