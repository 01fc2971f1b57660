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
func (f *flow) refuse(err error) *http.Response {
	f.x.Decision = Refused
	status, body := f.codec.Refusal(err)
	f.x.Status = status
	f.end(err)
	return f.made(status, "application/json", body)
}

// explain answers a dry run with the plan.
func (f *flow) explain() *http.Response {
	f.x.Decision = DryRun
	body, err := json.Marshal(f.plan)
	if err != nil {
		return f.refuse(fmt.Errorf("write the plan: %w", err))
	}
	f.x.Status = http.StatusOK
	f.end(nil)
	return f.made(http.StatusOK, "application/json", body)
}

// made returns an answer of our own.
func (f *flow) made(status int, contentType string, body []byte) *http.Response {
	return &http.Response{
		Status: statusLine(status), StatusCode: status, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header:  http.Header{"Content-Type": {contentType}},
		Body:    io.NopCloser(bytes.NewReader(body)),
		Request: f.in, ContentLength: int64(len(body)),
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
