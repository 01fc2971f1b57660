package transport

import (
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
)

// errLarge says that a body has more bytes than may be held.
var errLarge = errors.New("the request body is too large")

// readBody reads a request body of at most max bytes.
func readBody(req *http.Request, most int64) ([]byte, error) {
	if req.ContentLength > most {
		return nil, fmt.Errorf("%w: %d bytes, at most %d are taken", errLarge, req.ContentLength, most)
	}
	if n := req.ContentLength; n > 0 {
		body := make([]byte, n)
		if _, err := io.ReadFull(req.Body, body); err != nil {
			return nil, err
		}
		return body, nil
	}
	body, err := io.ReadAll(io.LimitReader(req.Body, most+1))
	if err == nil && int64(len(body)) > most {
		return nil, fmt.Errorf("%w: at most %d bytes are taken", errLarge, most)
	}
	return body, err
}

// refuseUnread answers for a body that could not be read: with an error in the API's
// form if the client can correct it.
func (r *trip) refuseUnread(err error) (*http.Response, error) {
	var large *coding.TooLargeError
	var unknown *coding.UnknownError
	var broken *coding.BrokenError
	status := 0
	hint := "send it without a content coding"
	switch {
	case errors.Is(err, errLarge), errors.As(err, &large):
		status, hint = http.StatusRequestEntityTooLarge, "send less, or raise the proxy's limit for bodies"
	case errors.As(err, &unknown):
		status = http.StatusUnsupportedMediaType
	case errors.As(err, &broken):
		status = http.StatusBadRequest
	default:
		return nil, fmt.Errorf("read the request: %w", err)
	}
	resp := r.refuse(&plimsoll.Error{Op: "read the request", Code: plimsoll.CodeInvalid, Err: err, Hint: hint})
	resp.StatusCode, resp.Status = status, statusLine(status)
	return resp, nil
}
