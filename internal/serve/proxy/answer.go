package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"
)

// answer is the body of an answer. While it is read, and only then, the upstream's time
// runs: a client that reads slowly costs its connection only.
//
// A transport may ask the upstream again while its body is read, because the model has
// called a tool that the client knows nothing of. Such a body says when it is waiting
// for that answer to begin, which may take as long as the first one.
type answer struct {
	io.ReadCloser
	// asking is the body if it can tell; nil if it never asks again.
	asking interface{ Waiting() bool }
	// idle is how long the answer may stand still, begin how long it may take to begin.
	idle, begin time.Duration
	cancel      context.CancelCauseFunc
	timer       *time.Timer

	mu      sync.Mutex
	reading bool
	// waiting is what the body said last, and since when that is so.
	waiting bool
	since   time.Time
}

func newAnswer(body io.ReadCloser, o *Options, cancel context.CancelCauseFunc) *answer {
	a := &answer{ReadCloser: body, idle: o.IdleTimeout, begin: o.AnswerTimeout, cancel: cancel}
	a.asking, _ = body.(interface{ Waiting() bool })
	a.timer = time.AfterFunc(time.Hour, a.look)
	a.timer.Stop()
	return a
}

// Read reads what comes next. Errors that tell of what the upstream said come without
// it: they end up in logs.
func (a *answer) Read(p []byte) (int, error) {
	a.start()
	defer a.stop()
	n, err := a.ReadCloser.Read(p)
	if isAnswered(err) {
		err = errors.New(withoutContent(err))
	}
	return n, err
}

func (a *answer) start() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reading, a.waiting, a.since = true, false, time.Now()
	a.timer.Reset(a.step())
}

func (a *answer) stop() {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.reading = false
	a.timer.Stop()
}

// step is how long to leave a body alone. One that may wait is asked every now and then,
// because its time to stand still begins again when it has waited.
func (a *answer) step() time.Duration {
	if a.asking == nil {
		return a.idle
	}
	return max(a.idle/looks, time.Millisecond)
}

// looks is how often a body is asked in the time that it may stand still.
const looks = 16

// look ends the request if its time is over.
func (a *answer) look() {
	a.mu.Lock()
	defer a.mu.Unlock()
	if !a.reading {
		return
	}
	if waiting := a.asking != nil && a.asking.Waiting(); waiting != a.waiting {
		a.waiting, a.since = waiting, time.Now()
	}
	limit, cause := a.idle, errStalled
	if a.waiting {
		limit, cause = a.begin, errNoAnswer
	}
	left := limit - time.Since(a.since)
	if left <= 0 {
		a.cancel(cause)
		return
	}
	a.timer.Reset(min(left, a.step()))
}

// isAnswered reports whether an error came about after the upstream had answered.
func isAnswered(err error) bool {
	var answered interface{ Answered() bool }
	return errors.As(err, &answered) && answered.Answered()
}

// withoutContent returns what can be said about an error that may quote an upstream's
// answer: what happened to the connection, if that is known.
func withoutContent(err error) string {
	var broken *net.OpError
	switch {
	case errors.As(err, &broken):
		return withoutAddresses(broken)
	case errors.Is(err, io.ErrUnexpectedEOF):
		return io.ErrUnexpectedEOF.Error()
	}
	return "it is not what was expected"
}
