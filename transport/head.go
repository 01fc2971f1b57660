package transport

import (
	"bytes"
	"io"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/wire"
)

// head is the body of a streamed answer up to the first event that says something.
// Events that only say that an answer begins are handed on as they come. If the first
// other one says that the context is full, the request is sent once more, and the
// second answer goes on behind them; its own beginning is left out, and its end has the
// name of the first, which clients compare. Otherwise nothing is looked at any more
// behind that event.
type head struct {
	f    *flow
	from io.ReadCloser
	// events finds the events in what was read; nil when nothing is looked at any more.
	events *sse.Splitter
	// held is what was read and not given to the client, of which the events so far
	// took up the first taken bytes; of those the client gets the first free bytes.
	held        []byte
	taken, free int
	// over says that an event was found that ends the looking, verdict that it is an
	// overflow.
	over    bool
	verdict *wire.Overflow
	// second says that this is the answer to the second request, names are what the two
	// answers are called.
	second bool
	names  [2]string
	// renamed finds the events of a second answer that has another name.
	renamed *sse.Splitter
	chunk   *[chunkSize]byte
	ready   []byte
	err     error
}

func newHead(f *flow, from io.ReadCloser) *head {
	h := &head{f: f, from: from, chunk: chunks.Get().(*[chunkSize]byte)}
	h.begin()
	return h
}

// begin looks at the events of an answer.
func (h *head) begin() {
	assembler := h.f.codec.NewAssembler()
	h.events = sse.NewSplitter(func(e sse.Event, err error) {
		switch {
		case h.over:
		case err != nil:
			h.over = true
		case opening(e):
			h.open(e)
		default:
			h.over = true
			h.judge(assembler, e)
		}
	}, &sse.Options{MaxEvent: maxError})
}

// open takes an event of the beginning.
func (h *head) open(e sse.Event) {
	if id := history.AnswerID(e.Data); id != "" {
		h.names[count(h.second)] = id
	}
	h.taken += len(e.Raw)
	if h.second {
		h.held, h.taken = h.held[len(e.Raw):], 0
	}
	h.free = h.taken
}

func count(is bool) int {
	if is {
		return 1
	}
	return 0
}

// judge looks at the first event that says something.
func (h *head) judge(a wire.Assembler, e sse.Event) {
	defer func() {
		if r := recover(); r != nil {
			h.verdict = nil
			h.f.failed("the answer could not be managed", panicError(r))
		}
	}()
	a.Event(e.Name, e.Data)
	if said := a.Response().Error; !h.second && said != nil && said.Overflows() {
		o, _ := wire.FindOverflow(http.StatusBadRequest, e.Data)
		h.verdict = &o
	}
}

// opening reports whether an event says no more than that an answer begins.
func opening(e sse.Event) bool {
	return !e.HasData() || e.Name == "response.created" || e.Name == "response.in_progress" || e.Name == "response.queued"
}

// Read gives the client what it may have.
func (h *head) Read(p []byte) (int, error) {
	for len(h.ready) == 0 && h.err == nil {
		switch {
		case h.renamed != nil:
			h.rename()
		case h.events == nil:
			return h.from.Read(p)
		default:
			h.step()
		}
	}
	n := copy(p, h.ready)
	h.ready = h.ready[n:]
	if len(h.ready) > 0 {
		return n, nil
	}
	return n, h.err
}

func (h *head) step() {
	n, err := h.from.Read(h.chunk[:])
	h.held = append(h.held, h.chunk[:n]...)
	_, _ = h.events.Write(h.chunk[:n])
	switch {
	case h.verdict != nil:
		h.retry()
		return
	case h.over, err != nil, len(h.held) > maxError:
		h.finish()
	default:
		h.ready, h.held = h.held[:h.free:h.free], h.held[h.free:]
		h.taken, h.free = 0, 0
	}
	h.err = err
}

// finish stops looking: everything that was read is the client's.
func (h *head) finish() {
	h.ready, h.held = h.held, nil
	h.events = nil
	if a, b := h.names[0], h.names[1]; h.second && a != "" && b != "" && a != b {
		h.f.renamed = true
		read := h.ready
		h.ready = nil
		h.renamed = sse.NewSplitter(func(e sse.Event, _ error) {
			raw := e.Raw
			if strings.HasPrefix(e.Name, "response.") && bytes.Contains(e.Data, []byte(`"response"`)) {
				raw = bytes.ReplaceAll(raw, []byte(`"`+b+`"`), []byte(`"`+a+`"`))
			}
			h.ready = append(h.ready, raw...)
		}, nil)
		_, _ = h.renamed.Write(read)
		return
	}
	chunks.Put(h.chunk)
	h.chunk = nil
}

// rename hands on the events of the second answer under the name of the first.
func (h *head) rename() {
	n, err := h.from.Read(h.chunk[:])
	_, _ = h.renamed.Write(h.chunk[:n])
	if err != nil {
		_ = h.renamed.Close()
		h.err = err
	}
}

// retry sends the request once more, or gives the client the error if that cannot be.
func (h *head) retry() {
	resp, err := h.f.again(*h.verdict)
	h.verdict = nil
	switch {
	case err != nil:
		h.err = err
	case resp == nil, resp.StatusCode != http.StatusOK, resp.Header.Get("Content-Encoding") != "":
		if resp != nil {
			_ = resp.Body.Close()
		}
		h.finish()
	default:
		_ = h.from.Close()
		h.ready, h.held = h.held[:h.free:h.free], nil
		h.from, h.second, h.over, h.taken, h.free = h.f.rewoven(resp), true, false, 0, 0
		h.begin()
	}
}

// Close ends the answer.
func (h *head) Close() error {
	err := h.from.Close()
	if h.err == nil {
		h.err = io.ErrClosedPipe
	}
	return err
}
