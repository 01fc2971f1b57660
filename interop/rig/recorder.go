package rig

import (
	"bytes"
	"io"
	"net/http"

	"github.com/plimsoll/plimsoll/transport"
)

// recorder is the tap for programs that need no server between them and the model:
// they are managed by the transport of their own client.
type recorder struct {
	tap  *tap
	next http.RoundTripper
}

var _ http.RoundTripper = (*recorder)(nil)

func (r *recorder) RoundTrip(req *http.Request) (*http.Response, error) {
	p := &Passage{Method: req.Method, Path: req.URL.RequestURI(), tenant: transport.Credential(req)}
	if req.Body != nil {
		body, err := io.ReadAll(req.Body)
		req.Body.Close()
		if err != nil {
			return nil, err
		}
		p.Body = body
		req = req.Clone(req.Context())
		req.Body = io.NopCloser(bytes.NewReader(body))
	}
	r.tap.add(p)
	resp, err := r.next.RoundTrip(req)
	if err == nil {
		r.tap.answer(p, resp)
	}
	return resp, err
}
