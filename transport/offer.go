package transport

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// ours are the names of the tools that this package answers.
var ours = func() []string {
	var names []string
	for _, t := range expand.Tools() {
		names = append(names, t.Name)
	}
	return names
}()

func isOurs(name string) bool { return slices.Contains(ours, name) }

// mayOffer reports whether tools of ours may be added to the request. An API that
// refuses them beside something that the request asks for must not be given any, nor
// a model that may not know tools at all.
func (f *flow) mayOffer() bool {
	switch f.t.options.Expand {
	case ExpandOff, ExpandMCP:
		return false
	}
	c := f.request.Conversation()
	functions := 0
	for _, t := range c.Tools.All() {
		if isOurs(t.Name) {
			return false // an MCP server of ours, or the client's own
		}
		if t.Opaque == "" {
			functions++
		}
	}
	if functions == 0 && (c.Tools.Len() > 0 || !f.t.options.Official(f.x.Upstream)) {
		return false
	}
	return !forbids(f.request)
}

// forbids reports whether the request has something beside which tools are refused or
// of no use.
func forbids(r *wire.Request) bool {
	s, found := rawjson.NewScanner(r.Body()), false
	for key := range s.Members() {
		switch rawjson.View(key) {
		case "n":
			n, _ := s.Int()
			found = found || n > 1
		case "cachedContent", "cached_content":
			found = true
		case "functions", "function_call": // the old form, beside which there are no tools
			found = found || r.Dialect() == plimsoll.OpenAI
		case "generationConfig", "generation_config":
			found = found || asksForJSON(s, r.Body())
		}
	}
	return found
}

// asksForJSON reports whether Gemini is to answer in JSON, which it does not do beside
// tools.
func asksForJSON(s *rawjson.Scanner, body []byte) bool {
	if s.Peek() != '{' {
		return false
	}
	found := false
	for key := range s.Members() {
		if k := rawjson.View(key); k == "responseMimeType" || k == "response_mime_type" {
			text, ok := s.String()
			found = ok && text.Decode(body) != "text/plain"
		}
	}
	return found
}
