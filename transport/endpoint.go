package transport

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"
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
	compactOnly = "compact"
	countOnly   = "count"
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
		e.name = compactOnly
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

// vendors are the domains of services whose models' windows are known or cannot be asked for.
var vendors = []string{
	"openai.com", "azure.com", "microsoft.com", "anthropic.com", "claude.ai", "googleapis.com", "google.com", "amazonaws.com",
	"openrouter.ai", "groq.com", "mistral.ai", "x.ai", "deepseek.com", "together.xyz", "together.ai", "fireworks.ai",
	"cerebras.ai", "perplexity.ai", "cohere.com", "cohere.ai", "nvidia.com", "huggingface.co", "deepinfra.com", "sambanova.ai",
	"novita.ai", "moonshot.ai", "moonshot.cn", "z.ai", "bigmodel.cn", "minimax.io", "minimaxi.com", "aliyuncs.com",
	"githubcopilot.com", "github.ai", "cloudflare.com", "vercel.sh", "ollama.com",
}

// isVendor reports whether a host belongs to a vendor.
func isVendor(host string) bool {
	return slices.ContainsFunc(vendors, func(domain string) bool { return host == domain || strings.HasSuffix(host, "."+domain) })
}

// rootOf returns what stands before the path of an endpoint: a server can have a path of
// its own.
func rootOf(path string) string {
	for _, begin := range []string{"/v1/", "/api/", "/chat/completions", "/responses", "/messages"} {
		if before, _, found := cutLast(path, begin); found {
			return before
		}
	}
	return ""
}
