package anthropic

import (
	"bytes"
	"encoding/json"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// ReadRound reads a message.
func (Codec) ReadRound(body []byte, hidden func(string) bool) (build.Answer, bool) {
	if !json.Valid(body) || rawjson.MemberText(body, "type") != "message" {
		return build.Answer{}, false
	}
	return roundOf(readBlocks(body, hidden)), true
}

func readBlocks(body []byte, hidden func(string) bool) []*answerBlock {
	var blocks []*answerBlock
	for _, raw := range rawjson.Items(rawjson.Member(body, "content")) {
		blocks = append(blocks, readBlock(raw, hidden))
	}
	return blocks
}

// JoinRounds returns the last message with the id of the first and the blocks of all.
func (Codec) JoinRounds(bodies [][]byte, rounds []build.Answer, hidden func(string) bool) []byte {
	var shown [][]byte
	var before output
	for i, body := range bodies {
		for _, b := range readBlocks(body, hidden) {
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
