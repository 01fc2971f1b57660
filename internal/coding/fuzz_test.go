package coding_test

import (
	"bytes"
	"io"
	"testing"

	"github.com/plimsoll/plimsoll/internal/coding"
)

// FuzzDecode: nothing panics, the limit holds, and both ways of reading agree.
func FuzzDecode(f *testing.F) {
	for name := range encoders {
		f.Add(header(name), encode(f, name, []byte(`{"model":"m","messages":[]}`)))
	}
	f.Add("br, gzip", encode(f, "gzip", encode(f, "br", []byte("hello"))))
	f.Fuzz(func(t *testing.T, encoding string, body []byte) {
		const limit = 1 << 16
		got, err := coding.Decode(encoding, body, limit, nil)
		if err != nil {
			if got != nil {
				t.Fatalf("%d bytes beside %v", len(got), err)
			}
			return
		}
		r, err := coding.NewReader(encoding, bytes.NewReader(body))
		if err != nil {
			t.Fatal(err)
		}
		streamed, err := io.ReadAll(r)
		if err != nil || !bytes.Equal(streamed, got) {
			t.Fatalf("%d bytes at once, %d streamed: %v", len(got), len(streamed), err)
		}
	})
}
