package transport

import (
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll/internal/serve/telemetry/redact"
)

// visible returns a name that a client gave, for observers. Clients mix up their settings,
// so a name may be a key: the request's own, or one that looks like it.
func (r *clientRequest) visible(name string) string {
	for header, values := range r.in.Header {
		if !isCredential(header) {
			continue
		}
		for _, value := range values {
			value = value[strings.LastIndexByte(value, ' ')+1:] // without "Bearer"
			if len(value) >= leastSecret && strings.Contains(name, value) || len(name) >= leastSecret && strings.Contains(value, name) {
				return redact.Mark
			}
		}
	}
	return redact.Text(name)
}

// leastSecret is how many bytes of a credential give it away.
const leastSecret = 8

// quiet returns an error of the connection to an upstream without what the upstream said:
// net/http quotes answers that are malformed.
func quiet(err error) error {
	if err == nil || !quotes.MatchString(err.Error()) {
		return err
	}
	return &quietError{err}
}

type quietError struct{ error }

// Error says what happened.
func (e *quietError) Error() string { return quotes.ReplaceAllString(e.error.Error(), "$1…") }

// Unwrap returns the error.
func (e *quietError) Unwrap() error { return e.error }

var quotes = regexp.MustCompile(`(?s)"(?:\\.|[^"\\])*"|(malformed MIME header line: ).*`)
