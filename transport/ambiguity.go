package transport

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// AmbiguousError says that a body has to be edited, and that parsers differ in how
// they read it: an edit could send something else than Plimsoll has read.
type AmbiguousError struct {
	// Path of the object, and the Key that it has twice.
	Path, Key string
}

// Error names the place.
func (e *AmbiguousError) Error() string {
	return fmt.Sprintf("%s has the key %.40q twice, so that it can be read in two ways", e.Path, e.Key)
}

// Unwrap returns [plimsoll.ErrInvalid].
func (e *AmbiguousError) Unwrap() error { return plimsoll.ErrInvalid }

// ambiguity finds objects that have a key twice, or two keys that differ in case only,
// which some parsers take for one. It remembers the messages in which there is none.
type ambiguity struct {
	clear *lru.Map[plimsoll.Digest, struct{}]
}

// clearLimit is how many messages are remembered.
const clearLimit = 1 << 15

// check looks at a body and its messages.
func (a *ambiguity) check(r *wire.Request) error {
	var root keys
	for name := range r.Members() {
		if root.again(name) {
			return &AmbiguousError{Path: "the request", Key: name}
		}
	}
	c := r.Conversation()
	for i := range c.Messages.Len() {
		digest := c.Messages.At(i).Digest
		if _, known := a.clear.Get(digest); known {
			continue
		}
		raw := r.Raw(i)
		if err := keysOf(rawjson.NewScanner(raw), fmt.Sprintf("message %d", i)); err != nil {
			return err
		}
		a.clear.Put(digest, struct{}{})
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
		var seen keys
		for key := range s.Members() {
			if seen.again(string(key)) && err == nil {
				err = &AmbiguousError{Path: path, Key: string(key)}
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

// fewKeys is how many keys are compared one by one.
const fewKeys = 16

// keys are those of one object.
type keys struct {
	few  []string
	many map[string]bool
}

// again adds a key and reports whether it was there.
func (k *keys) again(key string) bool {
	key = fold(key)
	if k.many == nil && len(k.few) < fewKeys {
		for _, other := range k.few {
			if other == key {
				return true
			}
		}
		k.few = append(k.few, key)
		return false
	}
	if k.many == nil {
		k.many = make(map[string]bool, 2*fewKeys)
		for _, other := range k.few {
			k.many[other] = true
		}
	}
	if k.many[key] {
		return true
	}
	k.many[key] = true
	return false
}

// fold brings keys to one form that lenient parsers take for the same. The long s is
// the one letter outside of ASCII that folds to one in it and has no other lower case.
func fold(key string) string {
	return strings.ReplaceAll(strings.ToLower(key), "ſ", "s")
}
