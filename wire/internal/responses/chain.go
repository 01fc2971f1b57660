package responses

import (
	"fmt"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// PreviousResponseID returns the answer that a request continues, or "". Then the
// request holds only what is new, and the history before it is on the server. For
// requests of other dialects it is "".
func PreviousResponseID(r *wire.Request) string {
	if r.Dialect() != plimsoll.Responses {
		return ""
	}
	var previous string
	body := r.Body()
	s := rawjson.NewScanner(body)
	for key := range s.Members() {
		if string(key) == "previous_response_id" {
			t, _ := s.String()
			previous = t.Decode(body)
		}
	}
	return previous
}

// Rebuild returns a continued request as one that stands alone: the earlier items
// go in front of its own and previous_response_id goes, while everything else
// keeps its bytes. Earlier is what the server remembers, oldest first: the items of
// each earlier request (see [InputItems]) with those of its answer (see
// [OutputItems]), or what is left of them after compaction (see [RenderItems]).
func Rebuild(r *wire.Request, earlier [][]byte) ([]byte, error) {
	if PreviousResponseID(r) == "" {
		return nil, fmt.Errorf("rebuild: the request has no previous_response_id: %w", plimsoll.ErrInvalid)
	}
	edits, err := inFront(r, earlier)
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	out, err := rawjson.Splice(r.Body(), append(edits, withoutPrevious(r)...))
	if err != nil {
		return nil, fmt.Errorf("rebuild: %w", err)
	}
	if _, err := (Codec{}).Decode(out); err != nil {
		return nil, fmt.Errorf("rebuild: the earlier items: %w", err)
	}
	return out, nil
}

func inFront(r *wire.Request, earlier [][]byte) ([]rawjson.Edit, error) {
	messages := r.Layout().Messages
	if isBare(r) {
		own, err := InputItems(r)
		if err != nil {
			return nil, err
		}
		all := append(earlier[:len(earlier):len(earlier)], own...)
		return []rawjson.Edit{{Span: messages.Span, Text: array(all)}}, nil
	}
	if len(earlier) == 0 {
		return nil, nil
	}
	return rawjson.Rearrange(messages, nil, map[int][][]byte{0: earlier}), nil
}

// withoutPrevious takes previous_response_id out of the request, however often it
// is there.
func withoutPrevious(r *wire.Request) []rawjson.Edit {
	s := rawjson.NewScanner(r.Body())
	var kept []bool
	for key := range s.Members() {
		kept = append(kept, string(key) != "previous_response_id")
	}
	return rawjson.Rearrange(r.Layout().Root, kept, nil)
}

func isBare(r *wire.Request) bool {
	l := r.Layout()
	return l.Len() == 1 && len(l.Messages.Items) == 0
}

func array(items [][]byte) []byte {
	out := []byte{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}

// bareItem is the message that a bare string stands for.
func bareItem(raw []byte) []byte {
	return slices.Concat([]byte(`{"type":"message","role":"user","content":`), raw, []byte("}"))
}

// Bare returns the message that a bare string stands for.
func (*writer) Bare(raw []byte) []byte { return bareItem(raw) }

// InputItems returns the raw items of a request. A bare string becomes
// the message that it stands for. They share the bytes of the request.
func InputItems(r *wire.Request) ([][]byte, error) {
	if isBare(r) {
		return [][]byte{bareItem(r.Raw(0))}, nil
	}
	items := make([][]byte, r.Layout().Len())
	for i := range items {
		items[i] = r.Raw(i)
	}
	return items, nil
}

// RenderItems renders messages as items. Reasoning without its encrypted content
// is left out: it cannot be sent by value.
func RenderItems(messages ...plimsoll.Message) ([][]byte, error) {
	var all [][]byte
	for i, m := range messages {
		items, err := renderItems(m)
		if err != nil {
			return nil, fmt.Errorf("message %d: %w", i, err)
		}
		all = append(all, items...)
	}
	return all, nil
}

// OutputItems returns the raw items of an answer: of a complete one, or
// of the event that ends a stream (response.completed). They share the bytes of
// body.
func OutputItems(body []byte) ([][]byte, error) {
	s := rawjson.NewScanner(body)
	items := outputItems(s, body)
	if err := s.End(); err != nil {
		return nil, fmt.Errorf("responses answer: %w: %w", plimsoll.ErrInvalid, err)
	}
	if items == nil {
		return nil, fmt.Errorf("responses answer: no output: %w", plimsoll.ErrInvalid)
	}
	return items, nil
}

func outputItems(s *rawjson.Scanner, body []byte) [][]byte {
	var items [][]byte
	for key := range s.Members() {
		switch {
		case string(key) == "response" && s.Peek() == '{':
			items = outputItems(s, body)
		case string(key) == "output" && s.Peek() == '[':
			items = [][]byte{}
			for range s.Elements() {
				items = append(items, s.Value().Of(body))
			}
		}
	}
	return items
}
