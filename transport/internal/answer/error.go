package answer

import (
	"bytes"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/wire"
)

// maxError bounds an error answer that is read.
const maxError = 1 << 20

// Overflow reports whether an answer with an error status says that the context is full.
// The answer keeps its body.
func Overflow(resp *http.Response) (wire.Overflow, bool) {
	if resp.StatusCode < http.StatusBadRequest {
		return wire.Overflow{}, false
	}
	plain, ok := Peek(resp)
	if !ok {
		return wire.Overflow{}, false
	}
	return wire.FindOverflow(resp.StatusCode, plain)
}

// Peek returns the body of an error answer, decoded. The answer keeps its body, and
// an error of reading it.
func Peek(resp *http.Response) ([]byte, bool) {
	body, err := io.ReadAll(io.LimitReader(resp.Body, maxError))
	rest := io.Reader(resp.Body)
	if err != nil {
		rest = failing{err}
	}
	resp.Body = &prefixed{Reader: io.MultiReader(bytes.NewReader(body), rest), Closer: resp.Body}
	if err != nil {
		return nil, false
	}
	plain, err := coding.Decode(resp.Header.Get("Content-Encoding"), body, maxError, nil)
	return plain, err == nil
}

// prefixed is a body with another reader in front of it.
type prefixed struct {
	io.Reader
	io.Closer
}

// failing is a reader that returns an error.
type failing struct{ err error }

// Read returns the error.
func (f failing) Read([]byte) (int, error) { return 0, f.err }
