package weave

import (
	"bytes"
	"encoding/json"
)

// anthropicJoiner joins messages by their blocks.
type anthropicJoiner struct{ ours func(string) bool }

var _ joiner = anthropicJoiner{}

func (j anthropicJoiner) read(body []byte, seen *shown) (answered, bool) {
	if !json.Valid(body) || stringOf(body, "type") != "message" {
		return answered{}, false
	}
	blocks := j.blocks(body)
	seen.see(blocks)
	return anthropicRound(blocks), true
}

func (j anthropicJoiner) blocks(body []byte) []*anthropicBlock {
	var blocks []*anthropicBlock
	for _, raw := range itemsOf(memberOf(body, "content")) {
		blocks = append(blocks, readBlock(raw, j.ours))
	}
	return blocks
}

// join returns the last message with the id of the first and the blocks of all.
func (j anthropicJoiner) join(bodies [][]byte, rounds []answered) []byte {
	var shown [][]byte
	var before anthropicOutput
	for i, body := range bodies {
		for _, b := range j.blocks(body) {
			if !b.ours {
				shown = append(shown, b.raw)
			}
		}
		if i < len(bodies)-1 {
			before = before.plus(memberOf(body, "usage"))
		}
	}
	last := bodies[len(bodies)-1]
	out := withMember(bytes.TrimSpace(last), "content", listed(shown))
	if id := memberOf(bodies[0], "id"); id != nil {
		out = withMember(out, "id", id)
	}
	if reason := memberOf(out, "stop_reason"); reason != nil {
		out = withMember(out, "stop_reason", anthropicStop(reason, rounds[len(rounds)-1]))
	}
	if usage := memberOf(out, "usage"); usage != nil {
		out = withMember(out, "usage", anthropicUsage(usage, nil, before))
	}
	return out
}
