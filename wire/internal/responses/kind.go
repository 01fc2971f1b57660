package responses

import (
	"cmp"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// message makes a message of an item.
func (d *decoder) message(f *fields) plimsoll.Message {
	s := d.scanner
	name, isCall := callName(f)
	switch {
	case f.kind == kindMessage:
		return plimsoll.Message{Role: plimsoll.Role(f.role), Parts: plimsoll.ListOf(f.content.parts...)}
	case f.kind == kindReasoning:
		return d.only(plimsoll.Assistant, s.DeferAt(plimsoll.Reasoning{}, d.thoughts, f.raw))
	case isCall:
		if f.kind == "local_shell_call" && f.id != "" {
			d.shells[f.id] = f.callID
		}
		return d.only(plimsoll.Assistant, s.CallPart(plimsoll.ToolCall{ID: f.callID, Name: name, Status: f.status}, f.arguments))
	case isOutput(f.kind):
		key := d.answers(f)
		if _, ok := d.late[key]; ok {
			return d.lateAnswer(f, key)
		}
		return d.result(f, key)
	case f.kind == "tool_search_call":
		return d.lateCall(f, cmp.Or(f.callID, toolSearch), toolSearch)
	case f.kind == "tool_search_output":
		return d.lateAnswer(f, cmp.Or(f.callID, toolSearch))
	case f.kind == "mcp_approval_request":
		return d.lateCall(f, f.id, f.name)
	case f.kind == "mcp_approval_response":
		return d.lateAnswer(f, f.approval)
	case f.kind == "program":
		return d.lateCall(f, f.callID, f.kind)
	case f.kind == "program_output":
		return d.lateAnswer(f, f.callID)
	}
	return d.opaque(f)
}

// toolSearch is the name of the tool that finds other tools, and the key of its calls on
// the server, which have no call_id.
const toolSearch = "tool_search"

// only returns a message of these parts.
func (d *decoder) only(role plimsoll.Role, p ...plimsoll.Part) plimsoll.Message {
	return plimsoll.Message{Role: role, Parts: plimsoll.ListOf(p...)}
}

// callName returns the name of the tool that an item calls, if the client must
// answer it.
func callName(f *fields) (string, bool) {
	switch f.kind {
	case "function_call", "custom_tool_call":
		return f.name, true
	case "local_shell_call", "shell_call", "apply_patch_call", "computer_call":
		return strings.TrimSuffix(f.kind, "_call"), true
	}
	return "", false
}

func isOutput(kind string) bool {
	switch kind {
	case "function_call_output", "custom_tool_call_output", "local_shell_call_output",
		"shell_call_output", "apply_patch_call_output", "computer_call_output":
		return true
	}
	return false
}

// opaqueRole puts an item that is carried whole where it belongs: what a model or
// the server made is the assistant's, what answers it stays with it, and notes of
// the client open no turn.
func (f *fields) opaqueRole() plimsoll.Role {
	switch f.kind {
	case "mcp_list_tools", "mcp_approval_request", "compaction", "context_compaction", "program", "tool_search_output", kindReference:
		return plimsoll.Assistant
	case "compaction_trigger", "additional_tools":
		return plimsoll.Developer
	case "mcp_approval_response":
		return plimsoll.ToolRole
	}
	switch {
	case strings.HasSuffix(f.kind, "_call"):
		return plimsoll.Assistant
	case strings.HasSuffix(f.kind, "_output"):
		return plimsoll.ToolRole
	}
	return plimsoll.User
}

// opaque returns the item whole. A reference to reasoning counts as reasoning,
// because it must stay with the item behind it too.
func (d *decoder) opaque(f *fields) plimsoll.Message {
	if f.kind == kindReference && strings.HasPrefix(f.id, "rs_") {
		return d.only(f.opaqueRole(), plimsoll.Reasoning{Redacted: true})
	}
	return d.only(f.opaqueRole(), d.scanner.OpaquePart(f.kind, f.raw))
}

// result makes the item's output the content of one result.
func (d *decoder) result(f *fields, callID string) plimsoll.Message {
	return d.only(plimsoll.ToolRole, d.scanner.ResultPart(plimsoll.ToolResult{
		CallID: callID, Name: f.name, Content: plimsoll.ListOf(f.output.parts...),
		IsError: f.status == "failed" && f.kind == "apply_patch_call_output",
	}))
}

// again reads an item that was valid the first time.
func again(body []byte, at rawjson.Span) *fields {
	d := decoder{scanner: build.NewScannerAt(plimsoll.Responses, body, at), locating: true}
	_, _ = d.fields()
	return &d.current
}

// Locate reads an item again. Only what a message says can be removed alone. An
// output that is not there yet becomes a member at the end of its item.
func (w *writer) Locate(i int) layout.Located {
	f := again(w.layout.Body, w.layout.Messages.Items[i])
	if f.kind == kindMessage {
		return layout.Located{Places: f.content.places, Lists: []layout.PartList{{List: f.content.list}}}
	}
	places := make([]layout.Place, w.layout.Parsed[i].Parts.Len())
	for k := range places {
		places[k] = layout.Fixed()
	}
	switch {
	case !plimsoll.Has[plimsoll.ToolResult](w.layout.Parsed[i]):
	case !f.output.value.IsZero():
		places[0].Content = f.output.value
	case isOutput(f.kind):
		places[0].Content = rawjson.Span{Start: f.raw.End - 1, End: f.raw.End - 1}
	}
	return layout.Located{Places: places}
}

// answers returns the id of the call that an output answers. Outputs of a local
// shell may name the call by the id of its item.
func (d *decoder) answers(f *fields) string {
	if f.callID != "" || f.kind != "local_shell_call_output" {
		return f.callID
	}
	if callID, ok := d.shells[f.id]; ok {
		return callID
	}
	return f.id
}

// lateCall is a call that needs no answer: a question for approval that the user
// passed over, a program that still runs, a search for tools on the server. It counts as a call once its answer is
// found, so that the two stay together, and is carried whole until then.
type lateCall struct {
	raw       rawjson.Span
	item      int
	name      string
	arguments rawjson.Text
}

func (d *decoder) lateCall(f *fields, key, name string) plimsoll.Message {
	if key != "" {
		d.late[key] = lateCall{f.raw, d.layout.Len(), name, f.arguments}
	}
	return d.opaque(f)
}

func (d *decoder) lateAnswer(f *fields, key string) plimsoll.Message {
	call, ok := d.late[key]
	if !ok {
		return d.opaque(f)
	}
	delete(d.late, key)
	f.paired = true
	m := d.only(plimsoll.Assistant, d.scanner.CallPart(plimsoll.ToolCall{ID: key, Name: call.name}, call.arguments))
	m.Digest = d.digest(call.raw, true)
	d.layout.Parsed[call.item] = m
	switch {
	case f.kind == "tool_search_output": // tools that no text can replace
		return d.only(plimsoll.ToolRole, d.scanner.ResultPart(plimsoll.ToolResult{CallID: key}), d.scanner.OpaquePart(f.kind, f.raw))
	case f.output.value.IsZero():
		return d.only(plimsoll.ToolRole, d.scanner.ResultPart(plimsoll.ToolResult{CallID: key}))
	}
	return d.result(f, key)
}

// thoughts is the source of reasoning: it joins the texts of the summary and of the
// content, when the part is read.
type thoughts struct{ body []byte }

// LoadAt reads the item again, and of it no more than reasoning has.
func (t *thoughts) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	var r plimsoll.Reasoning
	var summary, content []string
	s := rawjson.NewScannerAt(t.body, build.SpanAt(at))
	for key := range s.Members() {
		switch string(key) {
		case "summary":
			summary = t.texts(s)
		case "content":
			content = t.texts(s)
		case "encrypted_content":
			if text, ok := s.String(); ok {
				r.Signature = text.Decode(t.body)
			}
		}
	}
	texts := append(summary, content...)
	r.Text, r.Redacted = strings.Join(texts, "\n\n"), len(texts) == 0
	return r
}

// texts reads a string, or the texts of a list of parts.
func (t *thoughts) texts(s *rawjson.Scanner) []string {
	if s.Peek() == '"' {
		text, _ := s.String()
		return []string{text.Decode(t.body)}
	}
	var texts []string
	for range s.Elements() {
		var text rawjson.Text
		isText := false
		for key := range s.Members() {
			if string(key) == "text" || string(key) == "refusal" {
				text, isText = s.String()
			}
		}
		if isText {
			texts = append(texts, text.Decode(t.body))
		}
	}
	return texts
}
