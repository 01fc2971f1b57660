package dashboard_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
)

// window is that of every model here: too small for a few tool outputs.
const window = 12_000

// rig is a scripted model, a proxy with a store in front of it, and the dashboard on the
// operator's side of the proxy.
type rig struct {
	t     testing.TB
	store *store.Store
	pages *dashboard.Dashboard
	base  string
	// settle ends the transport, so that all accounts are written.
	settle func()
	// closed says that the store is.
	closed bool
	// ahead is how far the dashboard's clock is ahead of the system's, in nanoseconds.
	ahead atomic.Int64
}

type rigOptions struct {
	path, token string
	window      int
}

func newRig(t testing.TB, o rigOptions) *rig {
	t.Helper()
	if o.path == "" {
		o.path = storetest.NewFile(t, sqlite.Open)
	}
	backend, err := sqlite.Open(t.Context(), o.path, nil)
	must(t, err)
	kept, err := store.New(t.Context(), backend, nil)
	must(t, err)
	upstream := httptest.NewServer(scripted.New(&scripted.Options{Script: says, Window: window}))
	t.Cleanup(upstream.Close)
	calibration := token.NewCalibration(nil)
	keeper := newKeeper(t, calibration)
	r := &rig{t: t, store: kept}
	var managed *transport.Transport
	r.pages = dashboard.New(&dashboard.Options{
		Now:   func() time.Time { return time.Now().Add(time.Duration(r.ahead.Load())) },
		Store: kept, Limit: (&model.Limits{}).For, Drift: calibration.Drift, Account: keeper.Total,
		Learned: func() []transport.LearnedLimit { return managed.Learned() },
		Ready: func(ctx context.Context) error {
			_, err := kept.Stats(ctx)
			return err
		},
		Setup: dashboard.Setup{
			Version: "v0-test", Store: "a file", Summaries: "extract", Upstreams: []dashboard.Upstream{{API: "anthropic", Address: upstream.URL}},
			Settings: []dashboard.Setting{{Key: "window", Value: "12000", Origin: "--window"}, {Key: "preset", Value: "auto", Origin: "default", Default: true}},
		},
	})
	managed, err = transport.New(&transport.Options{
		Keeper: func(string) (*fit.Keeper, error) { return keeper, nil },
		Store:  kept, Window: o.window, Watch: r.pages.Watch,
	})
	must(t, err)
	address, err := url.Parse(upstream.URL)
	must(t, err)
	server, err := proxy.New(&proxy.Options{
		Transport: managed, Control: r.pages, AdminToken: o.token,
		Upstreams: proxy.Upstreams{OpenAI: address, Anthropic: address, Gemini: address},
	})
	must(t, err)
	front := httptest.NewServer(server.Handler())
	r.base = front.URL
	settled := false
	r.settle = func() {
		if !settled {
			settled = true
			must(t, managed.Close())
		}
	}
	t.Cleanup(func() {
		_ = r.pages.Close() // so that nobody waits for news
		front.Close()
		r.settle()
		must(t, keeper.Close())
		if !r.closed {
			must(t, kept.Close())
		}
	})
	return r
}

func newKeeper(t testing.TB, c *token.Calibration) *fit.Keeper {
	t.Helper()
	meter := token.NewMeter(&token.MeterOptions{Calibration: c})
	options, err := preset.Auto(&preset.Options{Meter: meter, Limit: transport.KnownLimit(nil)})
	must(t, err)
	keeper, err := fit.New(options)
	must(t, err)
	return keeper
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// says is what the model answers to everything.
func says(*scripted.Call) (scripted.Step, bool) { return scripted.Say("ok"), true }

// hostile is what a tool might print: markup, an escape sequence, and a character that
// turns the text around it.
const hostile = "<script>alert('owned')</script> \x1b[2J\x1b[31mred \u202egnp.exe </pre><img src=x onerror=alert(1)>"

// output is what the tool prints in a round.
func output(round int) string {
	var b strings.Builder
	fmt.Fprintf(&b, "marker-%d\n%s\n", round, hostile)
	for i := range 120 {
		fmt.Fprintf(&b, "line %d of round %d says that all is well\n", i, round)
	}
	return b.String()
}

// talk sends the requests of an agent that reads so many files, one after the other.
func (r *rig) talk(rounds int, header http.Header) {
	r.t.Helper()
	for n := 1; n <= rounds; n++ {
		if status := r.ask(agentBody(n), header); status != http.StatusOK {
			r.t.Fatalf("request %d: %d", n, status)
		}
	}
}

// ask sends one request.
func (r *rig) ask(body []byte, header http.Header) int {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), http.MethodPost, r.base+"/v1/messages", bytes.NewReader(body))
	must(r.t, err)
	for name, values := range header {
		req.Header[name] = values
	}
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("Anthropic-Version", "2023-06-01")
	resp, err := http.DefaultClient.Do(req)
	must(r.t, err)
	defer resp.Body.Close()
	_, err = io.Copy(io.Discard, resp.Body)
	must(r.t, err)
	return resp.StatusCode
}

// agentBody is the request of an agent that has read so many files.
func agentBody(rounds int) []byte {
	messages := []any{map[string]any{"role": "user", "content": "Read all files <b>now</b>."}}
	for i := range rounds {
		id := fmt.Sprintf("toolu_%d", i)
		messages = append(messages,
			map[string]any{"role": "assistant", "content": []any{map[string]any{"type": "tool_use", "id": id, "name": "read_file", "input": map[string]any{"path": fmt.Sprintf("file%d.go", i)}}}},
			map[string]any{"role": "user", "content": []any{map[string]any{"type": "tool_result", "tool_use_id": id, "content": output(i)}}},
		)
	}
	body, err := json.Marshal(map[string]any{
		"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages,
		"tools": []any{map[string]any{"name": "read_file", "input_schema": map[string]any{"type": "object"}}},
	})
	if err != nil {
		panic(err) // values of ours
	}
	return body
}

// get asks for a page.
func (r *rig) get(path string, header ...string) (int, http.Header, string) {
	r.t.Helper()
	return r.send(http.MethodGet, path, "", header...)
}

func (r *rig) send(method, path, form string, header ...string) (int, http.Header, string) {
	r.t.Helper()
	req, err := http.NewRequestWithContext(r.t.Context(), method, r.base+dashboard.Root+path, strings.NewReader(form))
	must(r.t, err)
	if form != "" {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
		if header[i] == "Host" {
			req.Host = header[i+1]
		}
	}
	resp, err := http.DefaultClient.Do(req)
	must(r.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	must(r.t, err)
	return resp.StatusCode, resp.Header, string(body)
}

// facts asks for a page as JSON.
func facts[T any](r *rig, path string) T {
	r.t.Helper()
	status, _, body := r.get(path, "Accept", "application/json")
	if status != http.StatusOK {
		r.t.Fatalf("%s: %d %s", path, status, body)
	}
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		r.t.Fatalf("%s: %v\n%s", path, err, body)
	}
	return v
}

// overview is what tests look at on the first page.
type overview struct {
	Totals struct {
		Requests, Cuts, Refs, Rescued, Refused, Warned int
		Uncut                                          int `json:"uncut_tokens"`
		Sent                                           int `json:"sent_tokens"`
		Overflows                                      int `json:"would_have_overflowed"`
		Forgotten                                      int `json:"not_shown"`
	}
	Account struct {
		Requests int
		Saved    int     `json:"saved_tokens"`
		Net      float64 `json:"net_usd"`
	}
	Focus *row
	Cuts  []edit
}

// row is a conversation in a list.
type row struct {
	ID       string
	Tenant   string
	Model    string
	Live     bool
	Requests int
	Saved    int `json:"saved_tokens"`
	Limit    int `json:"limit_tokens"`
	Sent     int `json:"sent_tokens"`
	Account  *struct{ Requests int }
}

type edit struct {
	Kind, Rung, Reason, Role, About, Instead string
	Message, Request                         int
	Saved                                    int `json:"saved_tokens"`
	Ref                                      *plimsoll.Ref
}

// seen waits until the dashboard has taken so many requests in.
func (r *rig) seen(requests int) overview {
	r.t.Helper()
	for end := time.Now().Add(2 * time.Minute); ; {
		v := facts[overview](r, "overview")
		if v.Totals.Requests >= requests && v.Account.Requests >= requests {
			return v
		}
		if time.Now().After(end) {
			r.t.Fatalf("%d of %d requests are shown", v.Totals.Requests, requests)
		}
		time.Sleep(20 * time.Millisecond)
	}
}
