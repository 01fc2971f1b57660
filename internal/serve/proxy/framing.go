package proxy

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync/atomic"
)

// framed answers requests whose end every server sees at the same place. Another proxy in
// front may see it elsewhere, and take a part of the body for the client's next request,
// or the reverse. So the server refuses a request with Content-Length and
// Transfer-Encoding, and a chunked request or one of HTTP/1.0 is the last of its
// connection.
func (s *Server) framed(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		chunked := len(r.TransferEncoding) > 0
		if chunked || !r.ProtoAtLeast(1, 1) {
			w.Header().Set("Connection", "close")
		}
		if h, ok := r.Context().Value(headsKey{}).(*heads); ok && chunked && !h.chunked.Load() {
			f := &forward{server: s, target: s.options.Upstreams.route(r)}
			f.refuse(w, r, badRequest("The request has a Content-Length and a Transfer-Encoding. Send one of them."))
			return
		}
		next.ServeHTTP(w, r)
	})
}

type headsKey struct{}

// withHeads gives the requests of a connection what is known of their heads.
func withHeads(ctx context.Context, c net.Conn) context.Context {
	if own, ok := c.(*conn); ok {
		return context.WithValue(ctx, headsKey{}, &own.heads)
	}
	return ctx
}

// heads reads the heads of the requests on a connection: net/http takes a Content-Length
// beside a Transfer-Encoding off before a handler sees it. It reads no chunks, since a
// chunked request is the last one. It needs no more than the length of other bodies.
type heads struct {
	// line is the beginning of the line being read, inside says that it belongs to a head.
	line   []byte
	inside bool
	// lengths and codings say which of the two headers the head has, length is the value.
	lengths, codings bool
	length           int64
	// rest is how many bytes of a body are still to come.
	rest int64
	// over says that no more is read. Chunked says that the last head has a
	// Transfer-Encoding and no Content-Length.
	over    bool
	chunked atomic.Bool
}

// maxLine is how many bytes of a line are looked at, which is enough for a length.
const maxLine = 64

// read takes the next bytes of the connection.
func (h *heads) read(p []byte) {
	for len(p) > 0 && !h.over {
		if h.rest > 0 {
			n := min(h.rest, int64(len(p)))
			h.rest, p = h.rest-n, p[n:]
			continue
		}
		piece, after, whole := bytes.Cut(p, []byte("\n"))
		h.line = append(h.line, piece[:min(len(piece), maxLine-len(h.line))]...)
		if p = after; whole {
			h.header(strings.TrimSuffix(string(h.line), "\r"))
			h.line = h.line[:0]
		}
	}
}

// header takes a line of a head. The empty line ends it.
func (h *heads) header(line string) {
	name, value, _ := strings.Cut(line, ":")
	switch {
	case line == "" && !h.inside: // blank lines may stand before a request
	case line == "" && h.codings:
		h.chunked.Store(!h.lengths)
		h.over = true
	case line == "":
		*h = heads{line: h.line, rest: h.length}
	case !h.inside:
		h.inside = true // the request line
	case strings.EqualFold(name, "Transfer-Encoding"):
		h.codings = true
	case strings.EqualFold(name, "Content-Length"):
		var err error
		h.length, err = strconv.ParseInt(strings.TrimSpace(value), 10, 64)
		h.lengths, h.over = true, err != nil // net/http refuses it, or chunks that follow
	}
}
