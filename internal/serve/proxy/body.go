package proxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// leastRate is how many bytes of a body must come in a second, on average.
	leastRate = 1 << 10
	// unknownBody is what is reserved for a body of unknown length at first.
	unknownBody = 1 << 20
	// codedRatio is how much larger a compressed body is expected to be. For one that
	// becomes larger, more is reserved while it is decoded.
	codedRatio = 8
)

// body is what a client sends. It is read under a deadline that moves on with what
// comes, and bounded if it is to be held in memory.
type body struct {
	io.ReadCloser
	received *http.Request
	control  *http.ResponseController
	now      func() time.Time
	idle     time.Duration
	start    time.Time
	got      atomic.Int64
	whole    atomic.Bool // the end was read
	// most is how many bytes may come; negative means any number.
	most int64
	// memory is reserved for the expected bytes, of what comes and what is decoded of it;
	// nil if nothing is held.
	memory            *reservation
	expected, decoded int64

	mu  sync.Mutex
	err error // how it ended, if not well
}

// Read reads what comes next.
func (b *body) Read(p []byte) (int, error) {
	if err := b.failure(); err != nil {
		return 0, err
	}
	now := b.now()
	if b.start.IsZero() {
		b.start = now
	}
	late := b.start.Add(b.idle + time.Duration(b.got.Load()/leastRate)*time.Second)
	if next := now.Add(b.idle); next.Before(late) {
		late = next
	}
	_ = b.control.SetReadDeadline(late) // not every connection has deadlines
	n, err := b.ReadCloser.Read(p)
	got := b.got.Add(int64(n))
	switch {
	case b.most >= 0 && got > b.most:
		return 0, b.fail(tooLarge(b.most))
	case b.memory != nil && got > b.expected && !b.enlarge(max(got, 2*b.expected)):
		return 0, b.fail(busy())
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, b.fail(&fault{
			status: http.StatusRequestTimeout, code: "request_timeout", hangUp: true,
			message: fmt.Sprintf("The request body came too slowly: %d bytes in %s.", got, b.now().Sub(b.start).Round(time.Millisecond)),
		})
	case err == io.EOF:
		b.complete()
	case isBroken(err):
		return n, b.fail(fmt.Errorf("%w: %w", errGone, err))
	case err != nil: // it can only be about chunks
		return n, b.fail(badRequest("The chunks of the request body are malformed: " + err.Error() + "."))
	}
	return n, err
}

// isBroken reports whether the connection failed, and not what came over it.
func isBroken(err error) bool {
	var broken *net.OpError
	return errors.As(err, &broken) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, http.ErrBodyReadAfterClose)
}

func (b *body) enlarge(size int64) bool {
	b.expected = size
	return b.memory.grow(size)
}

// Grow reserves memory for what is decoded of the body: size bytes beside those that came.
// It does not wait, as [reservation.grow] says. The transport calls it before it decodes.
func (b *body) Grow(size int64) error {
	b.decoded = size
	if all := b.got.Load() + size; b.memory != nil && all > b.expected && !b.enlarge(all) {
		return b.fail(busy())
	}
	return nil
}

// Received returns the request as the client sent it. The transport checks signatures with
// it: they cover the host and the path.
func (b *body) Received() *http.Request { return b.received }

// fail notes how the body ended, which who reads it may not tell.
func (b *body) fail(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.err = err
	return err
}

// failure returns how the body ended. No body ends well.
func (b *body) failure() error {
	if b == nil {
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.err
}

// pause is how long a client whose body is not needed may take to go on sending it.
const pause = 5 * time.Second

// Close ends the body. The server reads a little of what is left, which must not take
// without end, and is not waited for if the body has failed.
func (b *body) Close() error {
	if !b.whole.Load() && b.failure() == nil {
		_ = b.control.SetReadDeadline(b.now().Add(pause))
	}
	return b.ReadCloser.Close()
}

// discard reads what is left, within bounds, so that a client that is still sending can
// read its answer: if the connection were closed under it, the answer would be lost. If
// not everything comes, the deadline stays, and the server does not wait for the rest.
func (b *body) discard() {
	const most, patience = 64 << 20, 15 * time.Second
	end := b.now().Add(patience)
	buffer := make([]byte, 4<<10) // there may be many at a time
	for read := 0; read < most; {
		late := b.now().Add(pause)
		if end.Before(late) {
			late = end
		}
		_ = b.control.SetReadDeadline(late) // not every connection has deadlines
		n, err := b.ReadCloser.Read(buffer)
		if err == io.EOF {
			b.complete()
		}
		if err != nil {
			return
		}
		read += n
	}
}

// complete takes the deadline off: from here on a client has nothing to send.
func (b *body) complete() {
	b.whole.Store(true)
	_ = b.control.SetReadDeadline(time.Time{})
}

func tooLarge(most int64) *fault {
	return &fault{
		status: http.StatusRequestEntityTooLarge, code: "request_too_large", hangUp: true,
		message: fmt.Sprintf("The request body has more than the %d bytes that this proxy takes. Send less, or raise the proxy's limit for bodies.", most),
	}
}

func busy() *fault {
	return &fault{
		status: http.StatusServiceUnavailable, code: "server_overloaded", retry: 2, hangUp: true,
		message: "This proxy has no memory left for a request of this size. Try again in a moment, or give the proxy more memory.",
	}
}
