package transport_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/transport"
)

// local is a server like llama.cpp's (b21e4de, August 2026): it tells its window, counts four
// bytes of a body as a token, and refuses what is too long.
type local struct {
	*httptest.Server
	window    atomic.Int64
	tells     atomic.Int64 // another window, if not 0
	overflows atomic.Int64
	largest   atomic.Int64
	// count is the server's tokenizer, and counts says that clients can ask it.
	count  func(body []byte) int
	counts bool
	mu     sync.Mutex
	asked  []string
	key    string
}

func newLocal(t *testing.T, window int) *local {
	t.Helper()
	l := &local{count: func(body []byte) int { return len(body) / 4 }}
	l.window.Store(int64(window))
	l.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		l.mu.Lock()
		l.asked, l.key = append(l.asked, r.Method+" "+r.URL.Path), r.Header.Get("Authorization")
		l.mu.Unlock()
		body, _ := io.ReadAll(r.Body)
		n, window := l.count(body), int(l.window.Load())
		switch {
		case r.Method == http.MethodGet && r.URL.Path == "/props":
			fmt.Fprintf(w, `{"default_generation_settings":{"n_ctx":%d},"total_slots":1}`, cmp.Or(int(l.tells.Load()), window))
		case r.URL.Path == "/v1/chat/completions/input_tokens" && l.counts:
			fmt.Fprintf(w, `{"object":"response.input_tokens","input_tokens":%d}`, n)
		case r.Method != http.MethodPost || !strings.HasSuffix(r.URL.Path, "/chat/completions"):
			http.NotFound(w, r)
		case n > window:
			l.overflows.Add(1)
			w.WriteHeader(http.StatusBadRequest)
			fmt.Fprintf(w, `{"error":{"code":400,"message":"request (%d tokens) exceeds the available context size (%d tokens), try increasing it","type":"exceed_context_size_error","n_prompt_tokens":%d,"n_ctx":%d}}`, n, window, n, window)
		default:
			l.largest.Store(max(l.largest.Load(), int64(n)))
			fmt.Fprintf(w, `{"id":"c","object":"chat.completion","model":"x","choices":[{"index":0,"message":{"role":"assistant","content":"ok"},"finish_reason":"stop"}],"usage":{"prompt_tokens":%d,"completion_tokens":2,"total_tokens":%d}}`, n, n+2)
		}
	}))
	t.Cleanup(l.Close)
	return l
}

// questions are the requests that carry no conversation.
func (l *local) questions() (all []string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, path := range l.asked {
		if strings.HasPrefix(path, http.MethodGet) {
			all = append(all, path)
		}
	}
	return all
}

func newAsking(t *testing.T, l *local, o transport.Options) *bench {
	t.Helper()
	o.Store, o.Base = newStore(t), asking{http.DefaultTransport}
	b := newBench(t, nil, o)
	b.server = l.Server
	return b
}

func TestAServerIsAskedForItsWindowBeforeTheFirstOverflow(t *testing.T) {
	t.Parallel()
	l := newLocal(t, 9000)
	b := newAsking(t, l, transport.Options{})
	for range 3 {
		if got := b.long(plimsoll.OpenAI, 20).ask(); got.status != http.StatusOK || limitOf(t, got) > 9000 || got.header.Get(transport.HeaderDecision) == "pass" {
			t.Fatalf("%d %v %s", got.status, got.header, got.body)
		}
		if x := <-b.exchanges; x.Source != "asked" || x.Rescued || x.Line.Window != 9000 {
			t.Errorf("the limit is %+v from %q, rescued %v", x.Line, x.Source, x.Rescued)
		}
	}
	if n := l.overflows.Load(); n > 0 {
		t.Errorf("%d overflows", n)
	}
	if got := l.questions(); len(got) != 1 || l.key != "Bearer sk-test" {
		t.Errorf("asked %q with %q, want one question with the client's key", got, l.key)
	}
	told := b.transport.Learned()
	if len(told) != 1 || !told[0].Asked || told[0].Tokens != 9000 || told[0].Upstream != strings.TrimPrefix(l.URL, "http://") {
		t.Errorf("%+v, want the one window that was asked for", told)
	}
}

func TestAServerIsNotAskedWhereALimitIsNamed(t *testing.T) {
	t.Parallel()
	named := func(string) (*fit.Keeper, error) {
		options, err := preset.Auto(&preset.Options{Limit: func(string) model.Limit { return model.Limit{Tokens: 12_000, Source: model.SourceEnv} }})
		if err != nil {
			return nil, err
		}
		return fit.New(options)
	}
	for name, tt := range map[string]struct {
		o      transport.Options
		header http.Header
	}{
		"by the operator":     {transport.Options{Window: 12_000}, nil},
		"for the model":       {transport.Options{Keeper: named}, nil},
		"by the request":      {transport.Options{}, http.Header{transport.HeaderLimit: {"12000"}}},
		"by a vendor's host":  {transport.Options{Official: func(string) bool { return true }}, nil},
		"and if it is passed": {transport.Options{}, http.Header{transport.HeaderBypass: {"1"}}},
	} {
		l := newLocal(t, 9000)
		b := newAsking(t, l, tt.o)
		a := b.agent(plimsoll.OpenAI, false)
		a.say("hi")
		a.header = tt.header
		if got := a.ask(); got.status != http.StatusOK || len(l.questions()) > 0 {
			t.Errorf("%s: %d, asked %q", name, got.status, l.questions())
		}
	}
}

// clock is set by a test, and read by goroutines of the transport.
type clock struct{ hours atomic.Int64 }

func (c *clock) time() time.Time {
	return time.Date(2026, 8, 22, int(c.hours.Load()), 0, 0, 0, time.UTC)
}

func TestAServerThatWasRestartedWithAnotherWindowIsAskedAgain(t *testing.T) {
	t.Parallel()
	now := &clock{}
	l := newLocal(t, 20_000)
	b := newAsking(t, l, transport.Options{Now: now.time})
	a := b.long(plimsoll.OpenAI, 20)
	for i, step := range []struct{ window, overflows int }{{20_000, 0}, {9000, 1}, {9000, 1}, {9000, 1}, {30_000, 1}} {
		if l.window.Swap(int64(step.window)) < int64(step.window) {
			now.hours.Add(1)
		}
		got := a.ask()
		if got.status != http.StatusOK || int(l.overflows.Load()) != step.overflows {
			t.Fatalf("step %d: %d, %d overflows, want %d", i, got.status, l.overflows.Load(), step.overflows)
		}
		x := <-b.exchanges
		if wants := i >= 2; wants && (x.Source != "asked" || x.Line.Window != step.window) {
			t.Errorf("step %d: the limit is %+v from %q, want the new window", i, x.Line, x.Source)
		}
		a.say("go on")
	}
}

func TestALearnedLimitNarrowsTheWindowUntilTheServerTellsAnother(t *testing.T) {
	t.Parallel()
	now := &clock{}
	l := newLocal(t, 9000)
	l.tells.Store(20_000)
	b := newAsking(t, l, transport.Options{Now: now.time})
	a := b.long(plimsoll.OpenAI, 20)
	for i, want := range []model.Source{"learned", "learned", "asked"} {
		if i == 2 {
			l.window.Store(30_000)
			l.tells.Store(0)
			now.hours.Add(1)
		}
		a.ask()
		a.say("go on")
		if x := <-b.exchanges; x.Source != want || x.Rescued != (i == 0) {
			t.Errorf("request %d: the limit is %+v from %q, rescued %v", i, x.Line, x.Source, x.Rescued)
		}
	}
}

// japanese is a request to a model that the registry does not know, with so many messages of
// 80 characters. Each conversation has a topic.
func japanese(topic string, messages int) []byte {
	var b strings.Builder
	fmt.Fprintf(&b, `{"model":"unknown-model","messages":[{"role":"system","content":%q}`, "話題は"+topic)
	for i := range messages {
		fmt.Fprintf(&b, `,{"role":%q,"content":%q}`, []string{"user", "assistant"}[i%2], strings.Repeat("今日は天気がいいので公園を散歩しました。", 4)+fmt.Sprint(i))
	}
	b.WriteString("]}")
	return []byte(b.String())
}

// smallVocabulary counts like SmolLM2's: 1.75 tokens for a character of Japanese, a token for
// four others, and five around a message.
func smallVocabulary(body []byte) int {
	var request struct{ Messages []struct{ Content string } }
	if json.Unmarshal(body, &request) != nil {
		return 0
	}
	n := 3
	for _, m := range request.Messages {
		runes := utf8.RuneCountInString(m.Content)
		wide := (len(m.Content) - runes) / 2
		n += 5 + wide*7/4 + (runes-wide)/4
	}
	return n
}

func TestAServerThatCountsIsAskedBeforeTheFirstBill(t *testing.T) {
	t.Parallel()
	l := newLocal(t, 4096)
	l.count, l.counts = smallVocabulary, true
	b := newAsking(t, l, transport.Options{})
	for _, topic := range []string{"天気", "旅行", "料理"} {
		got := b.postRaw("/v1/chat/completions", japanese(topic, 41), nil)
		x := <-b.exchanges
		billed := x.Usage.Prompt()
		if got.status != http.StatusOK || x.Rescued || billed > x.After.Total*11/10 || billed < x.After.Total*9/10 {
			t.Errorf("%d: rescued %v, load %d, billed %d: %.200s", got.status, x.Rescued, x.After.Total, billed, got.body)
		}
	}
	if n, most := l.overflows.Load(), l.largest.Load(); n > 0 || most < 2000 {
		t.Errorf("%d overflows, and the largest prompt has %d of 4,096 tokens", n, most)
	}
	long := strings.Replace(string(japanese("歴史", 3)), "話題は", strings.Repeat("長い話", 2000), 1)
	sent := len(l.asked)
	if got := b.postRaw("/v1/chat/completions", []byte(long), nil); got.status != http.StatusBadRequest || l.overflows.Load() > 0 {
		t.Errorf("what cannot fit got %d after %q", got.status, l.asked[sent:])
	}
}

func TestARequestThatFitsEasilyIsNotCounted(t *testing.T) {
	t.Parallel()
	l := newLocal(t, 8192)
	l.count, l.counts = smallVocabulary, true
	b := newAsking(t, l, transport.Options{})
	b.postRaw("/v1/chat/completions", japanese("天気", 5), nil)
	if got := l.asked; len(got) != 2 {
		t.Errorf("asked %q, want the window and the conversation", got)
	}
}

func TestAServerWithAPathOfItsOwnIsAskedBelowIt(t *testing.T) {
	t.Parallel()
	l := newLocal(t, 9000)
	inner := l.Config.Handler
	l.Config.Handler = http.StripPrefix("/llm", inner)
	b := newAsking(t, l, transport.Options{})
	got := b.postRaw("/llm/v1/chat/completions", []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`), nil)
	if got.status != http.StatusOK || limitOf(t, got) > 9000 {
		t.Errorf("%d %v: asked %q", got.status, got.header, l.questions())
	}
}
