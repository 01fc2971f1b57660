package transport

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
)

// refuse answers with an error of the API's own. Nothing was sent upstream.
func (r *trip) refuse(err error) *http.Response {
	r.x.Decision = Refused
	status, body := r.codec.Refusal(err)
	r.x.Status = status
	r.end(err)
	return r.made(status, "application/json", body)
}

// explain answers a dry run with the plan.
func (r *trip) explain() *http.Response {
	r.x.Decision = DryRun
	body, err := json.Marshal(r.sent.plan)
	if err != nil {
		return r.refuse(fmt.Errorf("write the plan: %w", err))
	}
	r.x.Status = http.StatusOK
	r.end(nil)
	return r.made(http.StatusOK, "application/json", body)
}

// made returns an answer of our own.
func (r *trip) made(status int, contentType string, body []byte) *http.Response {
	return &http.Response{
		Status: statusLine(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{"Content-Type": {contentType}},
		Body:    io.NopCloser(bytes.NewReader(body)),
		Request: r.in, ContentLength: int64(len(body)),
	}
}

func statusLine(status int) string { return fmt.Sprintf("%d %s", status, http.StatusText(status)) }

// clean makes a text fit to be a header.
func clean(text string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r > '~' {
			return ' '
		}
		return r
	}, text)
}
