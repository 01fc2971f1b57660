package transport

import (
	"cmp"
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
	// bedrock says that it is a path of Amazon's that says little about the body.
	bedrock bool
}

// The names of endpoints that answer no conversation; others have that of their API.
const (
	compact   = "compact"
	countOnly = "count"
)

// recognise returns the endpoint of a request that carries a conversation.
func recognise(req *http.Request) (endpoint, bool) {
	if req.Method != http.MethodPost || req.Body == nil || req.Body == http.NoBody {
		return endpoint{}, false
	}
	path := strings.TrimSuffix(req.URL.Path, "/")
	d, ok := dialects.FromPath(path)
	counted, counts := dialects.FromCountPath(path)
	if !ok && !counts {
		return endpoint{}, false
	}
	e := endpoint{dialect: cmp.Or(d, counted)}
	api := dialects.Codec(e.dialect).Traits()
	_, name, _ := strings.Cut(path, "/model/")
	if model, action, ok := cutLast(name, "/"); ok && bedrockActions[action] {
		e.model, e.bedrock = model, e.dialect == plimsoll.Anthropic
		e.stream = strings.HasSuffix(action, "stream")
		e.events = e.stream
	} else if api.InPath != "" {
		before, action, _ := cutLast(path, ":")
		e.model, e.stream = modelOf(before), strings.HasPrefix(action, "stream")
		e.events = e.stream && hasValue(req.URL, "alt", "sse")
	} else if _, rest, ok := strings.Cut(path, "/deployments/"); ok { // Azure's bodies name no model
		e.model, _, _ = strings.Cut(rest, "/")
	} else if _, name, ok := strings.Cut(path, "/publishers/anthropic/models/"); ok && !counts { // nor do those for Vertex
		var action string
		e.model, action, _ = strings.Cut(name, ":")
		e.stream = strings.HasPrefix(action, "stream")
	}
	switch {
	case counts:
		e.name = countOnly
	case strings.HasSuffix(path, "/compact"):
		e.name = compact
	default:
		e.name = api.Name
	}
	return e, true
}

// bedrockActions end the paths at Amazon, whose bodies name no model.
var bedrockActions = map[string]bool{"invoke": true, "invoke-with-response-stream": true, "converse": true, "converse-stream": true}

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
