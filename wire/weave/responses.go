package weave

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// responsesLoom weaves answers of OpenAI's Responses, in which each call, each output
// and each piece of reasoning is an item of its own.
type responsesLoom struct{}

var (
	_ loom      = responsesLoom{}
	_ forgetter = responsesLoom{}
)

func (l responsesLoom) reply(streamed bool, ours func(string) bool) Reply {
	if streamed {
		return newResponsesStream(l, ours)
	}
	return newWhole(newHistory(l), responsesJoiner{ours})
}

// results makes an output item of each.
func (responsesLoom) results(results []Result) ([]json.RawMessage, error) {
	items, err := responses.RenderItems(plimsoll.NewMessage(plimsoll.ToolRole, resultParts(results)...))
	return rawMessages(items), err
}

// beside makes output items, too.
func (l responsesLoom) beside(results []Result) ([]json.RawMessage, error) { return l.results(results) }

// put puts the items behind the client's own outputs.
func (responsesLoom) put(r *wire.Request, next int, results []json.RawMessage) ([]rawjson.Edit, bool) {
	l := r.Layout()
	end := next
	for end < l.Len() && l.Message(end).Role == plimsoll.ToolRole {
		end++
	}
	if end == next {
		return nil, false
	}
	at := l.Messages.Items[end-1].End
	return []rawjson.Edit{{Span: rawjson.Span{Start: at, End: at}, Text: append([]byte{','}, joined(results)...)}}, true
}

// forget leaves out reasoning, and the ids of what it led to: by them the API would ask
// for it.
func (responsesLoom) forget(elements []json.RawMessage) (left []json.RawMessage) {
	bereft := false
	for _, item := range elements {
		switch stringOf(item, "type") {
		case "reasoning":
			bereft = true
			continue
		case "function_call_output":
			bereft = false
		case "message", "function_call", "custom_tool_call", "shell_call", "apply_patch_call":
			if bereft {
				item = withoutMember(item, "id")
			}
		}
		left = append(left, item)
	}
	return left
}

// responsesJoiner joins answers by their items.
type responsesJoiner struct{ ours func(string) bool }

var _ joiner = responsesJoiner{}

func (j responsesJoiner) read(body []byte, seen *shown) (answered, bool) {
	a, ok := j.answer(body)
	if !ok {
		return answered{}, false
	}
	a.show(seen)
	r := a.round()
	return r, r.sendable(responses.Codec{}, "input")
}

// sendable reports whether an answer with calls of ours can be sent back.
func (a answered) sendable(c wire.Codec, list string) bool {
	if len(a.Calls) == 0 {
		return true
	}
	_, err := c.Decode(fmt.Appendf(nil, `{%q:%s}`, list, listed(a.Said)))
	return err == nil
}

// answer reads a response object, and reports whether it is a complete one.
func (j responsesJoiner) answer(body []byte) (*responsesAnswer, bool) {
	a := &responsesAnswer{ours: j.ours}
	if !isObject(body) || memberOf(body, "output") == nil {
		return a, false
	}
	a.read(body)
	status := stringOf(body, "status")
	a.cut = status == "incomplete"
	return a, a.cut || status == "completed" || status == ""
}

// join returns the last answer with the id of the first and the items of all.
func (j responsesJoiner) join(bodies [][]byte, _ []answered) []byte {
	answers := make([]*responsesAnswer, len(bodies))
	for i, body := range bodies {
		answers[i], _ = j.answer(body)
	}
	return wovenResponse(answers, bodies[len(bodies)-1])
}
