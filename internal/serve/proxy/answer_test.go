package proxy

import (
	"context"
	"errors"
	"io"
	"testing"
	"testing/synctest"
	"time"
)

// stage is a Read that has nothing to give for a while.
type stage struct {
	lasts   time.Duration
	waiting bool
}

// staged has one stage for each Read, unless its context ends.
type staged struct {
	ctx    context.Context
	stages []stage
}

func (s *staged) Read(p []byte) (int, error) {
	if len(s.stages) == 0 {
		return copy(p, "x"), io.EOF
	}
	at := s.stages[0]
	s.stages = s.stages[1:]
	select {
	case <-time.After(at.lasts):
		return 0, nil
	case <-s.ctx.Done():
		return 0, s.ctx.Err()
	}
}

func (s *staged) Close() error { return nil }

// asks is a body that says when it waits.
type asks struct{ *staged }

func (a asks) Waiting() bool { return len(a.stages) > 0 && a.stages[0].waiting }

func TestAnAnswerThatAsksAgainHasTheTimeOfAFirstOne(t *testing.T) {
	t.Parallel()
	const idle, begin = 2 * time.Minute, 30 * time.Minute
	for _, c := range []struct {
		what   string
		says   bool
		stages []stage
		want   error
		// after is how long the Read lasts that ends the request.
		after time.Duration
	}{
		{"goes on in time", true, []stage{{idle - time.Second, false}}, nil, 0},
		{"goes on in time, again and again", true, []stage{{idle - time.Second, false}, {idle - time.Second, false}}, nil, 0},
		{"stands still", true, []stage{{begin, false}}, errStalled, idle},
		{"stands still and cannot say that it waits", false, []stage{{begin, false}}, errStalled, idle},
		{"waits and cannot say so", false, []stage{{begin, true}}, errStalled, idle},
		{"waits longer than it may stand still", true, []stage{{20 * time.Minute, true}}, nil, 0},
		{"stands still, then waits", true, []stage{{idle - time.Second, false}, {20 * time.Minute, true}}, nil, 0},
		{"waits, then begins slowly", true, []stage{{20 * time.Minute, true}, {idle - time.Second, false}}, nil, 0},
		{"waits twice, and reads between that", true, []stage{{20 * time.Minute, true}, {time.Minute, false}, {20 * time.Minute, true}}, nil, 0},
		{"waits without end", true, []stage{{24 * time.Hour, true}}, errNoAnswer, begin},
		{"waits, then stands still", true, []stage{{10 * time.Minute, true}, {begin, false}}, errStalled, idle},
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
				a := &answer{from, idle, begin, cancel}
				var began time.Time
				var err error
				for err == nil {
					began = time.Now()
					_, err = a.Read(make([]byte, 1))
					if took := time.Since(began); err != nil && c.want != nil && took != c.after {
						t.Errorf("ended after %s, want %s", took, c.after)
					}
					time.Sleep(time.Hour) // a client that takes its time
				}
				if got := context.Cause(ctx); !errors.Is(got, c.want) {
					t.Fatalf("ended with %v, want %v", got, c.want)
				}
			})
		})
	}
}
