package responses

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// answerItems is one answer of the model, as far as it has come.
type answerItems struct {
	hidden func(string) bool
	id     string
	items  []answerItem
	// output and reasoning are tokens that were billed.
	output, reasoning int
	// cut says that the answer stopped before everything was said.
	cut bool
	// forgotten says that the server does not keep what it said.
	forgotten bool
	// handed are the ids of reasoning that the client has got unchanged.
	handed map[string]bool
}

// answerItem is an item of an answer.
type answerItem struct {
	raw              []byte
	kind, id, callID string
	name, namespace  string
	arguments        string
	// hidden says that it is a hidden call, sealed that it is reasoning which can be sent
	// back by its value.
	hidden, sealed bool
}

// item reads an item. A function in a namespace is never hidden, even if it has the name of
// a hidden tool.
func (a *answerItems) item(raw []byte) answerItem {
	item := readItem(raw)
	item.hidden = item.kind == "function_call" && item.namespace == "" && a.hidden(item.name)
	return item
}

func readItem(raw []byte) answerItem {
	item := answerItem{raw: raw}
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
			read(&item.namespace)
		case "encrypted_content":
			item.sealed = s.Peek() == '"'
		}
	}
	return item
}

// read takes over what a response object says. Some servers leave the items out at the
// end of a stream; then those that came before stand.
func (a *answerItems) read(response []byte) {
	if id := rawjson.MemberText(response, "id"); id != "" {
		a.id = id
	}
	if usage := rawjson.Member(response, "usage"); rawjson.IsObject(usage) {
		a.output = rawjson.MemberInt(usage, "output_tokens")
		a.reasoning = rawjson.MemberInt(rawjson.Member(usage, "output_tokens_details"), "reasoning_tokens")
	}
	a.forgotten = string(rawjson.Member(response, "store")) == "false"
	if output := rawjson.Items(rawjson.Member(response, "output")); len(output) > 0 {
		a.items = nil
		for _, raw := range output {
			a.items = append(a.items, a.item(raw))
		}
	}
}

// round says what the answer was. Hidden calls in one that was cut short are not to be
// trusted, and none.
func (a *answerItems) round() build.Answer {
	open := a.shown()
	r := build.Answer{Hides: len(open) < len(a.items), Shown: a.shownParts()}
	// Reasoning that led to nothing is not sent back: the API refuses it without what
	// follows.
	for len(open) > 0 && open[len(open)-1].kind == "reasoning" {
		open = open[:len(open)-1]
	}
	r.Foreign, r.Open = a.foreign(), a.said(open)
	if a.cut {
		r.Said = r.Open
		return r
	}
	r.Said = a.said(a.items)
	for _, item := range a.items {
		if item.hidden {
			r.Calls = append(r.Calls, plimsoll.ToolCall{ID: item.callID, Name: item.name, Arguments: item.arguments})
		}
	}
	return r
}

// foreign reports whether the client has something to answer: a call that is not hidden
// and that the server has not answered itself.
func (a *answerItems) foreign() bool {
	served := map[string]bool{}
	for _, item := range a.items {
		if strings.HasSuffix(item.kind, "_output") {
			served[item.callID] = true
		}
	}
	return slices.ContainsFunc(a.shown(), func(item answerItem) bool {
		isCall := strings.HasSuffix(item.kind, "_call") && item.callID != ""
		return isCall && !served[item.callID] || item.kind == "mcp_approval_request"
	})
}

// said returns items as they may be sent back. Reasoning whose value was not told and
// that the server does not keep cannot be; then what it led to must not have an id, by
// which the server would ask for it.
func (a *answerItems) said(items []answerItem) (raw [][]byte) {
	bereft := false
	for _, item := range items {
		switch {
		case item.kind == "reasoning":
			bereft = a.forgotten && !item.sealed
			if bereft {
				continue
			}
		case bereft && (item.kind == "message" || item.kind == "function_call"):
			item.raw = rawjson.RemoveMember(item.raw, "id")
		}
		raw = append(raw, item.raw)
	}
	return raw
}

// shownParts returns what the client is shown of the answer.
func (a *answerItems) shownParts() (parts []plimsoll.Part) {
	for _, item := range a.shown() {
		switch item.kind {
		case "message":
			content := rawjson.Member(item.raw, "content")
			parts = append(parts, plimsoll.Text{Text: rawjson.Unquoted(content)})
			for _, part := range rawjson.Items(content) {
				parts = append(parts, plimsoll.Text{Text: rawjson.MemberText(part, "text")})
				parts = append(parts, plimsoll.Text{Text: rawjson.MemberText(part, "refusal")})
			}
		case "reasoning":
			parts = append(parts, plimsoll.Reasoning{})
		case "function_call", "custom_tool_call", "local_shell_call", "shell_call", "apply_patch_call", "computer_call":
			parts = append(parts, item.call())
		case "mcp_approval_request":
			parts = append(parts, plimsoll.ToolCall{ID: item.id, Arguments: item.arguments})
		case "tool_search_call":
			// What a client finds stands among the items of the assistant, and would be
			// taken for one of them. So nothing in a later request may match.
			parts = append(parts, plimsoll.ToolCall{Name: "\x00" + item.kind})
		}
	}
	return parts
}

// call returns the call that an item is, as it will be found in a request.
func (i *answerItem) call() plimsoll.ToolCall {
	r, err := Codec{}.Decode(fmt.Appendf(nil, `{"input":[%s]}`, i.raw))
	if err == nil && r.Layout().Len() == 1 {
		for _, p := range r.Layout().Parsed[0].Parts.All() {
			if c, ok := p.(plimsoll.ToolCall); ok {
				return c
			}
		}
	}
	return plimsoll.ToolCall{ID: i.callID, Name: i.name, Arguments: i.arguments}
}

// joinedResponse returns the response object of the last answer as that of all of them.
func joinedResponse(answers []*answerItems, response []byte) []byte {
	if id := answers[0].id; id != "" && rawjson.MemberText(response, "id") != "" {
		response = rawjson.SetMember(response, "id", rawjson.AppendQuote(nil, id))
	}
	var output [][]byte
	for _, a := range answers {
		for _, item := range a.shown() {
			output = append(output, item.raw)
		}
	}
	if old := rawjson.Member(response, "output"); len(old) > 0 && old[0] == '[' {
		response = rawjson.SetMember(response, "output", rawjson.Array(output))
	}
	if usage := rawjson.Member(response, "usage"); rawjson.IsObject(usage) {
		response = rawjson.SetMember(response, "usage", billed(usage, answers[:len(answers)-1]))
	}
	return response
}

// billed adds what earlier answers put out. What was read for them is read
// again for the last one, and counts once.
func billed(usage []byte, earlier []*answerItems) []byte {
	output, reasoning := 0, 0
	for _, a := range earlier {
		output, reasoning = output+a.output, reasoning+a.reasoning
	}
	usage = rawjson.AddInt(rawjson.AddInt(usage, "output_tokens", output), "total_tokens", output)
	if details := rawjson.Member(usage, "output_tokens_details"); rawjson.IsObject(details) {
		usage = rawjson.SetMember(usage, "output_tokens_details", rawjson.AddInt(details, "reasoning_tokens", reasoning))
	}
	return usage
}
