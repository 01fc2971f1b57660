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
