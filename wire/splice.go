package wire

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// AppendElements returns the edit that appends elements to an array, or members
// to an object.
func AppendElements(l rawjson.List, elements [][]byte) []rawjson.Edit {
	text := bytes.Join(elements, []byte(","))
	at := l.Start + 1
	if n := len(l.Items); n > 0 {
		at = l.Items[n-1].End
		text = append([]byte(","), text...)
	}
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: text}}
}

// AddMember returns the edit that appends a member, given as "key":value, to an
// object.
func AddMember(object rawjson.List, member []byte) []rawjson.Edit {
	return AppendElements(object, [][]byte{member})
}
