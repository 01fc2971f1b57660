package transport_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

// atEnd calls a function just before its reader ends.
type atEnd struct {
	io.ReadCloser
	call func()
}

func (a atEnd) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if errors.Is(err, io.EOF) {
		a.call()
	}
	return n, err
}

// TestAClientThatLeavesIsNoFailure lets the client leave before it is answered, and at
// the moment when it has its whole answer.
func TestAClientThatLeavesIsNoFailure(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		for _, always := range []transport.Expand{transport.ExpandOff, transport.ExpandAlways} {
			ctx, cancel := context.WithCancel(t.Context())
			var log bytes.Buffer
			b := newBench(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
				if len(c.Results()) == 0 && c.Conversation.Tools.Len() > 1 {
					return scripted.Use("tool_output_cache", `{"ref_id":"none"}`), true
				}
				return scripted.Say("fine"), true
			}}, transport.Options{
				Store: newStore(t), Expand: always, Logger: slog.New(slog.NewTextHandler(&log, &slog.HandlerOptions{Level: slog.LevelWarn})),
				Base: roundTripper(func(r *http.Request) (*http.Response, error) {
					if r.Context().Err() != nil {
						return nil, r.Context().Err()
					}
					resp, err := http.DefaultTransport.RoundTrip(r.WithContext(context.WithoutCancel(r.Context())))
					if err == nil && bytes.Contains(body(r), []byte("none")) == (always == transport.ExpandAlways) {
						resp.Body = atEnd{resp.Body, cancel}
					}
					return resp, err
				}),
			})
			a := b.agent(d, stream)
			a.say("hi")
			for _, want := range []error{nil, context.Canceled} { // the second request begins when the client has left
				req, err := http.NewRequestWithContext(ctx, http.MethodPost, b.server.URL+path(d, stream), bytes.NewReader(a.body()))
				if err != nil {
					t.Fatal(err)
				}
				resp, err := b.transport.RoundTrip(req)
				if err == nil {
					_, err = io.ReadAll(resp.Body)
					_ = resp.Body.Close()
				}
				if x := <-b.exchanges; !errors.Is(err, want) || !errors.Is(x.Err, want) || x.Warning != "" {
					t.Errorf("expand %s: %v, observers get %v and the warning %q, want %v", always, err, x.Err, x.Warning, want)
				}
				if ctx.Err() == nil {
					t.Fatal("the client has not left: the test does not test anything")
				}
			}
			if log.Len() > 0 {
				t.Errorf("expand %s: the log says\n%s", always, &log)
			}
		}
	})
}

func body(r *http.Request) []byte {
	from, err := r.GetBody()
	if err != nil {
		panic(fmt.Sprintf("a request without a body: %v", err))
	}
	all, _ := io.ReadAll(from)
	return all
}
