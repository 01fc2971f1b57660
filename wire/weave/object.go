package weave

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// memberOf returns the value of an object's member; nil if there is none. Of members
// with one name the last counts. It shares the bytes of the object.
func memberOf(object []byte, key string) (value []byte) {
	s := rawjson.NewScanner(object)
	if s.Peek() != '{' {
		return nil
	}
	for name := range s.Members() {
		if string(name) == key {
			value = s.Value().Of(object)
		}
	}
	if s.Err() != nil {
		return nil
	}
	return value
}

// stringOf returns a copy of a member that is a string; "" if it is none.
func stringOf(object []byte, key string) string {
	return strings.Clone(unquoted(memberOf(object, key)))
}

// unquoted returns the text of a JSON string; "" if it is none. It may share the bytes.
func unquoted(value []byte) string {
	t, _ := rawjson.Unquote(value, rawjson.Span{End: len(value)})
	return t
}

// appendInside appends what stands between the quotes of a JSON string. So the pieces
// are joined as they were written.
func appendInside(dst, value []byte) []byte {
	if !isString(value) {
		return dst
	}
	return append(dst, value[1:len(value)-1]...)
}

// quoted makes a JSON string of what stands between quotes.
func quoted(inside []byte) []byte { return append(append([]byte{'"'}, inside...), '"') }

// numberOf returns a member that is a whole number; 0 if it is none.
func numberOf(object []byte, key string) int {
	n, _ := rawjson.NewScanner(memberOf(object, key)).Int()
	return n
}

// withMember returns an object whose member has another value, in its old place or at
// the end. What is no object stays as it is.
func withMember(object []byte, key string, value []byte) []byte {
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
	e := wire.AddMember(root, m)[0]
	return splice(object, e.Span, e.Text)
}

// withoutMember returns an object that lacks a member.
func withoutMember(object []byte, key string) []byte {
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

// withNumber returns an object whose member is a number.
func withNumber(object []byte, key string, n int) []byte {
	return withMember(object, key, strconv.AppendInt(nil, int64(n), 10))
}

// splice puts a text in the place of a span.
func splice(data []byte, at rawjson.Span, text []byte) []byte {
	return slices.Concat(data[:at.Start], text, data[at.End:])
}

// listed writes an array.
func listed(elements [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}

// itemsOf returns the elements of an array; nil if it is none. They share its bytes.
func itemsOf(array []byte) [][]byte {
	s := rawjson.NewScanner(array)
	if s.Peek() != '[' {
		return nil
	}
	l := s.List()
	items := make([][]byte, len(l.Items))
	for i, item := range l.Items {
		items[i] = item.Of(array)
	}
	return items
}

// rawMessages returns elements as a record holds them.
func rawMessages(elements [][]byte) []json.RawMessage {
	all := make([]json.RawMessage, len(elements))
	for i, e := range elements {
		all[i] = e
	}
	return all
}

// isString tells a string from other JSON.
func isString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// isObject tells an object from other JSON, and from what is none.
func isObject(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte{'{'}) && json.Valid(raw)
}
