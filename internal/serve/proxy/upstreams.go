package proxy

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Upstreams are the servers that requests go to, one for each family of APIs. A path in
// them stands before the path of a request; a version such as /v1 that is in both is
// written once.
type Upstreams struct {
	OpenAI, Anthropic, Gemini *url.URL
}

func (u *Upstreams) setDefaults() {
	for at, own := range map[**url.URL]url.URL{
		&u.OpenAI:    {Scheme: "https", Host: "api.openai.com", Path: "/v1"},
		&u.Anthropic: {Scheme: "https", Host: "api.anthropic.com"},
		&u.Gemini:    {Scheme: "https", Host: "generativelanguage.googleapis.com"},
	} {
		if *at == nil {
			*at = &own
		}
	}
}

func (u *Upstreams) check() error {
	for _, at := range []*url.URL{u.OpenAI, u.Anthropic, u.Gemini} {
		switch {
		case at.Scheme != "http" && at.Scheme != "https", at.Host == "", at.Opaque != "":
			return fmt.Errorf("upstream %q is not an http address", at.Redacted())
		case at.User != nil, at.RawQuery != "", at.Fragment != "":
			return fmt.Errorf("upstream %q has more than a host and a path", at.Scheme+"://"+at.Host+at.Path)
		}
	}
	return nil
}

// target is where a request goes.
type target struct {
	upstream *url.URL
	// dialect is the one that errors are written in.
	dialect plimsoll.Dialect
	// managed says that the request has a body that is worked on.
	managed bool
	// compatible says that the upstream may be any that speaks OpenAI's API, some of
	// which have their version in the middle of their path.
	compatible bool
	// path is the client's, escaped as the client wrote it, without a provider's prefix.
	path string
	// own is a prefix that stayed in the path, because the upstream's API has it.
	own string
}

// prefixes by which a client can choose the upstream.
var prefixes = map[string]plimsoll.Dialect{
	"openai": plimsoll.OpenAI, "anthropic": plimsoll.Anthropic, "gemini": plimsoll.Gemini, "google": plimsoll.Gemini,
}

// route finds the target of a request. Where the path leaves it open, headers decide
// that only one provider's clients send.
func (u *Upstreams) route(r *http.Request) target {
	t := target{path: r.URL.EscapedPath()}
	plain := r.URL.Path
	first, _, _ := strings.Cut(strings.TrimPrefix(plain, "/"), "/")
	prefix := "/" + first
	family, prefixed := prefixes[first]
	if prefixed = prefixed && below(t.path, prefix); prefixed {
		plain = strings.TrimPrefix(plain, prefix)
	}
	dialect, converses := dialects.FromPath(plain)
	_, counts := dialects.FromCountPath(plain)
	t.managed = r.Method == http.MethodPost && (converses || counts)
	if !prefixed {
		family = familyOf(plain, dialect, r.Header)
	}
	t.dialect = family
	if converses {
		t.dialect = dialect
	}
	switch family {
	case plimsoll.Anthropic:
		t.upstream = u.Anthropic
	case plimsoll.Gemini:
		t.upstream = u.Gemini
	default:
		t.upstream, t.compatible = u.OpenAI, true
	}
	if prefixed {
		t.take(prefix)
	}
	return t
}

// take takes a prefix off the path, unless the upstream's API has it.
func (t *target) take(prefix string) {
	rest := strings.TrimPrefix(t.path, prefix)
	if isOwn(t.upstream, prefix, rest) {
		t.own = prefix
		return
	}
	t.path = rest
}

// familyOf says whose API a path without a prefix belongs to.
func familyOf(path string, dialect plimsoll.Dialect, h http.Header) plimsoll.Dialect {
	_, method, _ := strings.Cut(path[strings.LastIndex(path, "/")+1:], ":")
	switch {
	case dialect == plimsoll.Anthropic, dialect == plimsoll.Gemini, dialect == plimsoll.Ollama:
		return dialect
	case dialect == plimsoll.Converse: // of Bedrock, as other paths of Claude are
		return plimsoll.Anthropic
	case below(path, "/v1beta"), below(path, "/v1alpha"), below(path, "/upload/v1beta"), below(path, "/download/v1beta"), geminiMethods[method]:
		return plimsoll.Gemini
	case dialect != "":
		return plimsoll.OpenAI
	case atOllama(path):
		return plimsoll.Ollama
	case h.Get("X-Goog-Api-Key") != "":
		return plimsoll.Gemini
	case h.Get("Anthropic-Version") != "", below(path, "/v1/messages"), path == "/v1/complete":
		return plimsoll.Anthropic
	}
	return plimsoll.OpenAI
}

// geminiMethods follow a colon at the end of Google's paths.
var geminiMethods = map[string]bool{
	"generateContent": true, "streamGenerateContent": true, "countTokens": true, "embedContent": true, "batchEmbedContents": true,
	"batchGenerateContent": true, "predict": true, "predictLongRunning": true,
}

// atOllama reports whether a path is one of Ollama's own API. Some gateways have /api before
// a version.
func atOllama(path string) bool {
	rest, ok := strings.CutPrefix(path, "/api/")
	first, _, _ := strings.Cut(rest, "/")
	return ok && !isVersion(first)
}

func below(path, dir string) bool {
	rest, ok := strings.CutPrefix(path, dir)
	return ok && (rest == "" || rest[0] == '/')
}

// join returns the upstream's address with the client's path behind it. A version is
// written once: a client that says v1 means the one that the upstream has, any other is
// taken at its word.
func (t *target) join() *url.URL {
	base, path := strings.TrimRight(t.upstream.EscapedPath(), "/"), t.path
	segment, rest, _ := strings.Cut(strings.TrimPrefix(path, "/"), "/")
	cut := strings.LastIndex(base, "/") + 1
	switch last := base[cut:]; {
	case t.dialect == plimsoll.Ollama && isVersion(last):
		base = base[:max(0, cut-1)] // beside the API that is compatible with OpenAI's
	case t.own != "":
		base = above(t.upstream, t.own)
	case segment == "v1" && (isVersion(last) || t.compatible && slices.ContainsFunc(strings.Split(base, "/"), isVersion)):
		path = "/" + rest
	case isVersion(segment) && isVersion(last):
		base = base[:max(0, cut-1)]
	}
	if !strings.HasPrefix(path, "/") {
		path = "/" + path
	}
	u := *t.upstream
	u.RawPath = base + path
	u.Path, _ = url.PathUnescape(u.RawPath) // what it is made of was escaped by our own library
	return &u
}

// isVersion recognises v1, v1beta, v1alpha2 and the like.
func isVersion(segment string) bool {
	rest, ok := strings.CutPrefix(segment, "v")
	digits := len(rest) - len(strings.TrimLeft(rest, "0123456789"))
	if !ok || digits == 0 {
		return false
	}
	rest = strings.TrimRight(rest[digits:], "0123456789")
	return rest == "" || rest == "alpha" || rest == "beta"
}

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
