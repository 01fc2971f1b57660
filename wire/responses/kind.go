package responses

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// item makes a message of an item.
func (d *decoder) item(f *fields) wire.Item {
	body := d.layout.Body
	name, isCall := callName(f)
	switch {
	case f.kind == kindMessage:
		return f.message()
	case f.kind == kindReasoning:
		return fixed(plimsoll.Assistant, f.reasoning(body))
	case isCall:
		if f.kind == "local_shell_call" && f.id != "" {
			remember(&d.shells, f.id, f.callID)
		}
		return fixed(plimsoll.Assistant, wire.CallPart(body, f.callID, name, f.arguments))
	case isOutput(f.kind):
		return f.result(d.answers(f))
	case f.kind == "mcp_approval_request":
		return d.lateCall(f, f.id, f.name)
	case f.kind == "mcp_approval_response":
		return d.lateAnswer(f, f.approval)
	case f.kind == "program":
		return d.lateCall(f, f.callID, f.kind)
	case f.kind == "program_output":
		return d.lateAnswer(f, f.callID)
	}
	return fixed(f.opaqueRole(), f.opaque(body))
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
func (f *fields) opaque(body []byte) plimsoll.Part {
	if f.kind == kindReference && strings.HasPrefix(f.id, "rs_") {
		return plimsoll.Reasoning{Redacted: true}
	}
	return wire.OpaquePart(body, f.kind, f.raw)
}

func (f *fields) message() wire.Item {
	item := wire.Item{
		Message: plimsoll.NewMessage(plimsoll.Role(f.role), f.content.parts...),
		Places:  f.content.places,
	}
	if !f.content.list.IsZero() {
		item.Lists = []wire.PartList{{List: f.content.list}}
	}
	return item
}

// result makes the item's output the content of one result. If there is none, new
// content becomes a member at the end of the item.
func (f *fields) result(callID string) wire.Item {
	item := fixed(plimsoll.ToolRole, plimsoll.ToolResult{
		CallID: callID, Name: f.name, Content: plimsoll.ListOf(f.output.parts...),
		IsError: f.failed && f.kind == "apply_patch_call_output",
	})
	item.Places[0].Content = f.output.value
	if f.output.value.IsZero() {
		item.Places[0].Content = rawjson.Span{Start: f.raw.End - 1, End: f.raw.End - 1}
	}
	return item
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

// fixed returns an item of one part that cannot be removed alone.
func fixed(role plimsoll.Role, p plimsoll.Part) wire.Item {
	return wire.Item{Message: plimsoll.NewMessage(role, p), Places: []wire.Place{wire.Fixed()}}
}

// lateCall is a call that needs no answer: a question for approval that the user
// passed over, a program that still runs. It counts as a call once its answer is
// found, so that the two stay together, and is carried whole until then.
type lateCall struct {
	raw  rawjson.Span
	item int
	call plimsoll.Part
}

func (d *decoder) lateCall(f *fields, key, name string) wire.Item {
	if key != "" {
		remember(&d.late, key, lateCall{f.raw, len(d.layout.Items), wire.CallPart(d.layout.Body, key, name, f.arguments)})
	}
	return fixed(f.opaqueRole(), f.opaque(d.layout.Body))
}

func (d *decoder) lateAnswer(f *fields, key string) wire.Item {
	call, ok := d.late[key]
	if !ok {
		return fixed(f.opaqueRole(), f.opaque(d.layout.Body))
	}
	delete(d.late, key)
	f.paired = true
	m := &d.layout.Items[call.item].Message
	m.Parts, m.Digest = plimsoll.ListOf(call.call), d.digest(call.raw, true)
	if f.output.value.IsZero() {
		return fixed(plimsoll.ToolRole, plimsoll.ToolResult{CallID: key})
	}
	return f.result(key)
}

func remember[V any](m *map[string]V, key string, value V) {
	if *m == nil {
		*m = map[string]V{}
	}
	(*m)[key] = value
}

// reasoning joins the texts of the summary and of the content, when somebody
// looks.
func (f *fields) reasoning(body []byte) plimsoll.Part {
	l := reasoningLoader{body: body, encrypted: f.encrypted}
	l.texts = append(append(l.texts, f.summary.texts...), f.content.texts...)
	return plimsoll.Defer(plimsoll.Reasoning{}, l)
}

type reasoningLoader struct {
	body      []byte
	texts     []rawjson.Text
	encrypted rawjson.Span
}

// LoadPart reads the texts.
func (l reasoningLoader) LoadPart() plimsoll.Part {
	texts := make([]string, len(l.texts))
	for i, t := range l.texts {
		texts[i] = t.Decode(l.body)
	}
	r := plimsoll.Reasoning{Text: strings.Join(texts, "\n\n"), Redacted: len(texts) == 0}
	r.Signature, _ = rawjson.Unquote(l.body, l.encrypted)
	return r
}
