package proxy

import (
	"crypto/sha256"
	"crypto/subtle"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"strings"
)

// objection says why a request must not go on; nil if it may.
func (s *Server) objection(r *http.Request) *fault {
	switch {
	case r.Method == "PRI": // how clients begin that speak HTTP/2 without asking
		return &fault{
			status: http.StatusHTTPVersionNotSupported, code: "http_version_not_supported", hangUp: true,
			message: "This proxy speaks HTTP/1.1. Let the client use that.",
		}
	case r.Method == http.MethodConnect, r.Method == http.MethodTrace:
		return &fault{status: http.StatusMethodNotAllowed, code: "method_not_allowed", message: "This proxy does not do " + r.Method + ".", hangUp: true}
	case r.URL.IsAbs(), r.URL.Host != "", !strings.HasPrefix(r.URL.Path, "/"):
		return badRequest("This is not a forward proxy: requests name a path alone, and the upstream is the operator's choice.")
	case hasDots(r.URL.Path):
		return badRequest("The path has . or .. in it.")
	case strings.Count(r.URL.RawQuery, "&") >= maxParameters:
		return badRequest("The query has too many parameters.")
	}
	if f := s.guard.objectionToClient(r); f != nil {
		return f
	}
	return upgrade(r)
}

// maxParameters is how many parameters a query may have.
const maxParameters = 1000

func badRequest(message string) *fault {
	return &fault{status: http.StatusBadRequest, code: "bad_request", message: message, hangUp: true}
}

// hasDots reports whether a path leads upwards, or pretends to.
func hasDots(path string) bool {
	for segment := range strings.SplitSeq(path, "/") {
		if segment == "." || segment == ".." {
			return true
		}
	}
	return false
}

// upgrade refuses to change the protocol, in particular to websockets: what passes in
// them would not be managed. An offer of HTTP/2 need not be taken up.
func upgrade(r *http.Request) *fault {
	to := r.Header.Get("Upgrade")
	if to == "" {
		return nil
	}
	if strings.EqualFold(to, "h2c") {
		r.Header.Del("Upgrade")
		return nil
	}
	return &fault{
		status: http.StatusUpgradeRequired, code: "upgrade_required",
		message: "This proxy does not change to another protocol; send the request over HTTP, with \"stream\": true for events.",
	}
}

// accessGuard keeps out what a web page sends behind its reader's back, and everybody but the
// operator from what is the operator's.
type accessGuard struct {
	hosts []string
	// token is the hash of the admin's token, and size how many bytes the token has; 0 if
	// there is none.
	token [sha256.Size]byte
	size  int
	// pages decides about requests that a page of another site sent; nil lets all through.
	// Strict lets none through.
	pages, strict *http.CrossOriginProtection
}

func newGuard(o *Options) (accessGuard, error) {
	g := accessGuard{hosts: o.Hosts, pages: http.NewCrossOriginProtection(), strict: http.NewCrossOriginProtection()}
	if o.AdminToken != "" {
		g.token, g.size = sha256.Sum256([]byte(o.AdminToken)), len(o.AdminToken)
	}
	for _, origin := range o.Origins {
		if origin == "*" {
			continue
		}
		if err := g.pages.AddTrustedOrigin(origin); err != nil {
			return g, err
		}
	}
	if slices.Contains(o.Origins, "*") {
		g.pages = nil
	}
	return g, nil
}

// objectionToClient says why a request must not be passed on; nil if it may be. Names are
// checked on the loopback interface only, which a page reaches by having its own name
// resolve to it; elsewhere a server goes by names that it cannot know.
func (g *accessGuard) objectionToClient(r *http.Request) *fault {
	from := connectionOf(r)
	switch {
	case from.loopback() && !g.knows(r, from) && !isContainerName(hostname(r.Host)):
		return forbidden("This proxy is not known by the name that the request gives it. Use localhost, or let the operator add the name.")
	case sentBy(g.pages, r):
		return forbidden("Requests of web pages are refused, unless the operator allows their origin.")
	case g.size > 0 && g.carriesToken(r):
		return &fault{
			status: http.StatusUnauthorized, code: "invalid_api_key",
			message: "The request carries the proxy's own admin token, which is not for upstreams. Use the key of your provider.",
		}
	}
	return nil
}

// objectionToOperator says why a request must not reach what is the operator's; nil if
// it may.
func (g *accessGuard) objectionToOperator(r *http.Request) *fault {
	from := connectionOf(r)
	switch {
	case !g.knows(r, from):
		return forbidden("This server is not known by that name.")
	case sentBy(g.pages, r) || hasPassword(r) && sentBy(g.strict, r):
		return forbidden("Requests of web pages of other sites are refused.")
	case g.size > 0 && !g.isToken(tokenOf(r)):
		return &fault{status: http.StatusUnauthorized, code: "unauthorized", message: "The bearer token is missing or wrong."}
	case g.size == 0 && !from.direct(r):
		return forbidden("Without an admin token this is open to the machine itself only. Set a token.")
	}
	return nil
}

func forbidden(message string) *fault {
	return &fault{status: http.StatusForbidden, code: "forbidden", message: message}
}

// sentBy reports whether a page sent the request, by any method, that is none of those
// which are let through. Nil lets all through.
func sentBy(but *http.CrossOriginProtection, r *http.Request) bool {
	if but == nil || r.Header.Get("Sec-Fetch-Site") == "" && r.Header.Get("Origin") == "" {
		return false
	}
	// Methods that should be safe are let through, if they say what they are.
	return but.Check(&http.Request{Method: http.MethodPost, Host: r.Host, Header: r.Header, URL: r.URL}) != nil
}

// isToken compares hashes: how long it takes says nothing.
func (g *accessGuard) isToken(token string) bool {
	sum := sha256.Sum256([]byte(token))
	return subtle.ConstantTimeCompare(sum[:], g.token[:]) == 1
}

// hasPassword reports whether a request has a password, which browsers send by
// themselves, whatever page makes them.
func hasPassword(r *http.Request) bool {
	_, _, ok := r.BasicAuth()
	return ok
}

// tokenOf returns the token that a request carries: a bearer's, or the password that a
// browser has asked for.
func tokenOf(r *http.Request) string {
	if _, password, ok := r.BasicAuth(); ok {
		return password
	}
	return bearer(r.Header.Get("Authorization"))
}

// bearer returns the token of an Authorization header.
func bearer(value string) string {
	scheme, token, _ := strings.Cut(value, " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(token)
}

// knows reports whether a request calls the server by a name of its own: its address, a
// name of the loopback interface if it came over that, or one of those configured.
func (g *accessGuard) knows(r *http.Request, from connection) bool {
	host := hostname(r.Host)
	if slices.ContainsFunc(g.hosts, func(own string) bool { return strings.EqualFold(own, host) }) {
		return true
	}
	if from.loopback() && isLoopbackName(host) {
		return true
	}
	named, err := netip.ParseAddr(host)
	return err == nil && named.Unmap() == from.local
}

// isLoopbackName recognises names that no page can have.
func isLoopbackName(host string) bool {
	if named, err := netip.ParseAddr(host); err == nil {
		return named.Unmap().IsLoopback()
	}
	host = strings.ToLower(host)
	return host == "localhost" || strings.HasSuffix(host, ".localhost")
}

// isContainerName recognises what containers call the machine that they run on.
func isContainerName(host string) bool {
	host = strings.ToLower(host)
	return strings.HasSuffix(host, ".docker.internal") || strings.HasSuffix(host, ".containers.internal")
}

// hostname takes the port and the brackets off.
func hostname(host string) string {
	if name, _, err := net.SplitHostPort(host); err == nil {
		return name
	}
	return strings.TrimSuffix(strings.TrimPrefix(host, "["), "]")
}

// connection is the addresses that a request came between. Sockets in the file system
// have none.
type connection struct {
	local, peer netip.Addr
	socket      bool
}

func connectionOf(r *http.Request) connection {
	var c connection
	switch at := r.Context().Value(http.LocalAddrContextKey).(type) {
	case *net.TCPAddr:
		c.local = at.AddrPort().Addr().Unmap()
	case *net.UnixAddr:
		c.socket = true
	}
	if peer, err := netip.ParseAddrPort(r.RemoteAddr); err == nil {
		c.peer = peer.Addr().Unmap()
	}
	return c
}

func (c connection) loopback() bool { return c.socket || c.local.IsLoopback() }

// direct reports whether a request was made on this machine, and not passed on by
// another server on it.
func (c connection) direct(r *http.Request) bool {
	for _, passed := range []string{"Forwarded", "X-Forwarded-For", "X-Real-Ip", "Via"} {
		if r.Header.Get(passed) != "" {
			return false
		}
	}
	return c.loopback() && (c.socket || c.peer.IsLoopback()) && isLoopbackName(hostname(r.Host))
}
