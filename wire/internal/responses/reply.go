package responses

import (
	"bytes"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// NewReply joins answers by their items: in this API each call, each output and each
// piece of reasoning is an item of its own.
func (c Codec) NewReply(contentType string, hidden func(string) bool) wire.Reply {
	if framing, ok := sse.FramingOf(contentType); ok {
		return build.NewStream(c, framing, func(out *build.Stream) build.EventJoiner { return newEventJoiner(out, hidden) })
	}
	return build.NewWholeReply(c, hidden)
}

// Results makes an output item of each.
func (Codec) Results(results []wire.Result) ([][]byte, error) {
	parts := make([]plimsoll.Part, len(results))
	for i, r := range results {
		parts[i] = r.Part()
	}
	return RenderItems(plimsoll.NewMessage(plimsoll.ToolRole, parts...))
}

// ResultsBeside makes output items, too.
func (c Codec) ResultsBeside(results []wire.Result) ([][]byte, error) { return c.Results(results) }

// InsertResults puts the items behind the client's own outputs.
func (Codec) InsertResults(r *wire.Request, next int, results [][]byte) ([]rawjson.Edit, bool) {
	l := r.Layout()
	end := next
	for end < l.Len() && l.Parsed[end].Role == plimsoll.ToolRole {
		end++
	}
	if end == next {
		return nil, false
	}
	at := l.Messages.Items[end-1].End
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append([]byte{','}, bytes.Join(results, []byte{','})...)}}, true
}

// Restored leaves out reasoning that the client has dropped, and the ids of what it led
// to: by them the API would ask for it.
func (Codec) Restored(elements [][]byte, _ []byte, withoutReasoning bool) (left [][]byte) {
	if !withoutReasoning {
		return elements
	}
	bereft := false
	for _, item := range elements {
		switch rawjson.MemberText(item, "type") {
		case "reasoning":
			bereft = true
			continue
		case "function_call_output":
			bereft = false
		case "message", "function_call", "custom_tool_call", "shell_call", "apply_patch_call":
			if bereft {
				item = rawjson.RemoveMember(item, "id")
			}
		}
		left = append(left, item)
	}
	return left
}

// ReadRound reads a response object.
func (Codec) ReadRound(body []byte, hidden func(string) bool) (build.Answer, bool) {
	a, ok := readResponse(body, hidden)
	if !ok {
		return build.Answer{}, false
	}
	r := a.round()
	return r, r.Sendable(Codec{})
}

// readResponse reads a response object, and reports whether it is a complete one.
func readResponse(body []byte, hidden func(string) bool) (*answerItems, bool) {
	a := &answerItems{hidden: hidden}
	if !rawjson.IsObject(body) || rawjson.Member(body, "output") == nil {
		return a, false
	}
	a.read(body)
	status := rawjson.MemberText(body, "status")
	a.cut = status == "incomplete"
	return a, a.cut || status == "completed" || status == ""
}

// JoinRounds returns the last answer with the id of the first and the items of all.
func (Codec) JoinRounds(bodies [][]byte, _ []build.Answer, hidden func(string) bool) []byte {
	answers := make([]*answerItems, len(bodies))
	for i, body := range bodies {
		answers[i], _ = readResponse(body, hidden)
	}
	return joinedResponse(answers, bodies[len(bodies)-1])
}
