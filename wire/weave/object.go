package weave

import (
	"slices"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// member returns the value of an object's member; nil if there is none. Of members with
// one name the last counts.
func member(object []byte, key string) (value []byte) {
	s := rawjson.NewScanner(object)
	if s.Peek() != '{' {
		return nil
	}
	for name := range s.Members() {
		if string(name) == key {
			value = s.Value().Of(object)
		}
	}
	return value
}

// text returns a member that is a string; "" if it is none.
func text(object []byte, key string) string {
	value := member(object, key)
	t, _ := rawjson.Unquote(value, rawjson.Span{End: len(value)})
	return t
}

// with returns an object whose member has another value, in its old place or at the
// end. What is no object stays as it is.
func with(object []byte, key string, value []byte) []byte {
	s := rawjson.NewScanner(object)
	if s.Peek() != '{' {
		return object
	}
	root := rawjson.List{Span: rawjson.Span{Start: s.Offset()}}
	var old rawjson.Span
	for name, at := range s.Members() {
		v := s.Value()
		root.Items = append(root.Items, rawjson.Span{Start: at.Start, End: v.End})
		if string(name) == key {
			old = v
		}
	}
	if s.Err() != nil {
		return object
	}
	if !old.IsZero() {
		return splice(object, old, value)
	}
	m := append(append(rawjson.AppendQuote(nil, key), ':'), value...)
	at := wire.AddMember(root, m)[0]
	return splice(object, at.Span, at.Text)
}

// without returns an object that lacks a member.
func without(object []byte, key string) []byte {
	s := rawjson.NewScanner(object)
	if s.Peek() != '{' {
		return object
	}
	var kept []bool
	for name := range s.Members() {
		kept = append(kept, string(name) != key)
	}
	if s.Err() != nil || !slices.Contains(kept, false) {
		return object
	}
	out, err := rawjson.Splice(object, rawjson.Rearrange(rawjson.NewScanner(object).List(), kept, nil))
	if err != nil {
		return object
	}
	return out
}

// splice puts a text in the place of a span.
func splice(data []byte, at rawjson.Span, text []byte) []byte {
	return slices.Concat(data[:at.Start], text, data[at.End:])
}
