package weave

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// responsesAnswer is one answer of the model, as far as it has come.
type responsesAnswer struct {
	ours  func(string) bool
	id    string
	items []responsesItem
	// output and reasoning are tokens that were billed.
	output, reasoning int
	// cut says that the answer stopped before everything was said.
	cut bool
	// forgotten says that the server does not keep what it said.
	forgotten bool
	// handed are the ids of reasoning that the client has got as it came.
	handed map[string]bool
}

// responsesItem is an item of an answer.
type responsesItem struct {
	raw              []byte
	kind, id, callID string
	name, arguments  string
	// ours says that it is a call of ours, sealed that it is reasoning which can be sent
	// back by its value.
	ours, sealed bool
}

// item reads an item. A function in a namespace is somebody else's, even if it has a
// name of ours.
func (a *responsesAnswer) item(raw []byte) responsesItem {
	item := responsesItem{raw: raw}
	namespace := ""
	s := rawjson.NewScanner(raw)
	read := func(into *string) {
		text, _ := s.String()
		*into = strings.Clone(text.Decode(raw))
	}
	for key := range s.Members() {
		switch string(key) {
		case "type":
			read(&item.kind)
		case "id":
			read(&item.id)
		case "call_id":
			read(&item.callID)
		case "name":
			read(&item.name)
		case "arguments":
			read(&item.arguments)
		case "namespace":
			read(&namespace)
		case "encrypted_content":
			item.sealed = s.Peek() == '"'
		}
	}
	item.ours = item.kind == "function_call" && namespace == "" && a.ours(item.name)
	return item
}

// read takes over what a response object says. Some servers leave the items out at the
// end of a stream; then those that came before stand.
func (a *responsesAnswer) read(response []byte) {
	if id := stringOf(response, "id"); id != "" {
		a.id = id
	}
	if usage := memberOf(response, "usage"); isObject(usage) {
		a.output = numberOf(usage, "output_tokens")
		a.reasoning = numberOf(memberOf(usage, "output_tokens_details"), "reasoning_tokens")
	}
	a.forgotten = string(memberOf(response, "store")) == "false"
	if output := itemsOf(memberOf(response, "output")); len(output) > 0 {
		a.items = nil
		for _, raw := range output {
			a.items = append(a.items, a.item(raw))
		}
	}
}

// round says what the answer was. Calls of ours in one that was cut short are not to be
// trusted, and none.
func (a *responsesAnswer) round() answered {
	open := a.shown()
	r := answered{hides: len(open) < len(a.items)}
	// Reasoning that led to nothing is not sent back: the API refuses it without what
	// follows.
	for len(open) > 0 && open[len(open)-1].kind == "reasoning" {
		open = open[:len(open)-1]
	}
	r.Foreign, r.open = a.foreign(), a.said(open)
	if a.cut {
		r.Said = r.open
		return r
	}
	r.Said = a.said(a.items)
	for _, item := range a.items {
		if item.ours {
			r.Calls = append(r.Calls, plimsoll.ToolCall{ID: item.callID, Name: item.name, Arguments: item.arguments})
		}
	}
	return r
}

// foreign reports whether the client has something to answer: a call that is not ours
// and that the server has not answered itself.
func (a *responsesAnswer) foreign() bool {
	served := map[string]bool{}
	for _, item := range a.items {
		if strings.HasSuffix(item.kind, "_output") {
			served[item.callID] = true
		}
	}
	return slices.ContainsFunc(a.shown(), func(item responsesItem) bool {
		isCall := strings.HasSuffix(item.kind, "_call") && item.callID != ""
		return isCall && !served[item.callID] || item.kind == "mcp_approval_request"
	})
}

// said returns items as they may be sent back. Reasoning whose value was not told and
// that the server does not keep cannot be; then what it led to must not have an id, by
// which the server would ask for it.
func (a *responsesAnswer) said(items []responsesItem) (raw [][]byte) {
	bereft := false
	for _, item := range items {
		switch {
		case item.kind == "reasoning":
			bereft = a.forgotten && !item.sealed
			if bereft {
				continue
			}
		case bereft && (item.kind == "message" || item.kind == "function_call"):
			item.raw = withoutMember(item.raw, "id")
		}
		raw = append(raw, item.raw)
	}
	return raw
}

// show notes what the client is shown of the answer.
func (a *responsesAnswer) show(seen *shown) {
	for _, item := range a.shown() {
		switch item.kind {
		case "message":
			content := memberOf(item.raw, "content")
			seen.text(unquoted(content))
			for _, part := range itemsOf(content) {
				seen.text(stringOf(part, "text"))
				seen.text(stringOf(part, "refusal"))
			}
		case "reasoning":
			seen.thought = true
		case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call":
			seen.call(item.call())
		case "mcp_approval_request":
			seen.call(plimsoll.ToolCall{ID: item.id, Arguments: item.arguments})
		case "tool_search_call":
			// What a client finds stands among the items of the assistant, and would be
			// taken for one of them. So nothing in a later request may match.
			seen.call(plimsoll.ToolCall{Name: "\x00" + item.kind})
		}
	}
}

// call returns the call that an item is, as it will be found in a request.
func (i *responsesItem) call() plimsoll.ToolCall {
	r, err := responses.Codec{}.Decode(fmt.Appendf(nil, `{"input":[%s]}`, i.raw))
	if err == nil && r.Layout().Len() == 1 {
		for _, p := range r.Layout().Message(0).Parts.All() {
			if c, ok := p.(plimsoll.ToolCall); ok {
				return c
			}
		}
	}
	return plimsoll.ToolCall{ID: i.callID, Name: i.name, Arguments: i.arguments}
}

// wovenResponse returns the response object of the last answer as that of all of them.
func wovenResponse(answers []*responsesAnswer, response []byte) []byte {
	if id := answers[0].id; id != "" && stringOf(response, "id") != "" {
		response = withMember(response, "id", rawjson.AppendQuote(nil, id))
	}
	var output [][]byte
	for _, a := range answers {
		for _, item := range a.shown() {
			output = append(output, item.raw)
		}
	}
	if old := memberOf(response, "output"); len(old) > 0 && old[0] == '[' {
		response = withMember(response, "output", listed(output))
	}
	if usage := memberOf(response, "usage"); isObject(usage) {
		response = withMember(response, "usage", responsesUsage(usage, answers[:len(answers)-1]))
	}
	return response
}

// responsesUsage adds what earlier answers put out. What was read for them is read
// again for the last one, and counts once.
func responsesUsage(usage []byte, earlier []*responsesAnswer) []byte {
	output, reasoning := 0, 0
	for _, a := range earlier {
		output, reasoning = output+a.output, reasoning+a.reasoning
	}
	usage = raised(raised(usage, "output_tokens", output), "total_tokens", output)
	if details := memberOf(usage, "output_tokens_details"); isObject(details) {
		usage = withMember(usage, "output_tokens_details", raised(details, "reasoning_tokens", reasoning))
	}
	return usage
}

// raised adds to a figure of an object, if it is there.
func raised(object []byte, key string, by int) []byte {
	if by == 0 || memberOf(object, key) == nil {
		return object
	}
	return withNumber(object, key, numberOf(object, key)+by)
}
