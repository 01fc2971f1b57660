package openai

import (
	"bytes"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// reasoningDetail is a piece of reasoning with its signature.
type reasoningDetail []rawMember

func (d reasoningDetail) member(key string) []byte {
	for _, m := range d {
		if m.key == key {
			return m.value
		}
	}
	return nil
}

// detail adds a piece of reasoning. Pieces of one text are joined, so that the signature
// is found with all that was signed.
func (a *answerMessage) detail(piece []byte) {
	n := len(a.details)
	if a.whole || n == 0 || !a.details[n-1].goesOn(piece) {
		a.details, n = append(a.details, nil), n+1
	}
	d := &a.details[n-1]
	s := rawjson.NewScanner(piece)
	for key := range s.Members() {
		d.set(string(key), s.Value().Of(piece))
	}
}

func (d reasoningDetail) goesOn(piece []byte) bool {
	return string(d.member("type")) == string(rawjson.Member(piece, "type")) &&
		string(d.member("index")) == string(rawjson.Member(piece, "index"))
}

// set takes in a member of a piece. What is text is joined, still escaped, and stands
// between quotes only in the end.
func (d *reasoningDetail) set(key string, value []byte) {
	for i := range *d {
		m := &(*d)[i]
		switch {
		case m.key != key || string(value) == "null":
		case isDetailText(key) && rawjson.IsString(value) && rawjson.IsString(m.value):
			m.value = append(m.value, value[1:len(value)-1]...)
		default:
			m.value = detailValue(key, value)
		}
		if m.key == key {
			return
		}
	}
	if len(*d) < maxMembers {
		*d = append(*d, rawMember{key, detailValue(key, value)})
	}
}

func isDetailText(key string) bool { return key == "text" || key == "summary" || key == "data" }

// detailValue copies a value; a text without the quote that ends it.
func detailValue(key string, value []byte) []byte {
	if isDetailText(key) && rawjson.IsString(value) {
		value = value[:len(value)-1]
	}
	return bytes.Clone(value)
}

func (d reasoningDetail) whole() []byte {
	out := []byte{'{'}
	for i, m := range d {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(rawjson.AppendQuote(out, m.key), ':')
		out = append(out, m.value...)
		if isDetailText(m.key) && rawjson.IsString(m.value) {
			out = append(out, '"')
		}
	}
	return append(out, '}')
}
