package wiretest

import (
	"bytes"
	"encoding/json"
)

// Raw is JSON text. Renderers build bodies from it, so that they need neither the
// codec under test nor a type for every request.
type Raw []byte

// Member is a member of an object.
type Member struct {
	Key   string
	Value Raw
}

// NewMember returns a member.
func NewMember(key string, value Raw) Member { return Member{key, value} }

// Object writes an object with its members in the given order. Their keys need no
// escapes: a suite renders millions of them.
func Object(members ...Member) Raw {
	size := 2
	for _, m := range members {
		size += len(m.Key) + len(m.Value) + len(`"":,`)
	}
	out := append(make(Raw, 0, size), '{')
	for i, m := range members {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(append(append(out, '"'), m.Key...), '"', ':')
		out = append(out, m.Value...)
	}
	return append(out, '}')
}

// Array writes an array.
func Array(items ...Raw) Raw {
	out := Raw{'['}
	for i, item := range items {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, item...)
	}
	return append(out, ']')
}

// String writes a string.
func String(s string) Raw {
	out, err := json.Marshal(s)
	if err != nil {
		panic(err) // no string does that
	}
	return out
}

// Word writes a string that needs no escapes.
func Word[T ~string](s T) Raw { return Raw(`"` + s + `"`) }

// LayOut returns the text as it is, or with white space.
func LayOut(text Raw, indent bool) []byte {
	if !indent {
		return text
	}
	var b bytes.Buffer
	if err := json.Indent(&b, text, " ", "\t"); err != nil {
		panic(err) // a renderer wrote something that is no JSON
	}
	return append(b.Bytes(), '\n')
}
