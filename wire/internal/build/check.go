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

// CheckPending adds calls at the end that have no result, for APIs that refuse
// them.
func CheckPending(r *wire.Request, found *wire.Violations, text string) {
	for _, at := range r.Outline().Pending {
		found.Add(wire.RuleNoResult, at.Message, at.Part, text)
	}
}
