package anthropic

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// serverTools checks the pairs of tools that run on the provider's side. The
// newest calls may still be open: the provider goes on with them.
func (k *checker) serverTools() {
	newest := len(k.runs) - 1
	for newest >= 0 && k.roleOf(newest) != plimsoll.Assistant {
		newest--
	}
	open := map[string]plimsoll.PartRef{}
	k.each(func(i, j int, b trait) {
		switch b.kind {
		case blockServerCall:
			open[k.serverID(i, j, "id")] = plimsoll.PartRef{Message: i, Part: j}
		case blockServerResult:
			id := k.serverID(i, j, "tool_use_id")
			if _, ok := open[id]; !ok {
				k.found.Add(wire.RuleOrphanResult, i, j, "the server tool's result has no call before it")
			}
			delete(open, id)
		}
	})
	k.each(func(i, j int, b trait) {
		if b.kind == blockServerCall && k.runOf(i) != newest && open[k.serverID(i, j, "id")] == (plimsoll.PartRef{Message: i, Part: j}) {
			k.found.Add(wire.RuleNoResult, i, j, "the server tool's call has no result")
		}
	})
}

// serverID reads a member of a block that is carried as it is.
func (k *checker) serverID(i, j int, key string) string {
	raw := rawjson.Bytes(k.c.Messages.At(i).Parts.At(j).(plimsoll.Opaque).Raw)
	id := ""
	s := rawjson.NewScanner(raw)
	for name := range s.Members() {
		if string(name) == key {
			t, _ := s.String()
			id = t.Decode(raw)
		}
	}
	return id
}

// reasoning checks where thinking must be and where it must not.
func (k *checker) reasoning() {
	for run := range k.runs {
		span := k.runs[run]
		if k.roleOf(run) == plimsoll.Assistant && k.last(span).kind == blockThinking {
			k.found.Add(wire.RuleReasoning, span.end-1, -1, "an assistant's message cannot end in thinking")
		}
	}
	if k.w.thinking == "enabled" {
		k.newestTurn()
	}
}

// newestTurn checks that a turn whose tools are still at work begins with the
// thinking that led to them. The API asks for that only where a client switched
// thinking on for every turn, not where the model may choose.
func (k *checker) newestTurn() {
	turn := k.r.NewestTurn()
	first := -1
	working := false
	for i := turn.Start; i < turn.End; i++ {
		if k.role(i) == plimsoll.Assistant && first < 0 {
			first = i
		}
		for _, b := range k.w.blocks(i) {
			working = working || b.kind == blockResult
		}
	}
	if !working || first < 0 {
		return
	}
	if blocks := k.w.blocks(first); len(blocks) > 0 && blocks[0].kind != blockThinking {
		k.found.Add(wire.RuleReasoning, first, 0, "with thinking on, a turn at work must begin with its thinking")
	}
}
