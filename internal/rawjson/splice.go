package rawjson

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math/bits"
	"slices"
)

// Edit replaces a span with Text. An empty span inserts.
type Edit struct {
	Span
	Text []byte
}

// Splice returns data with the edits made. They may come in any order and must not
// overlap; insertions at the same offset keep their order and stand before an edit
// that begins there. Neither data nor edits are changed, and without edits the
// result is data itself. Splice does not look at what it copies: whether the result
// is JSON is the edits' business.
func Splice(data []byte, edits []Edit) ([]byte, error) {
	if len(edits) == 0 {
		return data, nil
	}
	if !slices.IsSortedFunc(edits, inOrder) {
		edits = slices.Clone(edits)
		slices.SortStableFunc(edits, inOrder)
	}
	size, err := splicedSize(data, edits)
	if err != nil {
		return nil, err
	}
	out := make([]byte, 0, size)
	done := 0
	for _, e := range edits {
		out = append(out, data[done:e.Start]...)
		out = append(out, e.Text...)
		done = e.End
	}
	return append(out, data[done:]...), nil
}

func inOrder(a, b Edit) int {
	return cmp.Or(cmp.Compare(a.Start, b.Start), cmp.Compare(a.End, b.End))
}

// splicedSize returns the length of the result, or what is wrong with the edits.
func splicedSize(data []byte, edits []Edit) (int, error) {
	size, done := len(data), 0
	for i, e := range edits {
		switch {
		case e.Start < 0 || e.End < e.Start || e.End > len(data):
			return 0, fmt.Errorf("splice: edit of %d to %d is outside of %d bytes", e.Start, e.End, len(data))
		case e.Start < done:
			before := edits[i-1]
			return 0, fmt.Errorf("splice: edits of %d to %d and of %d to %d overlap", before.Start, before.End, e.Start, e.End)
		}
		size += len(e.Text) - e.Len()
		done = e.End
	}
	return size, nil
}

// SharedPrefix returns how many bytes a and b have in common from the start.
func SharedPrefix(a, b []byte) int {
	// The runtime compares blocks faster than a loop over words does.
	const block = 4096
	n := min(len(a), len(b))
	i := 0
	for i+block <= n && bytes.Equal(a[i:i+block], b[i:i+block]) {
		i += block
	}
	for ; i+8 <= n; i += 8 {
		if x := binary.LittleEndian.Uint64(a[i:]) ^ binary.LittleEndian.Uint64(b[i:]); x != 0 {
			return i + bits.TrailingZeros64(x)/8
		}
	}
	for i < n && a[i] == b[i] {
		i++
	}
	return i
}
