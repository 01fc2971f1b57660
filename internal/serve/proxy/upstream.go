package proxy

import (
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
		Proxy: http.ProxyFromEnvironment, DialContext: dialer.DialContext, TLSHandshakeTimeout: 10 * time.Second,
		DisableCompression: true, ForceAttemptHTTP2: true, MaxIdleConns: 512, MaxIdleConnsPerHost: 256, IdleConnTimeout: 90 * time.Second,
		MaxResponseHeaderBytes: 1 << 20, WriteBufferSize: 16 << 10, ReadBufferSize: 16 << 10,
		HTTP2: &http.HTTP2Config{SendPingTimeout: 15 * time.Second, PingTimeout: 15 * time.Second},
	}
}
