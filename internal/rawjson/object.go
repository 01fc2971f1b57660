package rawjson

import (
	"bytes"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
)

// Member returns the value of an object's member; nil if there is none. Of members
// with one name the last counts. It shares the bytes of the object.
func Member(object []byte, key string) (value []byte) {
	s := NewScanner(object)
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

// MemberText returns a copy of a member that is a string; "" if it is none.
func MemberText(object []byte, key string) string {
	return strings.Clone(Unquoted(Member(object, key)))
}

// MemberInt returns a member that is a whole number; 0 if it is none.
func MemberInt(object []byte, key string) int {
	n, _ := NewScanner(Member(object, key)).Int()
	return n
}

// SetMember returns an object whose member has another value, in its old place or at
// the end. A value that is no object is returned unchanged.
func SetMember(object []byte, key string, value []byte) []byte {
	s := NewScanner(object)
	if s.Peek() != '{' {
		return object
	}
	end, first := s.Offset()+len("{"), true
	var old Span
	for name := range s.Members() {
		v := s.Value()
		end, first = v.End, false
		if string(name) == key {
			old = v
		}
	}
	if s.Err() != nil {
		return object
	}
	if !old.IsZero() {
		return Replace(object, old, value)
	}
	member := append(append(AppendQuote(nil, key), ':'), value...)
	if !first {
		member = append([]byte{','}, member...)
	}
	return Replace(object, Span{Start: end, End: end}, member)
}

// SetInt returns an object whose member is a number.
func SetInt(object []byte, key string, n int) []byte {
	return SetMember(object, key, strconv.AppendInt(nil, int64(n), 10))
}

// AddInt adds to a number of an object, if it is there.
func AddInt(object []byte, key string, by int) []byte {
	if by == 0 || Member(object, key) == nil {
		return object
	}
	return SetInt(object, key, MemberInt(object, key)+by)
}

// RemoveMember returns an object without a member. An object that does not have it
// is returned unchanged.
func RemoveMember(object []byte, key string) []byte {
	s := NewScanner(object)
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
	out, err := Splice(object, Rearrange(NewScanner(object).List(), kept, nil))
	if err != nil {
		return object
	}
	return out
}

// Replace returns data with a text in place of a span.
func Replace(data []byte, at Span, text []byte) []byte {
	return slices.Concat(data[:at.Start], text, data[at.End:])
}

// Items returns the elements of an array; nil if it is none. They share its bytes.
func Items(array []byte) [][]byte {
	s := NewScanner(array)
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

// Array writes an array of elements.
func Array(elements [][]byte) []byte {
	return append(append([]byte{'['}, bytes.Join(elements, []byte{','})...), ']')
}

// Unquoted returns the text of a JSON string; "" if it is none. It may share the bytes.
func Unquoted(value []byte) string {
	t, _ := Unquote(value, Span{End: len(value)})
	return t
}

// AppendInside appends the bytes between the quotes of a JSON string, still escaped, so
// that pieces of a text are joined as they were written. Other values add nothing.
func AppendInside(dst, value []byte) []byte {
	if !IsString(value) {
		return dst
	}
	return append(dst, value[1:len(value)-1]...)
}

// InQuotes makes a JSON string of text that is escaped already.
func InQuotes(inside []byte) []byte { return append(append([]byte{'"'}, inside...), '"') }

// IsString reports whether raw begins as a JSON string.
func IsString(raw []byte) bool { return len(raw) > 0 && raw[0] == '"' }

// IsObject reports whether raw is one valid JSON object.
func IsObject(raw []byte) bool {
	return bytes.HasPrefix(bytes.TrimSpace(raw), []byte{'{'}) && json.Valid(raw)
}
