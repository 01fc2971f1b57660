package answer

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/wire"
)

// Joined is the body of one answer for the client, made of several answers of the model:
// calls of tools that the client does not know are answered on the way.
type Joined struct {
	reply wire.Reply
	// from is the model's answer that is being read.
	from  io.ReadCloser
	steps Steps
	chunk []byte
	ready []byte
	// round is the last one, and waiting says that the model has to be asked again.
	round   wire.Round
	waiting bool
	err     error
}

// Steps say what is done while an answer is read.
type Steps struct {
	// Read gets the bytes of the model's answers.
	Read func(p []byte)
	// Ended is called at the end of each of the model's answers.
	Ended func()
	// Next answers the calls of a round and asks the model again. It returns the model's
	// next answer, or nil if the reply ends here.
	Next func(wire.Round) (io.ReadCloser, error)
	// Finish is called once when the reply has ended; the error is nil if it is whole.
	Finish func(error)
	// Closed is called when the client closes the body.
	Closed func()
	// Failed gets a panic.
	Failed func(error)
}

// chunkSize is how much of an answer is read at once.
const chunkSize = 32 << 10

// NewJoined returns the body of a reply that begins with an answer in identity coding.
func NewJoined(reply wire.Reply, from io.ReadCloser, s Steps) *Joined {
	return &Joined{reply: reply, from: from, steps: s, chunk: make([]byte, chunkSize)}
}

// Read gives the client what it may see. Before and after it asks the model again, Read
// returns no bytes and no error, so that its caller can ask [Joined.Waiting] what the
// next Read waits for.
func (j *Joined) Read(p []byte) (int, error) {
	for waiting := j.waiting; len(j.ready) == 0 && j.err == nil && j.waiting == waiting; {
		j.step()
	}
	n := copy(p, j.ready)
	j.ready = j.ready[n:]
	if len(j.ready) > 0 {
		return n, nil
	}
	return n, j.err
}

// step reads on, or asks the model again.
func (j *Joined) step() {
	defer func() {
		if r := recover(); r != nil { // the answer is broken, and nothing else
			j.steps.Failed(panicError(r))
			j.ready, j.err = nil, &BrokenError{fmt.Errorf("manage the answer: %v", r)}
			j.steps.Finish(j.err)
		}
	}()
	if j.waiting {
		j.waiting = false
		from, err := j.steps.Next(j.round)
		if from == nil {
			j.finish(err)
			return
		}
		_ = j.from.Close()
		j.from = from
		j.reply.Again()
		return
	}
	n, err := j.from.Read(j.chunk)
	if n > 0 {
		j.steps.Read(j.chunk[:n])
		j.ready = j.reply.Write(j.chunk[:n])
	}
	switch {
	case err == nil:
	case errors.Is(err, io.EOF):
		j.steps.Ended()
		j.round = j.reply.End()
		if j.waiting = len(j.round.Calls) > 0 && !j.round.Broken; !j.waiting {
			j.finish(nil)
		}
	default:
		j.finish(err)
	}
}

// finish ends the body. An answer that broke off is not completed.
func (j *Joined) finish(err error) {
	j.ready = append(j.ready, j.reply.Finish()...)
	j.steps.Finish(err)
	if j.err = err; err == nil {
		j.err = io.EOF
	}
}

// Waiting reports whether the next Read asks the model again and waits for its answer to
// begin.
func (j *Joined) Waiting() bool { return j.waiting }

// Close ends the model's answer.
func (j *Joined) Close() error {
	err := j.from.Close()
	if j.err == nil {
		j.err = http.ErrBodyReadAfterClose
	}
	j.steps.Closed()
	return err
}

// Identity returns the body of an answer without its content coding, for servers that
// use one though they were asked not to.
func Identity(resp *http.Response) (io.ReadCloser, error) {
	encoding := resp.Header.Get("Content-Encoding")
	if encoding == "" {
		return resp.Body, nil
	}
	plain, err := coding.NewReader(encoding, resp.Body)
	if err != nil {
		return nil, &BrokenError{err}
	}
	resp.Header.Del("Content-Encoding")
	return &prefixed{Reader: plain, Closer: resp.Body}, nil
}

// BrokenError says that an answer could not be read to its end.
type BrokenError struct{ Err error }

// Error says what went wrong.
func (e *BrokenError) Error() string { return "read the answer: " + e.Err.Error() }

// Unwrap returns the cause.
func (e *BrokenError) Unwrap() error { return e.Err }

// Answered tells the proxy that the upstream was reached.
func (e *BrokenError) Answered() bool { return true }
