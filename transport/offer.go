package transport

import (
	"fmt"
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

// mayOffer reports whether our tools may be added to the request. They must not be added
// if the API refuses them beside something that the request asks for, or if the model
// may not know tools at all.
func (r *trip) mayOffer(request *wire.Request) bool {
	switch r.t.options.Expand {
	case ExpandOff, ExpandMCP:
		return false
	}
	c := request.Conversation()
	functions := 0
	for _, t := range c.Tools.All() {
		if isOurs(t.Name) {
			return false // our MCP server, or the client's own
		}
		if t.Opaque == "" {
			functions++
		}
	}
	if functions == 0 && (c.Tools.Len() > 0 || !r.t.options.Official(r.x.Upstream)) {
		return false
	}
	return !forbids(request)
}

// hasFunctions reports whether a request has functions of the client. Then the last
// attempt of an answer goes out without our tools, so that the model turns to the
// client: a client that demands a call of some tool must get one of its own. A request
// without such functions keeps our tools, since APIs refuse calls in a history beside an
// empty list.
func hasFunctions(request *wire.Request) bool {
	for _, t := range request.Conversation().Tools.All() {
		if t.Opaque == "" {
			return true
		}
	}
	return false
}

// silenced tells a model that has only our tools to call none. A request that says
// something about that itself stays as it is.
func (r *trip) silenced(request *wire.Request, body []byte) []byte {
	key, none := "tool_choice", `"none"`
	switch r.dialect {
	case plimsoll.Anthropic:
		none = `{"type":"none"}`
	case plimsoll.Gemini:
		key, none = "toolConfig", `{"functionCallingConfig":{"mode":"NONE"}}`
	}
	for name := range members(request) {
		if name == key || name == "tool_config" {
			return body
		}
	}
	out, err := rawjson.Splice(body, wire.AddMember(rawjson.NewScanner(body).List(), fmt.Appendf(nil, "%q:%s", key, none)))
	if err != nil {
		return body
	}
	return out
}

// forbids reports whether the request has something beside which tools are refused or
// of no use.
func forbids(r *wire.Request) bool {
	for key, value := range members(r) {
		switch key {
		case "n":
			if n, ok := rawjson.NewScanner(value).Int(); ok && n > 1 {
				return true
			}
		case "cachedContent", "cached_content":
			return true
		case "previous_response_id", "conversation": // the server would be told twice what was said
			if string(value) != "null" {
				return true
			}
		case "functions", "function_call": // the old form, beside which there are no tools
			if r.Dialect() == plimsoll.OpenAI {
				return true
			}
		case "generationConfig", "generation_config":
			if asksForMore(value) {
				return true
			}
		}
	}
	return false
}

// asksForMore reports whether Gemini is to answer in JSON, which it does not do beside
// tools, or several times.
func asksForMore(config []byte) bool {
	s, found := rawjson.NewScanner(config), false
	if s.Peek() != '{' {
		return false
	}
	for key := range s.Members() {
		switch rawjson.View(key) {
		case "responseMimeType", "response_mime_type":
			text, ok := s.String()
			found = found || ok && text.Decode(config) != "text/plain"
		case "candidateCount", "candidate_count":
			n, ok := s.Int()
			found = found || ok && n > 1
		}
	}
	return found
}
