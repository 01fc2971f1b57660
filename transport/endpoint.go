package transport

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// endpoint is what a path stands for.
type endpoint struct {
	// name in a word; see [Exchange].
	name    string
	dialect plimsoll.Dialect
	// model that the path names; empty where the body does.
	model string
	// stream says that the path asks for a streamed answer, and events that it is one
	// of events.
	stream, events bool
}

// The names of endpoints.
const (
	chat      = "chat"
	respond   = "responses"
	messages  = "messages"
	generate  = "generate"
	compact   = "compact"
	countOnly = "count"
)

// recognise returns the endpoint of a request that carries a conversation.
func recognise(req *http.Request) (endpoint, bool) {
	if req.Method != http.MethodPost || req.Body == nil || req.Body == http.NoBody {
		return endpoint{}, false
	}
	path := strings.TrimSuffix(req.URL.Path, "/")
	if strings.HasSuffix(path, "/messages/count_tokens") {
		return endpoint{name: countOnly, dialect: plimsoll.Anthropic}, true
	}
	if model, ok := strings.CutSuffix(path, ":countTokens"); ok {
		return endpoint{name: countOnly, dialect: plimsoll.Gemini, model: modelOf(model)}, true
	}
	d, ok := dialects.FromPath(path)
	if !ok {
		return endpoint{}, false
	}
	e := endpoint{dialect: d}
	switch d {
	case plimsoll.OpenAI:
		e.name = chat
		if _, rest, ok := strings.Cut(path, "/deployments/"); ok { // Azure's bodies name no model
			e.model, _, _ = strings.Cut(rest, "/")
		}
	case plimsoll.Anthropic:
		e.name = messages
	case plimsoll.Responses:
		e.name = respond
		if strings.HasSuffix(path, "/compact") {
			e.name = compact
		}
	case plimsoll.Gemini:
		e.name = generate
		before, action, _ := cutLast(path, ":")
		e.model, e.stream = modelOf(before), action == "streamGenerateContent"
		e.events = e.stream && hasValue(req.URL, "alt", "sse")
	}
	return e, true
}

// modelOf returns the model of …/models/NAME.
func modelOf(path string) string {
	if _, name, ok := cutLast(path, "/models/"); ok {
		return name
	}
	_, name, _ := cutLast(path, "/")
	return name
}

func cutLast(s, sep string) (before, after string, ok bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return s, "", false
}

// hasValue reports whether a query has a value, which is true of most queries that
// have the word in them.
func hasValue(u *url.URL, key, value string) bool {
	return strings.Contains(u.RawQuery, key+"="+value) && u.Query().Get(key) == value
}

// official are the hosts of the providers whose APIs we speak.
func official(host string) bool {
	host, _, _ = strings.Cut(host, ":")
	switch host {
	case "api.openai.com", "api.anthropic.com", "generativelanguage.googleapis.com", "aiplatform.googleapis.com":
		return true
	}
	return strings.HasSuffix(host, ".openai.azure.com") || strings.HasSuffix(host, "-aiplatform.googleapis.com")
}
