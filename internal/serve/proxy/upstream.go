package proxy

import (
	"context"
	"io"
	"net"
	"net/http"
	"time"
)

// NewTransport returns a transport that reaches upstreams as a proxy must: answers stay
// in the coding that the client asked for, connections are kept and watched, and none
// that cannot be made is waited for long. How long an answer takes is not its business.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 10 * time.Second, KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: 15 * time.Second, Interval: 5 * time.Second, Count: 3}}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment, DialContext: dialInOnePiece(dialer), TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConns: 512, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20, WriteBufferSize: 16 << 10, ReadBufferSize: 16 << 10,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
	}
}

// inOnePiece is a connection that is given a body which is in memory as it stands. The
// copy through a buffer that there is else, and its many small writes, take a good part
// of the time that it takes to send a long request to a server nearby.
type inOnePiece struct{ *net.TCPConn }

func dialInOnePiece(d *net.Dialer) func(ctx context.Context, network, address string) (net.Conn, error) {
	return func(ctx context.Context, network, address string) (net.Conn, error) {
		c, err := d.DialContext(ctx, network, address)
		if tcp, ok := c.(*net.TCPConn); ok {
			return inOnePiece{tcp}, nil
		}
		return c, err
	}
}

// ReadFrom sends what there is to read.
func (c inOnePiece) ReadFrom(r io.Reader) (int64, error) {
	if limited, ok := r.(*io.LimitedReader); ok {
		body, inMemory := limited.R.(interface {
			io.WriterTo
			Len() int
		})
		if inMemory && int64(body.Len()) <= limited.N {
			n, err := body.WriteTo(c.TCPConn)
			limited.N -= n
			return n, err
		}
	}
	return c.TCPConn.ReadFrom(r)
}
