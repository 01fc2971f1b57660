package proxy

import (
	"cmp"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// fault is an answer of our own where the upstream has none. Clients get it in the form
// of the API that they speak, so that they raise the errors that their users handle.
type fault struct {
	status int
	// code is for programs, message for people.
	code, message string
	// retry is after how many seconds it is worth to try again; 0 says nothing.
	retry int
	// hangUp says that the connection is of no more use.
	hangUp bool
}

// Error returns the message.
func (f *fault) Error() string { return f.message }

// HTTPStatus tells handlers that read a body how to answer if it fails.
func (f *fault) HTTPStatus() int { return f.status }

// write answers a request. HEAD has no body.
func (f *fault) write(w http.ResponseWriter, dialect plimsoll.Dialect) {
	h := w.Header()
	h.Set("Content-Type", "application/json")
	h.Set("Cache-Control", "no-store")
	if f.retry > 0 {
		h.Set("Retry-After", strconv.Itoa(f.retry))
	}
	if f.hangUp {
		h.Set("Connection", "close")
	}
	if f.status == http.StatusUpgradeRequired {
		h.Set("Connection", "Upgrade")
		h.Set("Upgrade", "HTTP/1.1")
	}
	body := dialects.Codec(cmp.Or(dialect, plimsoll.OpenAI)).Error(f.status, f.code, f.message)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(f.status)
	_, _ = w.Write(body) // the client may be gone
}

// withoutAddresses returns the text of an error without the addresses that it may
// quote: some clients have their key in the query.
func withoutAddresses(err error) string {
	var at *url.Error
	if errors.As(err, &at) {
		err = at.Err
	}
	return strings.TrimSpace(queries.ReplaceAllString(err.Error(), "$1…"))
}

var queries = regexp.MustCompile(`([?&]|[Kk]ey=|[Bb]earer )[^\s"']+`)
