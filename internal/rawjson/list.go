package rawjson

import (
	"bytes"
	"fmt"
)

// List is an array or an object with the spans of what is in it.
type List struct {
	// Span of the whole, with its brackets.
	Span
	// Items are the elements in order; of an object, its members, each from the
	// key's opening quote to the end of the value.
	Items []Span
}

// List returns the next value if it is an array or an object. Any other value is
// skipped and the List is zero. Items is the only memory it takes: 16 bytes for
// each item, and as usual with append some more while it grows.
func (s *Scanner) List() List {
	kind := s.Peek()
	if kind != '{' && kind != '[' {
		s.Value()
		return List{}
	}
	l := List{Span: Span{Start: s.pos}}
	for more := s.open(kind); more; {
		item := s.item(kind)
		if s.err != nil {
			return List{}
		}
		l.Items = append(l.Items, item)
		more = s.next(item.Start, kind+2)
	}
	if s.err != nil {
		return List{}
	}
	l.End = s.pos
	return l
}

// item reads an element, or a member with its key.
func (s *Scanner) item(kind byte) Span {
	if kind == '[' {
		return s.Value()
	}
	key, ok := s.key()
	if !ok {
		return Span{}
	}
	return Span{key.Start, s.Value().End}
}

// Rearrange returns the edits that leave only some items of a list and insert
// others. Item i stays if kept[i] is true or kept is nil; else kept has one entry
// for each item. The texts inserts[i] go before item i, those of
// inserts[len(l.Items)] to the end, whether or not the item itself stays; in an
// object each text is a whole member.
//
// Items that were neighbours and still are keep what stands between them. Any other
// two are separated by a bare comma, and the white space inside the brackets stays.
// So everything before the first change keeps its bytes, and the result is JSON if
// the texts are.
//
// It panics if the arguments do not fit the list: that is a mistake of the caller,
// and to drop a text in silence would be a worse one.
func Rearrange(l List, kept []bool, inserts map[int][][]byte) []Edit {
	checkFit(l, kept, inserts)
	var edits []Edit
	var texts [][]byte
	last := -1
	for i := range l.Items {
		texts = append(texts, inserts[i]...)
		if kept != nil && !kept[i] {
			continue
		}
		if last < i-1 || len(texts) > 0 {
			edits = append(edits, l.between(last, i, texts))
		}
		last, texts = i, nil
	}
	texts = append(texts, inserts[len(l.Items)]...)
	if last < len(l.Items)-1 || len(texts) > 0 {
		edits = append(edits, l.between(last, len(l.Items), texts))
	}
	return edits
}

// Append returns the edits that add elements to the end of an array, or members to that
// of an object.
func Append(l List, elements ...[]byte) []Edit {
	n := len(l.Items)
	return []Edit{l.between(n-1, n, elements)}
}

func checkFit(l List, kept []bool, inserts map[int][][]byte) {
	n := len(l.Items)
	if kept != nil && len(kept) != n {
		panic(fmt.Sprintf("rawjson: Rearrange of %d items is told of %d", n, len(kept)))
	}
	for i := range inserts {
		if i < 0 || i > n || l.Len() < 2 {
			panic(fmt.Sprintf("rawjson: Rearrange cannot insert before item %d of %d", i, n))
		}
	}
}

// between returns the edit that puts texts, and nothing else, between the items
// before and after. Before is -1 and after is len(l.Items) at the ends.
func (l List) between(before, after int, texts [][]byte) Edit {
	n := len(l.Items)
	if n == 0 {
		return Edit{Span{l.End - 1, l.End - 1}, bytes.Join(texts, []byte{','})}
	}
	e := Edit{Span: Span{l.Items[0].Start, l.Items[n-1].End}}
	if before >= 0 {
		e.Start = l.Items[before].End
		texts = append([][]byte{nil}, texts...)
	}
	if after < n {
		e.End = l.Items[after].Start
		texts = append(texts[:len(texts):len(texts)], nil)
	}
	e.Text = bytes.Join(texts, []byte{','})
	return e
}
