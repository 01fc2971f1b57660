package proxy

import (
	"context"
	"errors"
	"io"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
)

// stage is a while in which a body has nothing to give.
type stage struct {
	lasts   time.Duration
	waiting bool
}

// staged goes through its stages in each Read and then gives a byte, unless its context
// ends.
type staged struct {
	ctx     context.Context
	stages  []stage
	waiting atomic.Bool
}

func (s *staged) Read(p []byte) (int, error) {
	for _, at := range s.stages {
		s.waiting.Store(at.waiting)
		select {
		case <-time.After(at.lasts):
		case <-s.ctx.Done():
			return 0, s.ctx.Err()
		}
	}
	return copy(p, "x"), nil
}

func (s *staged) Close() error { return nil }

// asks is a body that says when it waits.
type asks struct{ *staged }

func (a asks) Waiting() bool { return a.waiting.Load() }

func TestAnAnswerThatAsksAgainHasTheTimeOfAFirstOne(t *testing.T) {
	t.Parallel()
	const idle, begin = 2 * time.Minute, 30 * time.Minute
	for _, c := range []struct {
		what   string
		says   bool
		stages []stage
		want   error
		// by is when the request is ended at the latest.
		by time.Duration
	}{
		{"goes on in time", true, []stage{{idle - time.Second, false}}, nil, 0},
		{"stands still", true, []stage{{begin, false}}, errStalled, idle},
		{"stands still and cannot say that it waits", false, []stage{{begin, false}}, errStalled, idle},
		{"waits and cannot say so", false, []stage{{begin, true}}, errStalled, idle},
		{"waits longer than it may stand still", true, []stage{{20 * time.Minute, true}}, nil, 0},
		{"stands still, then waits", true, []stage{{idle - idle/8, false}, {20 * time.Minute, true}}, nil, 0},
		{"waits, then begins slowly", true, []stage{{20 * time.Minute, true}, {idle - idle/8, false}}, nil, 0},
		{"waits for less than it may stand still, then begins slowly", true, []stage{{idle / 2, true}, {idle - idle/8, false}}, nil, 0},
		{"waits twice, and reads between that", true, []stage{{20 * time.Minute, true}, {time.Minute, false}, {20 * time.Minute, true}}, nil, 0},
		{"waits for ever", true, []stage{{24 * time.Hour, true}}, errNoAnswer, begin + idle/looks},
		{"waits, then stands still", true, []stage{{10 * time.Minute, true}, {begin, false}}, errStalled, 10*time.Minute + idle + idle/looks},
	} {
		t.Run(c.what, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithCancelCause(t.Context())
				defer cancel(nil)
				body := &staged{ctx: ctx, stages: c.stages}
				from := io.ReadCloser(body)
				if c.says {
					from = asks{body}
				}
				a := newAnswer(from, &Options{IdleTimeout: idle, AnswerTimeout: begin}, cancel)
				began := time.Now()
				for range 3 { // what one Read has seen is nothing to the next
					if _, err := a.Read(make([]byte, 1)); err != nil {
						break
					}
					time.Sleep(time.Hour) // a client that takes its time
				}
				if got := context.Cause(ctx); !errors.Is(got, c.want) {
					t.Fatalf("ended with %v after %s, want %v", got, time.Since(began), c.want)
				}
				if took := time.Since(began); c.want != nil && took > c.by {
					t.Errorf("ended after %s, want %s at the latest", took, c.by)
				}
			})
		})
	}
}
