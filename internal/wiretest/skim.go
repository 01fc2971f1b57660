package wiretest

import (
	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

// skimDiff tells how the parts of messages, and of results in them, differ when they
// are skimmed.
func skimDiff(c plimsoll.Conversation) string {
	for _, m := range c.Messages.All() {
		if diff := skimPartsDiff(m.Parts); diff != "" {
			return diff
		}
	}
	return ""
}

func skimPartsDiff(parts plimsoll.List[plimsoll.Part]) (diff string) {
	whole := parts.Slice()
	plimsoll.Skim(parts, func(skimmed []plimsoll.Part) {
		for i, p := range skimmed {
			result, ok := p.(plimsoll.ToolResult)
			if !ok {
				diff += cmp.Diff(whole[i], p)
				continue
			}
			diff += skimPartsDiff(result.Content)
		}
		if len(skimmed) != len(whole) {
			diff += "another number of parts"
		}
	})
	return diff
}
