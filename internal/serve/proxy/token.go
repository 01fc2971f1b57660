package proxy

import (
	"encoding/base64"
	"net/http"
	"net/url"
	"strings"
)

// carriesToken reports whether the admin's token is about to go upstream. It looks at
// every value of every header, at cookies and at every parameter, whatever its name:
// clients and gateways have their keys in many places.
func (g *accessGuard) carriesToken(r *http.Request) bool {
	for _, values := range r.Header {
		for _, v := range values {
			if g.isIn(v) {
				return true
			}
		}
	}
	for pair := range strings.FieldsFuncSeq(r.URL.RawQuery, func(c rune) bool { return c == '&' || c == ';' }) {
		_, v, _ := strings.Cut(pair, "=")
		if plain, err := url.QueryUnescape(v); err == nil {
			v = plain
		}
		if g.equals(v) {
			return true
		}
	}
	return false
}

// isIn reports whether the value of a header is the token, or a list that has it as an
// item or as the value of one.
func (g *accessGuard) isIn(value string) bool {
	if g.isCredential(value) {
		return true
	}
	for item := range strings.FieldsFuncSeq(value, func(c rune) bool { return c == ',' || c == ';' }) {
		_, v, _ := strings.Cut(item, "=")
		if g.isCredential(item) || g.isCredential(strings.Trim(v, ` "`)) {
			return true
		}
	}
	return false
}

// isCredential reports whether a text is the token, with or without a scheme before it.
func (g *accessGuard) isCredential(text string) bool {
	text = strings.TrimSpace(text)
	scheme, rest, _ := strings.Cut(text, " ")
	rest = strings.TrimSpace(rest)
	if strings.EqualFold(scheme, "Basic") {
		pair, _ := base64.StdEncoding.DecodeString(rest) // what is no pair is no token
		user, password, _ := strings.Cut(string(pair), ":")
		return g.equals(user) || g.equals(password)
	}
	return g.equals(text) || g.equals(rest)
}

// equals compares what may be of any kind and mostly has another length.
func (g *accessGuard) equals(text string) bool { return len(text) == g.size && g.isToken(text) }
