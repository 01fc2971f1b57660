package scripted

import (
	"cmp"
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
)

// bedrock writes as Amazon Bedrock's Converse API does. Amazon lists models, and counts
// tokens, elsewhere: what it says about both is Anthropic's.
type bedrock struct{ anthropic }

var _ voice = bedrock{}

func (bedrock) callPrefix() string { return "tooluse_" }

func (bedrock) streamType() string { return "application/vnd.amazon.eventstream" }

func (v bedrock) whole(a *answer) object {
	content := []object{}
	if a.step.Text != "" {
		content = append(content, object{"text": a.step.Text})
	}
	for _, c := range a.step.Calls {
		content = append(content, object{"toolUse": object{"toolUseId": c.ID, "name": c.Name, "input": json.RawMessage(c.Arguments)}})
	}
	return object{
		"output":     object{"message": object{"role": "assistant", "content": content}},
		"stopReason": v.stop(a.step.Stop), "usage": v.usage(a.usage), "metrics": object{"latencyMs": 1},
	}
}

func (v bedrock) frames(a *answer) [][]byte {
	frame := func(name string, data object) []byte { return sse.Frames.Append(nil, name, encode(data)) }
	all := [][]byte{frame("messageStart", object{"role": "assistant"})}
	index := 0
	block := func(text string, delta func(piece string) object) {
		for _, piece := range pieces(text) {
			all = append(all, frame("contentBlockDelta", object{"contentBlockIndex": index, "delta": delta(piece)}))
		}
		all = append(all, frame("contentBlockStop", object{"contentBlockIndex": index}))
		index++
	}
	if a.step.Text != "" {
		block(a.step.Text, func(piece string) object { return object{"text": piece} })
	}
	for _, c := range a.step.Calls {
		all = append(all, frame("contentBlockStart", object{"contentBlockIndex": index, "start": object{"toolUse": object{"toolUseId": c.ID, "name": c.Name}}}))
		block(c.Arguments, func(piece string) object { return object{"toolUse": object{"input": piece}} })
	}
	return append(all,
		frame("messageStop", object{"stopReason": v.stop(a.step.Stop)}),
		frame("metadata", object{"usage": v.usage(a.usage), "metrics": object{"latencyMs": 1}}))
}

func (bedrock) usage(u plimsoll.Usage) object {
	return object{
		"inputTokens": u.Input, "outputTokens": u.Output, "totalTokens": u.Total(),
		"cacheWriteInputTokens": u.CacheCreation, "cacheReadInputTokens": u.CacheRead,
	}
}

func (bedrock) fault(f Fault) any { return object{"message": f.Message} }

func (bedrock) broken(_ *answer, f Fault) [][]byte {
	return [][]byte{sse.AppendException(nil, cmp.Or(f.Type, "internalServerException"), encode(object{"message": f.Message}))}
}

func (v bedrock) overflow(tokens, window int) Fault {
	f := v.anthropic.overflow(tokens, window)
	f.Message = "The model returned the following errors: " + f.Message
	return f
}

func (v bedrock) stop(s wire.Stop) string {
	if s == wire.StopFiltered {
		return "content_filtered"
	}
	return v.anthropic.stop(s)
}
