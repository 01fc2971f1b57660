package proxy

import (
	"net/http"
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
	if !strings.Contains(path, "/.") {
		return false
	}
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
