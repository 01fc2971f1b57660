package ollama

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// ReadResponse reads a complete answer.
func (Codec) ReadResponse(body []byte) (wire.Response, error) {
	r, ok := readRecord(body, nil)
	if !ok {
		return wire.Response{}, fmt.Errorf("ollama response: %w: expected an object", plimsoll.ErrInvalid)
	}
	var s assembler
	s.take(r)
	return s.Response(), nil
}

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{} }

// assembler joins the records of an answer.
type assembler struct {
	response wire.Response
	answer   answer
}

var _ wire.Assembler = (*assembler)(nil)

// Event takes one record.
func (s *assembler) Event(_ string, data []byte) {
	if r, ok := readRecord(data, nil); ok {
		s.take(r)
	}
}

// take adds a record. The last one has the usage among its members.
func (s *assembler) take(r record) {
	var usage []byte
	if r.done {
		usage = r.data
	}
	build.Take(&s.response, strings.Clone(rawjson.Unquoted(r.model)), usage, r.failure)
	s.answer.add(r)
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, s.answer.parts()...)
	r.Stop = s.answer.stop()
	return r
}

// Done reports whether the last record came.
func (s *assembler) Done() bool { return s.answer.done }
