package transport

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
	"github.com/plimsoll/plimsoll/wire/weave"
)

// wrong is everything that reads an answer, with a mistake in it.
type wrong struct{}

func (wrong) Write([]byte) (int, error)                            { panic("a mistake") }
func (wrong) Close() error                                         { return nil }
func (wrong) Event(string, []byte)                                 { panic("a mistake") }
func (wrong) Done() bool                                           { return false }
func (wrong) Response() wire.Response                              { return wire.Response{} }
func (wrong) AddAccount(context.Context, ...account.Account) error { panic("a mistake") }

type wrongReply struct{ weave.Reply }

func (wrongReply) Write([]byte) []byte { panic("a mistake") }

// spare is a flow whose log and exchange can be looked at.
func spare(t *testing.T) (f *flow, log *bytes.Buffer, told chan Exchange) {
	t.Helper()
	log, told = &bytes.Buffer{}, make(chan Exchange, 1)
	managed, err := New(&Options{
		Logger:  slog.New(slog.NewTextHandler(log, nil)),
		Observe: func(_ context.Context, x Exchange) { told <- x },
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = managed.Close() })
	req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://x/v1/chat/completions", strings.NewReader("{}"))
	if err != nil {
		t.Fatal(err)
	}
	return managed.begin(req, endpoint{dialect: plimsoll.OpenAI, name: chat}), log, told
}

func wantMistake(t *testing.T, log *bytes.Buffer, x Exchange) {
	t.Helper()
	if !strings.Contains(x.Warning, "could not be managed") {
		t.Errorf("the warning is %q", x.Warning)
	}
	if !strings.Contains(log.String(), "panic: a mistake") || !strings.Contains(log.String(), "mistake_test.go") {
		t.Errorf("the log does not say where it happened:\n%s", log)
	}
}

func TestAMistakeInWhatWatchesAnAnswerDoesNotEndIt(t *testing.T) {
	t.Parallel()
	const text = "data: {}\n\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	for name, body := range map[string]string{"": text, "gzip": packed.String()} {
		f, log, told := spare(t)
		var sink io.WriteCloser = wrong{}
		if name != "" {
			sink = newUndone(name, sink)
		}
		w := &watched{f: f, from: io.NopCloser(strings.NewReader(body)), watch: &watcher{f: f, ok: true, sink: sink, answer: func() (wire.Response, bool) { return wire.Response{}, true }}}
		if got, err := io.ReadAll(w); err != nil || string(got) != body {
			t.Errorf("coding %q: %q, %v", name, got, err)
		}
		wantMistake(t, log, <-told)
	}
}

func TestAMistakeInWhatEndsAnAnswerIsNotTheClients(t *testing.T) {
	t.Parallel()
	f, log, told := spare(t)
	w := &watched{f: f, from: io.NopCloser(strings.NewReader("{}")), watch: &watcher{f: f, ok: true, sink: &bounded{}, answer: func() (wire.Response, bool) { panic("a mistake") }}}
	if got, err := io.ReadAll(w); err != nil || string(got) != "{}" {
		t.Errorf("%q, %v", got, err)
	}
	wantMistake(t, log, <-told)
}

func TestAMistakeInWhatLooksForAnOverflowLetsTheStreamPass(t *testing.T) {
	t.Parallel()
	f, log, _ := spare(t)
	f.codec = dialects.Codec(f.dialect)
	h := newHead(f, io.NopCloser(strings.NewReader("data: {}\n\ndata: [DONE]\n\n")))
	h.events = sse.NewSplitter(func(e sse.Event, _ error) {
		if !h.over {
			h.over = true
			h.judge(wrong{}, e)
		}
	}, nil)
	if got, err := io.ReadAll(h); err != nil || string(got) != "data: {}\n\ndata: [DONE]\n\n" {
		t.Errorf("%q, %v", got, err)
	}
	wantMistake(t, log, f.x)
}

func TestAMistakeInTheMiddleOfAWovenAnswerBreaksItOff(t *testing.T) {
	t.Parallel()
	f, log, told := spare(t)
	w := &woven{f: f, reply: wrongReply{}, from: io.NopCloser(strings.NewReader("data: {}\n\n")), watch: &watcher{f: f}, chunk: new([chunkSize]byte)}
	got, err := io.ReadAll(w)
	var broken *brokenError
	if !errors.As(err, &broken) || len(got) > 0 {
		t.Errorf("%q, %v: it looks whole", got, err)
	}
	x := <-told
	wantMistake(t, log, x)
	if x.Err == nil {
		t.Error("the exchange does not say that it ended early")
	}
}

func TestAMistakeInWhatWritesAccountsEndsNothing(t *testing.T) {
	t.Parallel()
	var told error
	l := newLedger(func(err error) { told = err })
	l.add(entry{Account: account.Account{Conversation: "one", Requests: 1}, owner: "somebody", books: wrong{}})
	l.close()
	if told == nil {
		t.Error("the mistake is in no log")
	}
}
