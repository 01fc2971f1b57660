// Package modelserver asks the servers of local models what only they know: how large the
// context window of a model is, and how many tokens a request has. It knows llama.cpp,
// Ollama, LM Studio, vLLM and SGLang by their endpoints. A server that does not answer
// harms no request.
package modelserver

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"maps"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
)

// Target is a model of a server, and how a request reaches it.
type Target struct {
	// Root is the address that all paths of the server are below.
	Root string
	// Host is the name by which the client's request calls the server, and Header has the
	// client's credentials for it.
	Host   string
	Header http.Header
	// Tenant is the owner of the credentials: a server may tell others something else.
	Tenant string
	Model  string
	// DryRun says that no request follows, so the server must not load the model.
	DryRun bool
}

// Asker asks servers and remembers what they said. It is safe for concurrent use.
type Asker struct {
	base  http.RoundTripper
	now   func() time.Time
	mu    sync.Mutex
	known *lru.Map[modelKey, *answer]
}

// modelKey names a model of a server, for a tenant.
type modelKey struct{ tenant, root, model string }

// answer is what a server has said about a model. A request that asks holds the turn.
type answer struct {
	turn chan struct{}
	// window is in the server's tokens; 0 if the server does not tell. At is when the
	// server said so, and until is how long it is believed.
	window    int
	at, until time.Time
	// count asks for the tokens of a request; nil if the server does not count.
	count counter
}

// counter returns how many tokens a request of a dialect has; 0 if the server does not tell.
type counter func(c *inquiry, d plimsoll.Dialect, body []byte) int

const (
	// timeout bounds how long a request waits for what a server says about itself.
	timeout = 2 * time.Second
	// loading bounds how long a server may load a model; Ollama itself waits that long.
	loading = 5 * time.Minute
	// life is how long an answer is believed: servers are given other windows. One that
	// may soon be another is believed for less.
	life, shortLife = 10 * time.Minute, 10 * time.Second
	// maxKnown bounds how many models are remembered, and maxAnswer what is read.
	maxKnown  = 1024
	maxAnswer = 4 << 20
)

// New returns an asker that sends by a round tripper.
func New(base http.RoundTripper, now func() time.Time) *Asker {
	return &Asker{base: base, now: now, known: lru.New[modelKey, *answer](maxKnown, nil)}
}

// Window returns the context window of a model, in the server's own tokens; 0 if the
// server does not tell. Requests that come while a server is asked wait for its answer.
func (a *Asker) Window(ctx context.Context, t Target) int {
	window, _ := a.told(ctx, t)
	return window
}

// Count returns how many tokens the server counts for a request, with its chat template and
// its vocabulary; 0 if it does not tell. The server does not answer the request.
func (a *Asker) Count(ctx context.Context, t Target, d plimsoll.Dialect, body []byte) int {
	_, count := a.told(ctx, t)
	if count == nil {
		return 0
	}
	return max(0, count(&inquiry{ctx: ctx, base: a.base, target: t}, d, body))
}

func (a *Asker) told(ctx context.Context, t Target) (int, counter) {
	is := a.answerOf(t)
	select {
	case is.turn <- struct{}{}:
	case <-ctx.Done():
		return 0, nil
	}
	defer func() { <-is.turn }()
	if a.now().Before(is.until) {
		return is.window, is.count
	}
	window, count, sure := a.ask(ctx, t)
	if ctx.Err() != nil {
		return is.window, is.count // the client has left
	}
	is.at = a.now()
	switch {
	case sure:
		is.window, is.count, is.until = window, count, is.at.Add(life)
	case t.DryRun:
		return window, count
	default:
		is.window, is.until = cmp.Or(is.window, window), is.at.Add(shortLife)
	}
	return is.window, is.count
}

// Doubt makes the next request ask again: what the server did contradicts what it said.
func (a *Asker) Doubt(t Target) {
	is := a.answerOf(t)
	select {
	case is.turn <- struct{}{}:
		is.until = time.Time{}
		<-is.turn
	default: // it is being asked
	}
}

func (a *Asker) answerOf(t Target) *answer {
	a.mu.Lock()
	defer a.mu.Unlock()
	k := modelKey{t.Tenant, t.Root, t.Model}
	is, ok := a.known.Get(k)
	if !ok {
		is = &answer{turn: make(chan struct{}, 1)}
		a.known.Put(k, is)
	}
	return is
}

// Window is what a server has told about a model.
type Window struct {
	Root, Model string
	Tokens      int
	At          time.Time
}

// Told returns the windows that servers have told. Of what they told several tenants it is
// the newest.
func (a *Asker) Told() []Window {
	newest := map[modelKey]Window{}
	for k, is := range a.known.All() {
		select {
		case is.turn <- struct{}{}:
			k.tenant = ""
			if is.window > 0 && is.at.After(newest[k].At) {
				newest[k] = Window{k.root, k.model, is.window, is.at}
			}
			<-is.turn
		default: // it is being asked
		}
	}
	return slices.Collect(maps.Values(newest))
}

// ask puts the questions of all servers in turn, until one is answered. It reports false
// if the answer may be another soon.
func (a *Asker) ask(ctx context.Context, t Target) (window int, count counter, sure bool) {
	c := &inquiry{ctx: ctx, base: a.base, target: t, sure: true}
	for _, kind := range []struct {
		window func(*inquiry) int
		count  counter
	}{{llamaCpp, countLlamaCpp}, {vLLM, countVLLM}, {lmStudio, nil}, {ollama, nil}} {
		if n := kind.window(c); n > 0 {
			return n, kind.count, c.sure
		}
		if c.down {
			break
		}
	}
	return 0, nil, c.sure
}

// inquiry is what a server is asked about one model.
type inquiry struct {
	ctx    context.Context
	base   http.RoundTripper
	target Target
	// down says that the server cannot be reached. Sure is false if it said something that
	// may be another soon.
	down, sure bool
}

// get reads what the server answers on a path; false if that is no JSON object.
func (c *inquiry) get(path string, into any) bool {
	return c.send(http.MethodGet, path, nil, into, timeout)
}

func (c *inquiry) post(path string, body, into any, wait time.Duration) bool {
	text, err := json.Marshal(body)
	return err == nil && c.send(http.MethodPost, path, text, into, wait)
}

// send asks the origin of the client's request and no other: it follows no redirect.
func (c *inquiry) send(method, path string, body []byte, into any, wait time.Duration) bool {
	ctx, cancel := context.WithTimeout(c.ctx, wait)
	defer cancel()
	req, err := http.NewRequestWithContext(ctx, method, c.target.Root+path, bytes.NewReader(body))
	if err != nil {
		return false
	}
	req.Host, req.Header = c.target.Host, c.target.Header.Clone()
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/json")
	}
	resp, err := c.base.RoundTrip(req)
	if err != nil {
		c.down, c.sure = true, false
		return false
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusOK {
		// A server that is busy or just starting has said nothing.
		c.sure = c.sure && resp.StatusCode < http.StatusInternalServerError && resp.StatusCode != http.StatusTooManyRequests
		return false
	}
	text, err := io.ReadAll(io.LimitReader(resp.Body, maxAnswer))
	if err != nil {
		c.down, c.sure = true, false
		return false
	}
	return json.Unmarshal(text, into) == nil
}
