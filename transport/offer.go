package transport

import (
	"slices"

	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/rawjson"
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
	return f.codec.Offerable(f.request)
}

// withdraws reports whether the last request of an answer goes out without tools of ours,
// so that the model turns to the client: a client that demands a call of some tool must
// get one of its own. Where there are no others they stay, since APIs refuse calls in a
// history beside an empty list.
func (f *flow) withdraws() bool {
	if !f.last {
		return false
	}
	for _, t := range f.request.Conversation().Tools.All() {
		if t.Opaque == "" {
			return true
		}
	}
	return false
}

// silenced tells a model that has only tools of ours to call none. A request that says
// something about that itself is left as it is.
func (f *flow) silenced(body []byte) []byte {
	none := f.codec.Traits().NoCalls
	for name := range f.request.Members() {
		if name == none.Key || name == "tool_config" {
			return body
		}
	}
	return rawjson.SetMember(body, none.Key, []byte(none.Value))
}
