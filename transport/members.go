package transport

import (
	"bytes"
	"iter"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// members iterates over the members of a request, which were found when it was
// decoded.
func members(r *wire.Request) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		body := r.Body()
		for _, at := range r.Layout().Root.Items {
			s := rawjson.NewScannerAt(body, at)
			key, _ := s.String()
			_, value, _ := bytes.Cut(body[s.Offset():at.End], []byte{':'})
			if !yield(key.Decode(body), bytes.TrimSpace(value)) {
				return
			}
		}
	}
}
