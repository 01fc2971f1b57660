package answer

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// wrong is everything that reads an answer, with a mistake in it.
type wrong struct{}

func (wrong) Write([]byte) (int, error) { panic("a mistake") }
func (wrong) Close() error              { return nil }
func (wrong) Event(string, []byte)      { panic("a mistake") }
func (wrong) Done() bool                { return false }
func (wrong) Response() wire.Response   { return wire.Response{} }

type wrongReply struct{ wire.Reply }

func (wrongReply) Write([]byte) []byte { panic("a mistake") }

func wantPanic(t *testing.T, err error) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), "panic: a mistake") || !strings.Contains(err.Error(), "panic_test.go") {
		t.Errorf("%v does not say what happened and where", err)
	}
}

func TestAPanicInWhatWatchesAnAnswerDoesNotEndIt(t *testing.T) {
	t.Parallel()
	const text = "data: {}\n\n"
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	_, _ = io.WriteString(z, text)
	_ = z.Close()
	for name, body := range map[string]string{"": text, "gzip": packed.String()} {
		var failed error
		w := &Watcher{sink: wrong{}, failed: func(err error) { failed = err }, read: func() (wire.Response, bool) { return wire.Response{}, true }}
		if name != "" {
			w.sink = newDecoding(name, w.sink)
		}
		w.Take([]byte(body))
		if _, ok := w.End(); ok {
			t.Errorf("coding %q: the answer counts as read", name)
		}
		wantPanic(t, failed)
	}
}

func TestAPanicAtTheEndOfAnAnswerLeavesNoResult(t *testing.T) {
	t.Parallel()
	var failed error
	w := &Watcher{sink: &bounded{}, failed: func(err error) { failed = err }, read: func() (wire.Response, bool) { panic("a mistake") }}
	w.Take([]byte("{}"))
	if _, ok := w.End(); ok {
		t.Error("the answer counts as read")
	}
	wantPanic(t, failed)
}

func TestAPanicInWhatLooksForAnOverflowLetsTheStreamPass(t *testing.T) {
	t.Parallel()
	var failed error
	body := NewRescued(dialects.Codec(plimsoll.OpenAI), sse.Events, io.NopCloser(strings.NewReader("data: {}\n\ndata: [DONE]\n\n")), Rescue{Failed: func(err error) { failed = err }})
	h := body.(*head)
	h.events = sse.NewSplitter(func(e sse.Event, _ error) {
		if !h.over {
			h.over = true
			h.judge(wrong{}, e)
		}
	}, nil)
	if got, err := io.ReadAll(h); err != nil || string(got) != "data: {}\n\ndata: [DONE]\n\n" {
		t.Errorf("%q, %v", got, err)
	}
	wantPanic(t, failed)
}

func TestAPanicInTheMiddleOfAJoinedAnswerBreaksItOff(t *testing.T) {
	t.Parallel()
	var failed, finished error
	j := NewJoined(wrongReply{}, io.NopCloser(strings.NewReader("data: {}\n\n")), Steps{
		Read: func([]byte) {}, Failed: func(err error) { failed = err }, Finish: func(err error) { finished = err },
	})
	got, err := io.ReadAll(j)
	var broken *BrokenError
	if !errors.As(err, &broken) || len(got) > 0 {
		t.Errorf("%q, %v: it looks whole", got, err)
	}
	if finished == nil {
		t.Error("the reply counts as whole")
	}
	wantPanic(t, failed)
}
