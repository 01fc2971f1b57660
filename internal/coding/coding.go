// Package coding undoes the content codings of HTTP bodies: gzip, deflate, br, zstd
// and lists of them. Clients compress what they send and upstreams what they answer,
// and a small body can be made that decodes into a huge one; so the reader says
// how much may come out, and not more than that is ever held.
//
// It knows nothing of what the bodies mean, and it never encodes: a body goes on
// unchanged, or plain.
package coding

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
)

// maxLayers is the longest list of codings that is undone.
const maxLayers = 3

// TooLargeError says that a body decodes into more than is allowed.
type TooLargeError struct {
	// Max is what was allowed, in bytes.
	Max int64
}

// Error names the limit.
func (e *TooLargeError) Error() string {
	return fmt.Sprintf("the body decodes into more than %d bytes", e.Max)
}

// HTTPStatus is what a server answers with.
func (*TooLargeError) HTTPStatus() int { return http.StatusRequestEntityTooLarge }

// UnknownError says that a coding is not known, or that there are too many in one
// list.
type UnknownError struct {
	// Encoding is the header's value, shortened.
	Encoding string
}

// Error names the codings that are known.
func (e *UnknownError) Error() string {
	return fmt.Sprintf("content encoding %q is not one of gzip, deflate, br, zstd and identity, nor a list of at most %d of them", e.Encoding, maxLayers)
}

// HTTPStatus is what a server answers with.
func (*UnknownError) HTTPStatus() int { return http.StatusUnsupportedMediaType }

// BrokenError says that a body is not what its coding demands.
type BrokenError struct {
	// Encoding is the one coding that failed.
	Encoding string
	Err      error
}

// Error names the coding and what is wrong.
func (e *BrokenError) Error() string {
	return fmt.Sprintf("the body is not valid %s: %v", e.Encoding, e.Err)
}

// Unwrap returns what the decoder said.
func (e *BrokenError) Unwrap() error { return e.Err }

// HTTPStatus is what a server answers with.
func (*BrokenError) HTTPStatus() int { return http.StatusBadRequest }

// Decode undoes the codings that a Content-Encoding header names. It returns the very
// body if there are none, or if it is empty. A body that would become longer than limit
// is given up there, at any layer of a list, with a [*TooLargeError]; the other errors
// are [*UnknownError] and [*BrokenError].
//
// Before Decode takes memory for the result, it calls grow with the bytes that it will
// hold in all. An error of grow ends it and is returned as it is; nil allows everything.
//
// Beside the result only the decoders' windows are held: 32 KiB for gzip and deflate,
// at most 8 MiB for zstd and 16 MiB for br.
func Decode(encoding string, body []byte, limit int64, grow func(size int64) error) ([]byte, error) {
	names, err := parse(encoding)
	if err != nil {
		return nil, err
	}
	if len(names) == 0 || len(body) == 0 {
		return body, nil
	}
	if grow == nil {
		grow = func(int64) error { return nil }
	}
	var r io.Reader = bytes.NewReader(body)
	for _, name := range slices.Backward(names) {
		r = &capped{r: newLayer(name, r), left: limit, limit: limit}
	}
	return gather(r, sizeHint(names, body, limit), limit, grow)
}

// NewReader undoes the codings of a body while it arrives: what the sender flushed can
// be read as soon as it is there. A header that names no coding gives the bytes as they
// are. Unknown codings are reported at once, broken ones while reading; errors of r are
// returned as they are. The reader belongs to one goroutine.
func NewReader(encoding string, r io.Reader) (io.Reader, error) {
	names, err := parse(encoding)
	if err != nil {
		return nil, err
	}
	for _, name := range slices.Backward(names) {
		r = newLayer(name, r)
	}
	return r, nil
}

// parse returns the codings of a header in the order in which they were applied,
// without those that change nothing.
func parse(encoding string) ([]string, error) {
	var names []string
	for name := range strings.SplitSeq(encoding, ",") {
		switch name = strings.ToLower(strings.Trim(name, " \t")); name {
		case "", "identity":
		case "x-gzip":
			names = append(names, "gzip")
		case "gzip", "deflate", "br", "zstd":
			names = append(names, name)
		default:
			return nil, unknown(encoding)
		}
		if len(names) > maxLayers {
			return nil, unknown(encoding)
		}
	}
	return names, nil
}

// unknown keeps what a client sent from filling the log.
func unknown(encoding string) error {
	const shown = 64
	return &UnknownError{Encoding: strings.ToValidUTF8(encoding[:min(len(encoding), shown)], "?")}
}
