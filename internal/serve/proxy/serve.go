package proxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/http"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
)

// maxHeader is how many bytes the header of a request may have.
const maxHeader = 256 << 10

// Serve answers on a listener until the context ends. If the listener for the operator is
// not nil, the operator's side is there and nowhere else. Then it is still there for as long as requests are under way
// and [Options.Drain] allows: those go on, new ones get 503. It returns
// nil if none had to be cut off. A server serves once.
func (s *Server) Serve(ctx context.Context, l, admin net.Listener) error {
	base, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	defer cut(nil)
	ended := make(chan error, 2)
	servers := []*http.Server{s.listen(base, l, s.handler(admin == nil), ended)}
	if admin != nil {
		servers = append(servers, s.listen(base, admin, s.Admin(), ended))
	}
	var err error
	left := len(servers)
	select {
	case err = <-ended:
		left--
	case <-ctx.Done():
		err = s.drain(cut)
	}
	for _, server := range servers {
		err = errors.Join(err, closeServer(server))
	}
	for range left {
		<-ended
	}
	return err
}

// listen starts to answer on one listener.
func (s *Server) listen(base context.Context, l net.Listener, h http.Handler, ended chan<- error) *http.Server {
	server := &http.Server{
		Handler: s.framed(h), ReadHeaderTimeout: s.options.HeaderTimeout, IdleTimeout: keepAlive, MaxHeaderBytes: maxHeader,
		BaseContext: func(net.Listener) context.Context { return base }, ConnContext: withHeads, ErrorLog: s.errorLog,
	}
	l = &limited{Listener: l, free: make(chan struct{}, s.options.Connections)}
	go func() { ended <- server.Serve(l) }()
	return server
}

// keepAlive is how long a connection may wait for its next request.
const keepAlive = 2 * time.Minute

// drain waits for the requests that are under way, and cuts off those that take too
// long.
func (s *Server) drain(cut context.CancelCauseFunc) error {
	idle := s.requests.drain()
	timer := time.NewTimer(s.options.Drain)
	defer timer.Stop()
	select {
	case <-idle:
		return nil
	case <-timer.C:
	}
	left := s.requests.count()
	cut(errCut)
	select {
	case <-idle:
	case <-time.After(cutGrace):
	}
	return &plimsoll.Error{
		Op: "drain", Code: plimsoll.CodeUnavailable, Err: fmt.Errorf("%d requests were cut off after %s", left, s.options.Drain),
		Hint: "allow more time to drain if answers take longer",
	}
}

// cutGrace is how long requests that were cut off may take to notice, and closeGrace how
// long answers may take that are written already.
const cutGrace, closeGrace = time.Second, 500 * time.Millisecond

// closeServer lets answers out that are in buffers and then closes everything.
func closeServer(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), closeGrace)
	defer cancel()
	if server.Shutdown(ctx) == nil {
		return nil
	}
	return server.Close()
}

// inFlight counts the requests in flight.
type inFlight struct {
	mu sync.Mutex
	n  int
	// idle is closed when the last request ends after the shutdown began; nil
	// before that.
	idle chan struct{}
}

// begin counts a request, unless no more are taken.
func (f *inFlight) begin() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.idle != nil {
		return false
	}
	f.n++
	return true
}

func (f *inFlight) end() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.n--; f.n == 0 && f.idle != nil {
		close(f.idle)
	}
}

// drain takes no more requests. The channel is closed when there are none.
func (f *inFlight) drain() <-chan struct{} {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.idle = make(chan struct{})
	if f.n == 0 {
		close(f.idle)
	}
	return f.idle
}

func (f *inFlight) ending() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.idle != nil
}

func (f *inFlight) count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.n
}

// limited accepts only so many connections at a time.
type limited struct {
	net.Listener
	free chan struct{}
}

// Accept waits for a connection, and for one of those before to be closed if there are
// too many.
func (l *limited) Accept() (net.Conn, error) {
	l.free <- struct{}{}
	c, err := l.Listener.Accept()
	if err != nil {
		<-l.free
		return nil, err
	}
	return &conn{Conn: c, done: sync.OnceFunc(func() { <-l.free })}, nil
}

// conn is a connection of a client. It says when it is closed, and what heads it has read.
type conn struct {
	net.Conn
	done  func()
	heads heads
}

// Read reads what comes next.
func (c *conn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.heads.read(p[:n])
	return n, err
}

// Close closes the connection.
func (c *conn) Close() error {
	defer c.done()
	return c.Conn.Close()
}

// CloseWrite lets the server say that it is done before it closes.
func (c *conn) CloseWrite() error {
	if half, ok := c.Conn.(interface{ CloseWrite() error }); ok {
		return half.CloseWrite()
	}
	return nil
}
