package history_test

import (
	"context"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// process is one process that keeps the history of a client.
type process struct {
	t       *testing.T
	history *history.History
	breaker *breaker.Breaker
	options history.Options
	reports []string
}

// newProcess has no store if the tenant is nil.
func newProcess(t *testing.T, dialect plimsoll.Dialect, tenant *store.Tenant) *process {
	b := breaker.New(func() time.Time { return time.Unix(0, 0) })
	p := &process{t: t, history: history.New(b), breaker: b}
	p.options = history.Options{Owner: "anna", Tenant: tenant, Codec: dialects.Codec(dialect), Report: func(what string, err error) {
		p.reports = append(p.reports, fmt.Sprint(what, err))
	}}
	return p
}

func newTenant(t *testing.T) *store.Tenant {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), backend, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	return s.Tenant("anna")
}

func (p *process) open(body string) *history.Thread {
	p.t.Helper()
	r, err := p.options.Codec.Decode([]byte(body))
	if err != nil {
		p.t.Fatal(err)
	}
	return p.history.Open(p.t.Context(), r, p.options)
}

// chat is a request of Chat Completions; the user says what has an even index.
func chat(texts ...string) string {
	messages := make([]string, len(texts))
	for i, text := range texts {
		messages[i] = fmt.Sprintf(`{"role":"%s","content":"%s"}`, [...]string{"user", "assistant"}[i%2], text)
	}
	return `{"model":"m","messages":[` + strings.Join(messages, ",") + `]}`
}

// hides is an answer with one round that the client was not shown.
func hides(t *testing.T, shown, result string) history.Delivered {
	t.Helper()
	reply := dialects.Codec(plimsoll.OpenAI).NewReply("", func(name string) bool { return name == "cache" })
	reply.Write([]byte(`{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":null,"tool_calls":[{"id":"a","type":"function","function":{"name":"cache","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`))
	round := reply.End()
	reply.Again()
	reply.Write([]byte(`{"id":"2","choices":[{"index":0,"message":{"role":"assistant","content":"` + shown + `"},"finish_reason":"stop"}]}`))
	reply.End()
	reply.Finish()
	record, hidden := reply.Record([][]wire.Result{{{Call: round.Calls[0], Text: result}}})
	if !hidden {
		t.Fatal("the answer hides nothing")
	}
	return history.Delivered{Record: record, Hidden: true}
}

// shows is an answer that hides nothing.
func shows(text string) history.Delivered {
	m := plimsoll.Message{Role: plimsoll.Assistant, Parts: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})}
	return history.Delivered{Record: wire.Record{Shown: wire.ShownBy(m)}}
}

func TestWhatTheClientWasNotShownIsPutBack(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what    string
		answers map[string]history.Delivered // by the request
		next    string
		// want are texts of the restored request that the client did not send.
		want []string
	}{
		{
			"in the next request",
			map[string]history.Delivered{chat("q1"): hides(t, "a1", "SECRET1")},
			chat("q1", "a1", "q2"),
			[]string{"SECRET1"},
		},
		{
			"in every later request",
			map[string]history.Delivered{chat("q1"): hides(t, "a1", "SECRET1"), chat("q1", "a1", "q2"): shows("a2")},
			chat("q1", "a1", "q2", "a2", "q3"),
			[]string{"SECRET1"},
		},
		{
			"for two replies",
			map[string]history.Delivered{chat("q1"): hides(t, "a1", "SECRET1"), chat("q1", "a1", "q2"): hides(t, "a2", "SECRET2")},
			chat("q1", "a1", "q2", "a2", "q3"),
			[]string{"SECRET1", "SECRET2"},
		},
		{
			"but not into another conversation",
			map[string]history.Delivered{chat("q1"): hides(t, "a1", "SECRET1")},
			chat("other", "a1", "q2"), nil,
		},
		{
			"but not for a reply that the client has changed",
			map[string]history.Delivered{chat("q1"): hides(t, "a1", "SECRET1")},
			chat("q1", "changed", "q2"), nil,
		},
		{
			"but not where nothing was hidden",
			map[string]history.Delivered{chat("q1"): shows("a1")},
			chat("q1", "a1", "q2"), nil,
		},
	} {
		for _, place := range []string{"in memory", "in the store", "in the store, for another process"} {
			t.Run(c.what+", "+place, func(t *testing.T) {
				t.Parallel()
				var tenant *store.Tenant
				if place != "in memory" {
					tenant = newTenant(t)
				}
				p := newProcess(t, plimsoll.OpenAI, tenant)
				for _, request := range []string{chat("q1"), chat("q1", "a1", "q2")} {
					if a, ok := c.answers[request]; ok {
						p.open(request).Answered(t.Context(), a)
					}
				}
				if strings.HasSuffix(place, "process") {
					p = newProcess(t, plimsoll.OpenAI, tenant)
				}
				thread := p.open(c.next)
				if got := string(thread.Shown.Body()); got != c.next {
					t.Errorf("the client knows %s", got)
				}
				restored := string(thread.Restored.Body())
				if thread.Hidden != (len(c.want) > 0) || !thread.Hidden && restored != c.next {
					t.Errorf("hidden is %v: %s", thread.Hidden, restored)
				}
				for _, text := range c.want {
					if strings.Count(restored, text) != 1 {
						t.Errorf("%s is not there once: %s", text, restored)
					}
				}
				if len(p.reports) > 0 {
					t.Errorf("reported %q", p.reports)
				}
			})
		}
	}
}

func TestEachOfSeveralRepliesToOneRequestKeepsItsOwnRecord(t *testing.T) {
	t.Parallel()
	p := newProcess(t, plimsoll.OpenAI, nil)
	for i := range 4 {
		p.open(chat("q")).Answered(t.Context(), hides(t, fmt.Sprint("a", i), fmt.Sprint("SECRET", i)))
	}
	for i := range 4 {
		restored := string(p.open(chat("q", fmt.Sprint("a", i), "next")).Restored.Body())
		if !strings.Contains(restored, fmt.Sprint("SECRET", i)) || strings.Count(restored, "SECRET") != 1 {
			t.Errorf("reply %d: %s", i, restored)
		}
	}
}

func TestHistoriesOfOthersAreNotPutBack(t *testing.T) {
	t.Parallel()
	for what, change := range map[string]func(*history.Options){
		"another owner":        func(o *history.Options) { o.Owner = "ben" },
		"another conversation": func(o *history.Options) { o.Scope = fit.Scope{Conversation: "other"} },
	} {
		p := newProcess(t, plimsoll.OpenAI, nil)
		p.open(chat("q1")).Answered(t.Context(), hides(t, "a1", "SECRET1"))
		change(&p.options)
		if thread := p.open(chat("q1", "a1", "q2")); thread.Hidden || thread.Restored != thread.Shown {
			t.Errorf("%s: %s", what, thread.Restored.Body())
		}
	}
}

func TestAStoreThatFailsIsReportedAndMemoryStillServes(t *testing.T) {
	t.Parallel()
	p := newProcess(t, plimsoll.OpenAI, newTenant(t))
	_ = p.breaker.Do(t.Context(), "anna", breaker.ReadTimeout, func(context.Context) error { return store.ErrUnavailable })
	p.open(chat("q1")).Answered(t.Context(), hides(t, "a1", "SECRET1"))
	if len(p.reports) != 1 || !strings.Contains(p.reports[0], "could not be stored") {
		t.Errorf("reported %q", p.reports)
	}
	if restored := string(p.open(chat("q1", "a1", "q2")).Restored.Body()); !strings.Contains(restored, "SECRET1") {
		t.Errorf("restored %s", restored)
	}
}

// response is a request of the Responses API that names an earlier answer.
func response(previous, text string) string {
	if previous != "" {
		previous = `"previous_response_id":"` + previous + `",`
	}
	return `{"model":"m",` + previous + `"input":[{"role":"user","content":"` + text + `"}]}`
}

// named is an answer of the Responses API.
func named(id, text string) history.Delivered {
	return history.Delivered{ID: id, Final: fmt.Appendf(nil, `{"id":"%s","object":"response","status":"completed","output":[{"type":"message","id":"msg_%s","role":"assistant","status":"completed","content":[{"type":"output_text","text":"%s"}]}]}`, id, id, text)}
}

func TestAnAnswerThatTheClientOnlyNamesIsPutBeforeItsRequest(t *testing.T) {
	t.Parallel()
	tenant := newTenant(t)
	first := newProcess(t, plimsoll.Responses, tenant)
	first.open(response("", "q1")).Answered(t.Context(), named("r1", "a1"))
	first.open(response("r1", "q2")).Answered(t.Context(), named("r2", "a2"))
	for what, p := range map[string]*process{"the same process": first, "another process": newProcess(t, plimsoll.Responses, tenant)} {
		thread := p.open(response("r2", "q3"))
		c := thread.Shown.Conversation()
		var texts []string
		for _, m := range c.Messages.All() {
			texts = append(texts, m.Text())
		}
		if got := strings.Join(texts, " "); got != "q1 a1 q2 a2 q3" {
			t.Errorf("%s: %q", what, got)
		}
		if thread.Hidden {
			t.Errorf("%s: the server knows all of it", what)
		}
	}
}

func TestAnAnswerThatIsUnknownIsReportedAndTheRequestStays(t *testing.T) {
	t.Parallel()
	for what, answered := range map[string]string{
		"it was answered elsewhere":           "",
		"the server was told not to store it": `{"model":"m","store":false,"input":[{"role":"user","content":"q1"}]}`,
	} {
		p := newProcess(t, plimsoll.Responses, nil)
		if answered != "" {
			p.open(answered).Answered(t.Context(), named("r1", "a1"))
		}
		thread := p.open(response("r1", "q2"))
		if got := string(thread.Restored.Body()); got != response("r1", "q2") {
			t.Errorf("%s: %s", what, got)
		}
		if len(p.reports) != 1 || !strings.Contains(p.reports[0], "began elsewhere") {
			t.Errorf("%s: reported %q", what, p.reports)
		}
	}
}
