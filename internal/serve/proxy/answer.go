package proxy

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"time"
)

// answer is the body of an upstream's answer. The upstream's time runs only during a
// Read, so a client that reads slowly costs its connection only.
type answer struct {
	io.ReadCloser
	// idle is how long the answer may stand still, begin how long it may take to begin.
	idle, begin time.Duration
	cancel      context.CancelCauseFunc
}

// Read reads what comes next. A body whose next Read asks the upstream again has as long
// as a first answer has to begin. Errors after the upstream has answered end up in logs,
// so Read takes out what they may quote.
func (a *answer) Read(p []byte) (int, error) {
	limit, cause := a.idle, errStalled
	if again, ok := a.ReadCloser.(interface{ Waiting() bool }); ok && again.Waiting() {
		limit, cause = a.begin, errNoAnswer
	}
	timer := time.AfterFunc(limit, func() { a.cancel(cause) })
	defer timer.Stop()
	n, err := a.ReadCloser.Read(p)
	if isAnswered(err) {
		err = errors.New(withoutContent(err))
	}
	return n, err
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

// deadlineWriter gives every write to a client its own deadline, so that a client that
// is gone or never reads does not hold an answer without end. How long all writes take
// together has no bound.
type deadlineWriter struct {
	http.ResponseWriter
	options *Options
}

// Unwrap gives [http.ResponseController] what is below.
func (d *deadlineWriter) Unwrap() http.ResponseWriter { return d.ResponseWriter }

// WriteHeader keeps the server from guessing a type that the upstream did not name.
func (d *deadlineWriter) WriteHeader(status int) {
	h := d.Header()
	if _, named := h["Content-Type"]; !named && status >= http.StatusOK {
		h["Content-Type"] = nil
	}
	d.extend()
	d.ResponseWriter.WriteHeader(status)
}

// Write writes under a new deadline, which holds for the Flush that follows, too.
func (d *deadlineWriter) Write(b []byte) (int, error) {
	d.extend()
	return d.ResponseWriter.Write(b)
}

func (d *deadlineWriter) extend() {
	late := d.options.Now().Add(d.options.WriteTimeout)
	_ = http.NewResponseController(d.ResponseWriter).SetWriteDeadline(late) // not every connection has deadlines
}
