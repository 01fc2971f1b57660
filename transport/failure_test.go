package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// broken is a backend that can be switched off.
type broken struct {
	store.Backend
	off atomic.Bool
}

var errOff = fmt.Errorf("the disk is gone: %w", store.ErrUnavailable)

func (b *broken) Write(ctx context.Context, t store.TenantID, chunks []store.Chunk, o *store.Object, e []store.Extent) error {
	if b.off.Load() {
		return errOff
	}
	return b.Backend.Write(ctx, t, chunks, o, e)
}

func (b *broken) FindDecision(ctx context.Context, t store.TenantID, keys []plimsoll.Digest) (store.Decision, error) {
	if b.off.Load() {
		return store.Decision{}, errOff
	}
	return b.Backend.FindDecision(ctx, t, keys)
}

func (b *broken) PutDecision(ctx context.Context, t store.TenantID, d store.Decision) error {
	if b.off.Load() {
		return errOff
	}
	return b.Backend.PutDecision(ctx, t, d)
}

func (b *broken) HasChunks(ctx context.Context, t store.TenantID, ids []store.ChunkID) ([]bool, error) {
	if b.off.Load() {
		return nil, errOff
	}
	return b.Backend.HasChunks(ctx, t, ids)
}

func TestAStoreThatFailsStopsNoRequest(t *testing.T) {
	t.Parallel()
	for _, d := range dialects.All() {
		t.Run(string(d), func(t *testing.T) {
			t.Parallel()
			backend := &broken{Backend: newBackend(t)}
			s, err := store.New(t.Context(), backend, nil)
			if err != nil {
				t.Fatal(err)
			}
			backend.off.Store(true)
			b := newBench(t, &scripted.Options{Window: 9000}, transport.Options{Store: s, Window: 9000})
			small := b.agent(d, false)
			small.say("hi")
			if got := small.ask(); got.status != http.StatusOK || !bytes.Equal(b.model.Log()[0].Body, small.last) {
				t.Errorf("a small request: status %d, or it changed", got.status)
			}
			got := b.long(d, 8).ask()
			if got.status != http.StatusOK {
				t.Fatalf("status %d: %s", got.status, got.body)
			}
			if !strings.Contains(got.header.Get(transport.HeaderWarning), "store") {
				t.Errorf("warning %q", got.header.Get(transport.HeaderWarning))
			}
			log := b.model.Log()
			if bytes.Contains(log[len(log)-1].Body, []byte("ref=")) {
				t.Error("a reference was handed out to what is not stored")
			}
		})
	}
}

// panicking is a meter with a mistake in it.
type panicking struct{ plimsoll.Meter }

func (panicking) Weigh(plimsoll.Conversation) plimsoll.Load { panic("a mistake") }

func TestAMistakeOfOursStopsNoRequest(t *testing.T) {
	t.Parallel()
	options, err := preset.Auto(&preset.Options{Meter: panicking{token.NewMeter(nil)}})
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil, transport.Options{Keeper: func(string) (*fit.Keeper, error) { return keeper, nil }})
	a := b.agent(plimsoll.OpenAI, true)
	a.say("hi")
	got := a.ask()
	if got.status != http.StatusOK || !got.done || !bytes.Equal(b.model.Log()[0].Body, a.last) {
		t.Fatalf("status %d, or the body changed", got.status)
	}
	if got.header.Get(transport.HeaderDecision) != "fail-open" || got.header.Get(transport.HeaderWarning) == "" {
		t.Errorf("header %v", got.header)
	}
}

func TestABodyThatCanBeReadInTwoWaysIsNeverEdited(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat(`{"role":"user","content":"`+strings.Repeat("word ", 500)+`"},{"role":"assistant","content":"yes"},`, 20)
	for name, body := range map[string]string{
		"a key twice":         `{"model":"gpt-4o","messages":[` + filler + `{"role":"user","role":"system","content":"hi"}]}`,
		"a key in two cases":  `{"model":"gpt-4o","messages":[` + filler + `{"role":"user","ROLE":"system","content":"hi"}]}`,
		"a letter that folds": `{"model":"gpt-4o","messages":[` + filler + `{"role":"user","content":"hi","meſsages":1,"messages":2}]}`,
		"the list twice":      `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}],"messages":[` + filler + `{"role":"user","content":"hi"}]}`,
	} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 4000})
		got := b.post(plimsoll.OpenAI, false, []byte(body), nil)
		if got.status != http.StatusBadRequest || !bytes.Contains(got.body, []byte("twice")) || len(b.model.Log()) != 0 {
			t.Errorf("%s: %d %.300s", name, got.status, got.body)
		}
		roomy := newBench(t, nil, transport.Options{Store: newStore(t), Window: 400_000})
		roomy.post(plimsoll.OpenAI, false, []byte(body), nil)
		if log := roomy.model.Log(); len(log) != 1 || string(log[0].Body) != body {
			t.Errorf("%s: under the line it does not pass as it is", name)
		}
	}
}

func TestNoTenantReadsWhatAnotherStored(t *testing.T) {
	t.Parallel()
	shared := newStore(t)
	var ref string
	script := func(c *scripted.Call) (scripted.Step, bool) {
		if r := c.Results(); len(r) > 0 && r[0].Name == "tool_output_cache" {
			return scripted.Say(plimsoll.TextOf(r[0].Content)), true
		}
		if ref == "" {
			return scripted.Say("noted"), true
		}
		return scripted.Use("tool_output_cache", `{"ref_id":"`+ref+`"}`), true
	}
	b := newBench(t, &scripted.Options{Script: script}, transport.Options{Store: shared, Window: 9000, Expand: transport.ExpandAlways})
	b.long(plimsoll.OpenAI, 8).ask()
	ref = refs(b.model.Log()[0].Call.Conversation)[0]
	ask := func(key string) string {
		a := b.agent(plimsoll.OpenAI, false)
		a.say("what did I say?")
		a.header = http.Header{"Authorization": {key}}
		return a.ask().said.Message.Text()
	}
	if got := ask("Bearer sk-test"); !strings.Contains(got, "step 0") && !strings.Contains(got, "line") {
		t.Errorf("the owner reads %.200q", got)
	}
	if got := ask("Bearer sk-tess"); strings.Contains(got, "quick brown fox") || !strings.Contains(got, "ref") {
		t.Errorf("somebody else reads %.200q", got)
	}
}

func TestAnOverflowThatStaysIsTheClientsToHearAfterOneRetry(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Retry-After", "7")
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"the prompt is too long: context length exceeded","code":"context_length_exceeded"}}`)
	}))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = server
	got := b.long(plimsoll.OpenAI, 20).ask()
	if asked.Load() != 2 || got.status != http.StatusBadRequest || !bytes.Contains(got.body, []byte(`"code":"context_length_exceeded"`)) {
		t.Errorf("asked %d times, status %d: %s", asked.Load(), got.status, got.body)
	}
	if got.header.Get("Retry-After") != "7" || !strings.Contains(got.header.Get(transport.HeaderWarning), "shorten") {
		t.Errorf("header %v", got.header)
	}
}

func TestOtherErrorsArePassedOnUntouchedAndNotRetried(t *testing.T) {
	t.Parallel()
	for _, status := range []int{400, 401, 403, 404, 409, 413, 422, 429, 500, 502, 503, 529} {
		var asked atomic.Int32
		const body = `{"type":"error","error":{"type":"overloaded_error","message":"Overloaded, rate limit"}}`
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			asked.Add(1)
			w.Header().Set("Anthropic-Ratelimit-Tokens-Remaining", "5")
			w.WriteHeader(status)
			_, _ = io.WriteString(w, body)
		}))
		b := newBench(t, nil, transport.Options{Store: newStore(t)})
		b.server = server
		got := b.long(plimsoll.Anthropic, 3).ask()
		server.Close()
		if asked.Load() != 1 || got.status != status || string(got.body) != body || got.header.Get("Anthropic-Ratelimit-Tokens-Remaining") != "5" {
			t.Errorf("%d: asked %d times, got %d %s", status, asked.Load(), got.status, got.body)
		}
	}
}

func TestALearnedLimitIsKnownToTheNextProcess(t *testing.T) {
	t.Parallel()
	shared := newStore(t)
	first := newBench(t, &scripted.Options{Window: 20_000}, transport.Options{Store: shared})
	if got := first.long(plimsoll.Anthropic, 12).ask(); got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	second := newBench(t, &scripted.Options{Window: 20_000}, transport.Options{Store: shared})
	second.server = first.server
	other := second.long(plimsoll.Anthropic, 12)
	other.history = other.history[2:]
	other.history[0] = plimsoll.Say(plimsoll.User, "another conversation")
	other.history = append(other.history[:1], first.long(plimsoll.Anthropic, 12).history[1:]...)
	if got := other.ask(); got.status != http.StatusOK {
		t.Fatalf("status %d: %s", got.status, got.body)
	}
	overflows, _ := first.upstreamFaults()
	if overflows != 1 {
		t.Errorf("%d overflows, want the first one only", overflows)
	}
}

func TestAClientThatGoesAwayEndsTheUpstreamsWork(t *testing.T) {
	t.Parallel()
	for name, stream := range map[string]bool{"whole": false, "streamed": true} {
		gone := make(chan time.Time, 1)
		begun := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if stream {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = io.WriteString(w, "data: {\"choices\":[]}\n\n")
				w.(http.Flusher).Flush()
			}
			close(begun)
			<-r.Context().Done()
			gone <- time.Now()
		}))
		b := newBench(t, nil, transport.Options{Store: newStore(t)})
		ctx, cancel := context.WithCancel(t.Context())
		req, err := http.NewRequestWithContext(ctx, http.MethodPost, server.URL+"/v1/chat/completions", strings.NewReader(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}]}`))
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			<-begun
			cancel()
		}()
		if resp, err := b.client.Do(req); err == nil {
			if _, err := io.ReadAll(resp.Body); err == nil {
				t.Errorf("%s: the answer ended as if it were whole", name)
			}
			_ = resp.Body.Close()
		}
		select {
		case <-gone:
		case <-time.After(time.Minute):
			t.Errorf("%s: the upstream was not told", name)
		}
		server.Close()
	}
}

func TestAnAnswerThatBreaksOffIsNotCompleted(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		for _, always := range []transport.Expand{transport.ExpandOff, transport.ExpandAlways} {
			step := scripted.Say(strings.Repeat("many words ", 200))
			step.Cut, step.After = true, 3
			b := newBench(t, &scripted.Options{Script: scripted.Steps(step)}, transport.Options{Store: newStore(t), Expand: always})
			a := b.agent(d, stream)
			a.say("hi")
			req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, b.server.URL+path(d, stream), bytes.NewReader(a.body()))
			if err != nil {
				t.Fatal(err)
			}
			resp, err := b.client.Do(req)
			if err != nil {
				continue // it broke off before anything came
			}
			got, err := io.ReadAll(resp.Body)
			_ = resp.Body.Close()
			if err == nil {
				t.Errorf("expand %s: the answer ended as if it were whole: %s", always, got)
			}
		}
	})
}
