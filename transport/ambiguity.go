package transport

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// ambiguousError says that a body has to be edited, and that parsers differ in how
// they read it: an edit could send something else than Plimsoll has read.
type ambiguousError struct {
	// Path of the object, and the Key that it has twice.
	Path, Key string
}

// Error names the place.
func (e *ambiguousError) Error() string {
	return fmt.Sprintf("%s has the key %.40q twice, so that it can be read in two ways", e.Path, e.Key)
}

// Unwrap returns [plimsoll.ErrInvalid].
func (e *ambiguousError) Unwrap() error { return plimsoll.ErrInvalid }

// maxUnambiguous is how many messages are remembered in which no key stands twice.
const maxUnambiguous = 1 << 15

// checkUnambiguous looks for objects in a body that have a key twice, or two keys that
// differ in case only, which some parsers take for one.
func (t *Transport) checkUnambiguous(r *wire.Request) error {
	seen := map[string]bool{}
	for name := range r.Members() {
		if again(seen, name) {
			return &ambiguousError{Path: "the request", Key: name}
		}
	}
	c := r.Conversation()
	for i := range c.Messages.Len() {
		digest := c.Messages.At(i).Digest
		if _, known := t.unambiguous.Get(digest); known {
			continue
		}
		if err := keysOf(rawjson.NewScanner(r.Raw(i)), fmt.Sprintf("message %d", i)); err != nil {
			return err
		}
		t.unambiguous.Put(digest, struct{}{})
	}
	return nil
}

// keysOf looks at the value that a scanner stands at, and at everything in it.
func keysOf(s *rawjson.Scanner, path string) error {
	var err error
	switch s.Peek() {
	case '[':
		for range s.Elements() {
			if failed := keysOf(s, path); err == nil {
				err = failed
			}
		}
	case '{':
		seen := map[string]bool{}
		for key := range s.Members() {
			if again(seen, string(key)) && err == nil {
				err = &ambiguousError{Path: path, Key: string(key)}
			}
			if ofTools[string(key)] {
				continue // Plimsoll does not read what is in it
			}
			if failed := keysOf(s, path); err == nil {
				err = failed
			}
		}
	default:
		s.Value()
	}
	return err
}

// ofTools are members that hold the inputs and outputs of tools, in forms of their own.
var ofTools = map[string]bool{
	"input": true, "args": true, "arguments": true, "response": true, "parameters": true, "input_schema": true, "schema": true, "metadata": true,
}

// again adds a key and reports whether it was there, in a form that lenient parsers take
// for the same. The long s is the one letter outside of ASCII that folds to one in it and
// has no other lower case.
func again(seen map[string]bool, key string) bool {
	key = strings.ReplaceAll(strings.ToLower(key), "ſ", "s")
	was := seen[key]
	seen[key] = true
	return was
}
