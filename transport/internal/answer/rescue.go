package answer

import (
	"bytes"
	"cmp"
	"io"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// Rescue says what is done when a stream begins with the error that the context is full.
type Rescue struct {
	// Again sends the request once more and returns the second answer; nil if there is
	// none, so that the client gets the error.
	Again func(wire.Overflow) (io.ReadCloser, error)
	// Renamed is called if the second answer is given the id of the first.
	Renamed func()
	// Failed gets a panic.
	Failed func(error)
}

// head is the body of a streamed answer up to the first event that says something.
// Events that only say that an answer begins are handed on as they come. If the next
// event says that the context is full, the request is sent once more, and the second
// answer follows; its own beginning is left out, and its end has the id of the first,
// which clients compare. Otherwise nothing is read on the side after that event.
type head struct {
	codec wire.Codec
	from  io.ReadCloser
	to    Rescue
	// events finds the events in what was read; nil when nothing is read on the side.
	events *sse.Splitter
	// held is what was read and not given to the client. The client may have its first
	// free bytes.
	held []byte
	free int
	// over says that the last event of the head was found, overflow that it says that
	// the context is full.
	over     bool
	overflow *wire.Overflow
	// second says that this is the answer to the second request. First and other are
	// the ids of the two answers.
	second       bool
	first, other string
	// renamed finds the events of a second answer that has another id.
	renamed *sse.Splitter
	chunk   []byte
	ready   []byte
	err     error
}

// NewRescued returns the body of a stream of events that can still be rescued.
func NewRescued(codec wire.Codec, from io.ReadCloser, to Rescue) io.ReadCloser {
	h := &head{codec: codec, from: from, to: to, chunk: make([]byte, chunkSize)}
	h.begin()
	return h
}

// begin looks at the events of an answer.
func (h *head) begin() {
	assembler := h.codec.NewAssembler()
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
	}, &sse.Options{MaxEvent: maxError, Lines: h.codec.Traits().Lines})
}

// open takes an event of the beginning.
func (h *head) open(e sse.Event) {
	id := idOf(e.Data)
	if h.second {
		h.other = cmp.Or(id, h.other)
		h.held = h.held[len(e.Raw):]
		return
	}
	h.first = cmp.Or(id, h.first)
	h.free += len(e.Raw)
}

// judge looks at the first event that says something.
func (h *head) judge(a wire.Assembler, e sse.Event) {
	defer func() {
		if r := recover(); r != nil {
			h.overflow = nil
			h.to.Failed(panicError(r))
		}
	}()
	failure := errorLine(e)
	if e.HasData() {
		a.Event(e.Name, e.Data)
		if said := a.Response().Error; said != nil && said.Overflows() {
			failure = e.Data
		}
	}
	if failure == nil || h.second {
		return
	}
	if o, ok := wire.FindOverflow(http.StatusBadRequest, failure); ok {
		h.overflow = &o
	}
}

// opening reports whether an event says no more than that an answer begins.
func opening(e sse.Event) bool {
	if !e.HasData() {
		return errorLine(e) == nil
	}
	return e.Name == "response.created" || e.Name == "response.in_progress" || e.Name == "response.queued"
}

// errorLine returns the error of an event that has one in a line of that name and no data,
// as llama.cpp wrote them until 2025; nil if there is none.
func errorLine(e sse.Event) []byte {
	line, found := bytes.CutPrefix(e.Raw, []byte("error: "))
	if e.HasData() || !found {
		return nil
	}
	return bytes.TrimSpace(line)
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
	n, err := h.from.Read(h.chunk)
	h.held = append(h.held, h.chunk[:n]...)
	_, _ = h.events.Write(h.chunk[:n])
	switch {
	case h.overflow != nil:
		h.retry()
		return
	case h.over, err != nil, len(h.held) > maxError:
		h.finish()
	default:
		h.ready, h.held = h.held[:h.free:h.free], h.held[h.free:]
		h.free = 0
	}
	h.err = err
}

// finish stops looking: everything that was read is the client's.
func (h *head) finish() {
	h.ready, h.held = h.held, nil
	h.events = nil
	if a, b := h.first, h.other; h.second && a != "" && b != "" && a != b {
		h.to.Renamed()
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
	}
}

// rename hands on the events of the second answer under the name of the first.
func (h *head) rename() {
	n, err := h.from.Read(h.chunk)
	_, _ = h.renamed.Write(h.chunk[:n])
	if err != nil {
		_ = h.renamed.Close()
		h.err = err
	}
}

// retry goes on with the second answer, or gives the client the error if there is none.
func (h *head) retry() {
	second, err := h.to.Again(*h.overflow)
	h.overflow = nil
	switch {
	case err != nil:
		h.err = err
	case second == nil:
		h.finish()
	default:
		_ = h.from.Close()
		h.ready, h.held = h.held[:h.free:h.free], nil
		h.from, h.second, h.over, h.free = second, true, false, 0
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
