package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/coding"
	"github.com/plimsoll/plimsoll/internal/report"
)

// refuse answers with an error of the API's own. Nothing was sent upstream.
func (r *trip) refuse(err error) *http.Response {
	status, body := r.codec.Refusal(err)
	return r.refuseAs(status, body, err)
}

func (r *trip) refuseAs(status int, body []byte, err error) *http.Response {
	r.x.Decision = Refused
	var over *plimsoll.OverloadError
	if errors.As(err, &over) {
		r.x.Line, r.x.Before.Total = over.Line, max(over.Floor, over.Load)
	}
	return r.made(status, body, err)
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
	err = &plimsoll.Error{Op: "read the request", Code: plimsoll.CodeInvalid, Err: err, Hint: hint}
	_, body := r.codec.Refusal(err)
	return r.refuseAs(status, body, err), nil
}

// explain answers a dry run with the plan.
func (r *trip) explain() *http.Response {
	r.x.Decision = DryRun
	body, err := json.Marshal(report.NewPlan(r.current.plan))
	if err != nil {
		return r.refuse(fmt.Errorf("write the plan: %w", err))
	}
	return r.made(http.StatusOK, body, nil)
}

// made returns an answer of our own, which ends the exchange.
func (r *trip) made(status int, body []byte, err error) *http.Response {
	r.x.Status = status
	r.end(err)
	return &http.Response{
		Status: fmt.Sprintf("%d %s", status, http.StatusText(status)), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{"Content-Type": {"application/json"}},
		Body:    io.NopCloser(bytes.NewReader(body)),
		Request: r.in, ContentLength: int64(len(body)),
	}
}

// clean makes a text fit to be a header.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, text)
}
