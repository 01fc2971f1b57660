package transport

import (
	"slices"

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
	if r.t.options.Expand == ExpandOff {
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
	return r.codec.Offerable(request)
}

// mayWithdraw reports whether the last attempt of an answer goes out without our tools.
// It does if the request has functions of the client, so that the model turns to the
// client: a client that demands a call of some tool must get one of its own. A request
// without such functions keeps our tools, since APIs refuse calls in a history beside an
// empty list. Only an API that cannot forbid calls takes that.
func (r *trip) mayWithdraw(request *wire.Request) bool {
	if r.codec.Traits().NoCalls.Key == "" {
		return true
	}
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
	none := r.codec.Traits().NoCalls
	if none.Key == "" {
		return body
	}
	for name := range request.Members() {
		if name == none.Key || name == "tool_config" {
			return body
		}
	}
	return rawjson.SetMember(body, none.Key, []byte(none.Value))
}
