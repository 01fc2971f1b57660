package build

import (
	"strings"

	"github.com/plimsoll/plimsoll/wire"
)

// Clip shortens a word of the client's for an explanation.
func Clip(word string) string {
	const most = 64
	if len(word) <= most {
		return word
	}
	return strings.ToValidUTF8(word[:most], "") + "…"
}

// CheckPairs adds results without a call and calls without a result. Pending explains
// those of the last round.
func CheckPairs(r *wire.Request, found *wire.Violations, pending string) {
	if !r.Continues() {
		CheckOrphans(r, found)
	}
	for _, at := range r.Outline().Dead {
		found.Add(wire.RuleNoResult, at.Message, at.Part, "the tool call has no result, and the conversation went on")
	}
	for _, at := range r.Outline().Pending {
		found.Add(wire.RuleNoResult, at.Message, at.Part, pending)
	}
}

// CheckOrphans adds results without a call.
func CheckOrphans(r *wire.Request, found *wire.Violations) {
	for _, at := range r.Outline().Orphans {
		found.Add(wire.RuleOrphanResult, at.Message, at.Part, "the tool result answers no call before it")
	}
}
