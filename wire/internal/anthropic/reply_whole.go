package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// joiner joins messages by their blocks.
type joiner struct{ hidden func(string) bool }

var _ build.Joiner = joiner{}

// Read reads a message.
func (j joiner) Read(body []byte) (build.Answer, bool) {
	if !json.Valid(body) || rawjson.MemberText(body, "type") != "message" {
		return build.Answer{}, false
	}
	return roundOf(j.blocks(body)), true
}

func (j joiner) blocks(body []byte) []*answerBlock {
	var blocks []*answerBlock
	for _, raw := range rawjson.Items(rawjson.Member(body, "content")) {
		blocks = append(blocks, readBlock(raw, j.hidden))
	}
	return blocks
}

// Join returns the last message with the id of the first and the blocks of all.
func (j joiner) Join(bodies [][]byte, rounds []build.Answer) []byte {
	var shown [][]byte
	var before output
	for i, body := range bodies {
		for _, b := range j.blocks(body) {
			if !b.hidden {
				shown = append(shown, b.raw)
			}
		}
		if i < len(bodies)-1 {
			before = before.plus(rawjson.Member(body, "usage"))
		}
	}
	last := bodies[len(bodies)-1]
	out := rawjson.SetMember(bytes.TrimSpace(last), "content", rawjson.Array(shown))
	if id := rawjson.Member(bodies[0], "id"); id != nil {
		out = rawjson.SetMember(out, "id", id)
	}
	if reason := rawjson.Member(out, "stop_reason"); reason != nil {
		out = rawjson.SetMember(out, "stop_reason", endReason(reason, rounds[len(rounds)-1]))
	}
	if usage := rawjson.Member(out, "usage"); usage != nil {
		out = rawjson.SetMember(out, "usage", billed(usage, nil, before))
	}
	return out
}
