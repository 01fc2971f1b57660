package remote

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

func TestUsageIsReadInAllDialects(t *testing.T) {
	t.Parallel()
	for d := range callers {
		s := newServer(t, says(d, "<summary>x</summary>", stopEnd[d]))
		got, err := s.summarizer(t, d, "").Summarize(t.Context(), asks(t, d, summary.Retained, callers[d]))
		if err != nil {
			t.Fatal(err)
		}
		want := plimsoll.Usage{Input: 10, CacheRead: 90, Output: 7}
		if d == plimsoll.Ollama { // which does not say what was cached
			want = plimsoll.Usage{Input: 100, Output: 7}
		}
		if diff := cmp.Diff(want, got.Usage); diff != "" {
			t.Errorf("%s: -want +got\n%s", d, diff)
		}
	}
}

func TestKeysGoWhereEachAPIReadsThem(t *testing.T) {
	t.Parallel()
	for d, want := range map[plimsoll.Dialect][3]string{
		plimsoll.OpenAI:    {"/v1/chat/completions", "Authorization", "Bearer " + key},
		plimsoll.Responses: {"/v1/responses", "Authorization", "Bearer " + key},
		plimsoll.Anthropic: {"/v1/messages", "X-Api-Key", key},
		plimsoll.Gemini:    {"/v1beta/models/gemini-2.5-flash:generateContent", "X-Goog-Api-Key", key},
		plimsoll.Ollama:    {"/api/chat", "Authorization", "Bearer " + key},
	} {
		s := newServer(t, says(d, "<summary>x</summary>", stopEnd[d]))
		if _, err := s.summarizer(t, d, "").Summarize(t.Context(), asks(t, d, summary.Retained, callers[d])); err != nil {
			t.Fatal(err)
		}
		r := s.sent[0]
		if r.URL.Path != want[0] || r.Header.Get(want[1]) != want[2] || strings.Contains(r.URL.String(), key) {
			t.Errorf("%s: sent to %s with %s", d, r.URL, r.Header.Get(want[1]))
		}
	}
}

func TestNoSummaryIsTakenFromAnAnswerThatIsNone(t *testing.T) {
	t.Parallel()
	length := map[plimsoll.Dialect]string{plimsoll.OpenAI: "length", plimsoll.Responses: "incomplete", plimsoll.Anthropic: "max_tokens", plimsoll.Gemini: "MAX_TOKENS", plimsoll.Ollama: "length"}
	for d := range callers {
		s := newServer(t, says(d, "<summary>half</summary>", length[d]))
		_, err := s.summarizer(t, d, "").Summarize(t.Context(), asks(t, d, summary.Retained, callers[d]))
		f := failureOf(t, err)
		if f.Final || f.Busy || f.TooLarge || f.Usage.Output != 7 || !strings.Contains(err.Error(), "cut off") {
			t.Errorf("%s: %v, usage %+v", d, err, f.Usage)
		}
	}
	for name, answer := range map[string]string{
		"a call":           `{"choices":[{"index":0,"message":{"content":"<summary>x</summary>","tool_calls":[{"id":"1","function":{"name":"sh","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}`,
		"an error":         `{"error":{"message":"overloaded"}}`,
		"no JSON":          `<html>`,
		"nothing":          `{"choices":[]}`,
		"a filter":         `{"choices":[{"index":0,"message":{"content":"<summary>x</summary>"},"finish_reason":"content_filter"}]}`,
		"a tag not closed": `{"choices":[{"index":0,"message":{"content":"<summary>x"},"finish_reason":"stop"}]}`,
	} {
		s := newServer(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, answer) })
		_, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(t.Context(), asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI]))
		if f := failureOf(t, err); f.Final || f.Busy || f.TooLarge || plimsoll.HintOf(err) == "" {
			t.Errorf("%s: %+v, hint %q", name, f, plimsoll.HintOf(err))
		}
	}
}

func failureOf(t *testing.T, err error) *summary.Failure {
	t.Helper()
	var f *summary.Failure
	if !errors.As(err, &f) {
		t.Fatalf("got %v, want a failure", err)
	}
	return f
}

func TestC06_RetainCountsOnlyIfItWasAskedFor(t *testing.T) {
	t.Parallel()
	s := newServer(t, says(plimsoll.OpenAI, "<retain>r</retain><summary>x</summary>", "stop"))
	r := asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI])
	for prompt, want := range map[string]string{"": "", "List the refs.": "r"} {
		r.Prompt.Retain = prompt
		got, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(t.Context(), r)
		if err != nil || got.Retain != want {
			t.Errorf("asked %q, retained %q, %v", prompt, got.Retain, err)
		}
	}
}

func TestRefusalsSayWhatHelps(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		status int
		header http.Header
		body   string
		want   summary.Failure
		code   plimsoll.Code
	}{
		"a wrong key":        {401, nil, `{"error":{"message":"Incorrect API key provided: ` + key + `"}}`, summary.Failure{Final: true}, plimsoll.CodeInvalid},
		"no such model":      {404, nil, `{"error":{"message":"no model"}}`, summary.Failure{Final: true}, plimsoll.CodeInvalid},
		"a redirect":         {307, http.Header{"Location": {"/elsewhere"}}, "", summary.Failure{Final: true}, plimsoll.CodeInvalid},
		"too many requests":  {429, http.Header{"Retry-After": {"3"}}, `{"error":{"message":"slow down"}}`, summary.Failure{Busy: true, After: 3 * time.Second}, plimsoll.CodeUnavailable},
		"in milliseconds":    {429, http.Header{"Retry-After-Ms": {"250"}, "Retry-After": {"1"}}, "", summary.Failure{Busy: true, After: 250 * time.Millisecond}, plimsoll.CodeUnavailable},
		"no quota":           {429, nil, `{"error":{"code":"insufficient_quota","message":"pay"}}`, summary.Failure{Final: true}, plimsoll.CodeUnavailable},
		"a server that fell": {503, nil, "upstream " + key, summary.Failure{Busy: true}, plimsoll.CodeUnavailable},
		"overloaded":         {529, nil, "", summary.Failure{Busy: true}, plimsoll.CodeUnavailable},
		"a form it dislikes": {400, nil, `{"error":{"message":"roles must alternate"}}`, summary.Failure{}, plimsoll.CodeInvalid},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newServer(t, func(w http.ResponseWriter, _ *http.Request) {
				for k, v := range tt.header {
					w.Header()[k] = v
				}
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.body)
			})
			_, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(t.Context(), asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI]))
			f := failureOf(t, err)
			if f.Final != tt.want.Final || f.Busy != tt.want.Busy || f.After != tt.want.After || plimsoll.CodeOf(err) != tt.code || plimsoll.HintOf(err) == "" || s.count() != 1 {
				t.Errorf("%+v, code %s, hint %q, %d requests", f, plimsoll.CodeOf(err), plimsoll.HintOf(err), s.count())
			}
			if strings.Contains(fmt.Sprintf("%v %+v %#v", err, err, f), key) {
				t.Errorf("the key is in the error: %v", err)
			}
		})
	}
}

func TestAWindowThatIsTooSmallLeadsToChunks(t *testing.T) {
	t.Parallel()
	const window = 14_000
	var body strings.Builder
	body.WriteString(`{"model":"tiny","messages":[{"role":"user","content":"Count."}`)
	for i := range 20 {
		fmt.Fprintf(&body, `,{"role":"assistant","content":null,"tool_calls":[{"id":"c%d","type":"function","function":{"name":"sh","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c%d","content":"%s"}`, i, i, strings.Repeat("x", 4000))
	}
	body.WriteString(`,{"role":"user","content":"Go on."}]}`)
	var s *server
	s = newServer(t, func(w http.ResponseWriter, r *http.Request) {
		sent := s.body(s.count() - 1)
		output, _ := strconv.Atoi(member(sent, "max_tokens"))
		if tokens := len(sent)/4 + output; tokens > window {
			w.WriteHeader(400)
			fmt.Fprintf(w, `{"error":{"code":"context_length_exceeded","message":"This model's maximum context length is %d tokens. However, you requested %d tokens."}}`, window, tokens)
			return
		}
		says(plimsoll.OpenAI, fmt.Sprintf("<summary>Part %d.</summary>", s.count()), "stop")(w, r)
	})
	r := asks(t, plimsoll.OpenAI, summary.Retained, body.String())
	var done []int
	r.Progress = func(n, _ int) { done = append(done, n) }
	got, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	if s.count() < 4 || len(done) < 3 || got.Text != fmt.Sprintf("Part %d.", s.count()) || got.Usage.Output != 7*len(done) {
		t.Errorf("%d requests, progress %v, %q, %+v", s.count(), done, got.Text, got.Usage)
	}
	if last := s.body(s.count() - 1); !strings.Contains(string(last), fmt.Sprintf("Part %d.", s.count()-1)) {
		t.Errorf("the last chunk does not build on the one before: %.300s", last)
	}
}

func TestACancelledCallerClosesTheConnection(t *testing.T) {
	t.Parallel()
	arrived, closed := make(chan bool), make(chan bool)
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request) {
		arrived <- true
		<-r.Context().Done()
		closed <- true
	})
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-arrived
		cancel()
	}()
	_, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(ctx, asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI]))
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
	<-closed
}

func TestASlowServerMeetsTheTimeLimit(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() })
	made, err := New(Options{Dialect: plimsoll.OpenAI, BaseURL: s.URL, Timeout: 20 * time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	_, err = made.Summarize(t.Context(), asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI]))
	if !errors.Is(err, context.DeadlineExceeded) || !strings.Contains(plimsoll.HintOf(err), "time limit") {
		t.Errorf("%v, hint %q", err, plimsoll.HintOf(err))
	}
}

func TestAnAnswerWithoutEndIsNotReadToTheEnd(t *testing.T) {
	t.Parallel()
	s := newServer(t, func(w http.ResponseWriter, r *http.Request) {
		piece := []byte(strings.Repeat(" ", 1<<20))
		for range 64 {
			if _, err := w.Write(piece); err != nil {
				return
			}
		}
	})
	_, err := s.summarizer(t, plimsoll.OpenAI, "").Summarize(t.Context(), asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI]))
	if err == nil || !strings.Contains(err.Error(), "more than 8388608 bytes") {
		t.Errorf("got %v", err)
	}
}

func TestTheChainAsksAgainInThePlainestForm(t *testing.T) {
	t.Parallel()
	var s *server
	s = newServer(t, func(w http.ResponseWriter, r *http.Request) {
		if s.count() == 1 {
			says(plimsoll.OpenAI, "<summary>not closed", "stop")(w, r)
			return
		}
		says(plimsoll.OpenAI, "<summary>Seven crates.</summary>", "stop")(w, r)
	})
	r := asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI])
	chain := &summary.Chain{Model: s.summarizer(t, plimsoll.OpenAI, "")}
	got, err := chain.Summarize(t.Context(), r)
	if err != nil || got.Text != "Seven crates." || got.Usage.Output != 14 || len(got.Notes) != 1 {
		t.Fatalf("%+v, %v", got, err)
	}
	if member(s.body(0), "tools") == "" || member(s.body(1), "tools") != "" {
		t.Errorf("first %s\nthen %s", s.body(0), s.body(1))
	}
}

func TestKeysAreNotPrinted(t *testing.T) {
	t.Parallel()
	o := Options{Key: key}
	text, err := json.Marshal(map[string]any{"key": o.Key})
	if err != nil {
		t.Fatal(err)
	}
	var log strings.Builder
	slog.New(slog.NewTextHandler(&log, nil)).Info("made", "options", o, "key", o.Key)
	if all := fmt.Sprintf("%v %+v %#v %s %q", o, o, o, o.Key, o.Key) + string(text) + log.String(); strings.Contains(all, key) {
		t.Errorf("got %s", all)
	}
}

// TestC06_AReplyThatOnlyRetainsIsAskedForAgainLikeAnEmptyOne ends with an extract.
func TestC06_AReplyThatOnlyRetainsIsAskedForAgainLikeAnEmptyOne(t *testing.T) {
	t.Parallel()
	s := newServer(t, says(plimsoll.OpenAI, "<retain>Never touch main.</retain>", "stop"))
	r := asks(t, plimsoll.OpenAI, summary.Retained, callers[plimsoll.OpenAI])
	r.Prompt.Retain = "Rules."
	chain := &summary.Chain{Model: s.summarizer(t, plimsoll.OpenAI, ""), Fallback: summary.Extract{}}
	got, err := chain.Summarize(t.Context(), r)
	if err != nil || got.By != "extract" || got.Text == "" || s.count() != 2 {
		t.Errorf("by %s after %d requests: %q, %v", got.By, s.count(), got.Text, err)
	}
	if got.Usage.Total() != 2*107 || got.Model == "" {
		t.Errorf("two useless replies were billed: %+v by %q", got.Usage, got.Model)
	}
}
