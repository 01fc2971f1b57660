package build

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Defaults are the methods of a [wire.Writer] whose API has no special rules: it holds no
// earlier messages, takes a message anywhere, and needs no adjustments.
type Defaults struct{}

// Continues returns false.
func (Defaults) Continues() bool { return false }

// Adjust returns no edits.
func (Defaults) Adjust(*plimsoll.Draft, []bool, map[int][][]byte) ([]rawjson.Edit, error) {
	return nil, nil
}

// Place leaves all messages before message i.
func (Defaults) Place(i int, _ []plimsoll.Message, _ []bool) (at, n int) { return i, 0 }

// Finish returns the body itself.
func (Defaults) Finish(body []byte) ([]byte, error) { return body, nil }

// Bare returns the value itself.
func (Defaults) Bare(raw []byte) []byte { return raw }

// ResultsApart renders a message for an API in which each tool result is a message of its
// own. What else the message has follows them.
func ResultsApart(m plimsoll.Message, result func(plimsoll.ToolResult) ([]byte, error), others func([]plimsoll.Part) ([]byte, error)) ([][]byte, error) {
	var elements [][]byte
	var rest []plimsoll.Part
	for _, p := range m.Parts.All() {
		r, ok := p.(plimsoll.ToolResult)
		if !ok {
			rest = append(rest, p)
			continue
		}
		element, err := result(r)
		if err != nil {
			return nil, err
		}
		elements = append(elements, element)
	}
	if len(rest) == 0 && len(elements) > 0 {
		return elements, nil
	}
	element, err := others(rest)
	if err != nil {
		return nil, err
	}
	return append(elements, element), nil
}
