package wire

import (
	"bytes"
	"iter"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Members goes through the members of a request, which were found when it was decoded.
func (r *Request) Members() iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		body := r.Body()
		for _, at := range r.layout.Root.Items {
			s := rawjson.NewScannerAt(body, at)
			key, _ := s.String()
			_, value, _ := bytes.Cut(body[s.Offset():at.End], []byte{':'})
			if !yield(key.Decode(body), bytes.TrimSpace(value)) {
				return
			}
		}
	}
}
