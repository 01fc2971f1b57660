package mcpserver

import (
	"context"
	"crypto/sha256"
	"crypto/subtle"
	"errors"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
)

// Path is where the server is found over HTTP.
const Path = "/mcp"

// Handler returns the server as a handler of requests to [Path].
func (s *Server) Handler() http.Handler {
	speak := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s.server }, &mcp.StreamableHTTPOptions{
		Stateless: true, JSONResponse: true, MaxRequestBodyBytes: maxMessage, PropagateRequestCancellation: true,
		// The guard in front knows which other names are ours.
		DisableLocalhostProtection: true,
	})
	mux := http.NewServeMux()
	mux.Handle(Path, speak)
	return s.guard(mux)
}

// guard lets through what no web page can have sent and, if there is a token, who
// has it.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !s.knowsHost(r):
			http.Error(w, "this server is not known by that name", http.StatusForbidden)
		case !ownOrigin(r):
			http.Error(w, "requests of other sites are refused", http.StatusForbidden)
		case !s.authorized(r):
			w.Header().Set("WWW-Authenticate", `Bearer realm="plimsoll"`)
			http.Error(w, "the bearer token is missing or wrong", http.StatusUnauthorized)
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// knowsHost reports whether the request names the server by its address, by a name
// of the loopback interface if it came over that, or by one of the names that are
// configured. A page that has its own name resolve to our address gives itself away.
func (s *Server) knowsHost(r *http.Request) bool {
	host := hostname(r.Host)
	if slices.ContainsFunc(s.options.Hosts, func(h string) bool { return strings.EqualFold(h, host) }) {
		return true
	}
	local, ok := localAddr(r)
	if !ok {
		return false
	}
	if local.IsLoopback() && strings.EqualFold(host, "localhost") {
		return true
	}
	named, err := netip.ParseAddr(host)
	return err == nil && (named.Unmap() == local || named.IsLoopback() && local.IsLoopback())
}

// hostname takes the port and the brackets off.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.Trim(host, "[]")
}

func localAddr(r *http.Request) (netip.Addr, bool) {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	if !ok {
		return netip.Addr{}, false
	}
	return addr.AddrPort().Addr().Unmap(), true
}

// ownOrigin reports whether a browser, if it was one, sent the request from a page of
// this server.
func ownOrigin(r *http.Request) bool {
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
	default:
		return false
	}
	for _, origin := range r.Header.Values("Origin") {
		u, err := url.Parse(origin)
		if err != nil || u.Host == "" || !strings.EqualFold(u.Host, r.Host) {
			return false
		}
	}
	return true
}

// authorized compares hashes, so that the time it takes says nothing.
func (s *Server) authorized(r *http.Request) bool {
	if s.options.Token == "" {
		return true
	}
	scheme, token, _ := strings.Cut(r.Header.Get("Authorization"), " ")
	want, got := sha256.Sum256([]byte(s.options.Token)), sha256.Sum256([]byte(strings.TrimSpace(token)))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(want[:], got[:]) == 1
}

// Listen opens an address for [Server.ServeHTTP]. One without a host means the
// loopback interface. It refuses to be open to others without a token.
func (s *Server) Listen(ctx context.Context, address string) (net.Listener, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, &plimsoll.Error{Op: "listen on " + address, Code: plimsoll.CodeInvalid, Err: err, Hint: "write it as 127.0.0.1:PORT"}
	}
	if host == "" {
		host = "127.0.0.1"
	}
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", net.JoinHostPort(host, port))
	if err != nil {
		return nil, &plimsoll.Error{Op: "listen on " + address, Code: plimsoll.CodeInvalid, Err: err, Hint: "choose another address; port 0 takes any that is free"}
	}
	if bound := l.Addr().(*net.TCPAddr); !bound.IP.IsLoopback() && s.options.Token == "" {
		l.Close()
		return nil, &plimsoll.Error{
			Op: "listen on " + address, Code: plimsoll.CodeInvalid, Err: errors.New("others could read everything that is stored"),
			Hint: "set a token, or listen on 127.0.0.1",
		}
	}
	return l, nil
}

// grace is how long calls may go on when the server shuts down.
const grace = 5 * time.Second

// ServeHTTP answers requests until the context ends; then calls that are under way
// may finish.
func (s *Server) ServeHTTP(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler: s.Handler(), ReadHeaderTimeout: 10 * time.Second, ReadTimeout: time.Minute, IdleTimeout: 2 * time.Minute, MaxHeaderBytes: 64 << 10,
		BaseContext: func(net.Listener) context.Context { return context.WithoutCancel(ctx) },
	}
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(l) }()
	select {
	case err := <-ended:
		return err
	case <-ctx.Done():
	}
	last, cancel := context.WithTimeout(context.WithoutCancel(ctx), grace)
	defer cancel()
	if err := server.Shutdown(last); err != nil {
		server.Close()
	}
	<-ended
	return nil
}
