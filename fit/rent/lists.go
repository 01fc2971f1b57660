package rent

import (
	"slices"
	"time"
)

// PriceList is a price list by name: what a class of models costs relative to its own
// uncached input. Lists do not follow a vendor's changes; they are there so that a
// result can be compared with one of another day.
type PriceList struct {
	Name string
	Prices
	// Says which models cost that.
	Says string
}

// lists are those of the research notes of November 2026, which name their sources:
// the vendors' price pages.
var lists = []PriceList{
	{"anthropic-5m", Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 1024}, "Claude Sonnet 5 and Opus 5, cached for five minutes"},
	{"anthropic-1h", Prices{Read: 0.1, Write: 2, Output: 5, Life: time.Hour, MinPrefix: 1024}, "the same, cached for an hour"},
	{"opus-5.5-5m", Prices{Read: 0.05, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 512}, "Claude Opus 5.5, cached for five minutes"},
	{"fable-5.1-5m", Prices{Read: 0.025, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 512}, "Claude Fable 5.1, cached for five minutes"},
	{"haiku-5.5-5m", Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute, MinPrefix: 1024, Cliff: 100_000, CliffFactor: 5}, "Claude Haiku 5.5: prompts over 100,000 tokens cost five times as much"},
	{"openai-pre5.6", Prices{Read: 0.1, Write: 1, Output: 8, Life: 10 * time.Minute, MinPrefix: 1024}, "OpenAI before GPT-5.6: writing to the cache is free"},
	{"openai-5.6", Prices{Read: 0.1, Write: 1.25, Output: 6, Life: 30 * time.Minute, MinPrefix: 1024}, "GPT-5.6 and later"},
	{"gpt-4o-era", Prices{Read: 0.5, Write: 1, Output: 4, Life: 10 * time.Minute, MinPrefix: 1024}, "GPT-4o and its time: half price for what is cached"},
	{"deepseek", Prices{Read: 0.02, Write: 1, Output: 4, Life: 6 * time.Hour}, "DeepSeek V4.1 Flash: cached on disk"},
	{"nocache", Prices{Read: 1, Write: 1, Output: 5}, "no prompt cache"},
}

// Lists returns the price lists.
func Lists() []PriceList { return slices.Clone(lists) }

// Listed returns the prices of a list.
func Listed(name string) (Prices, bool) {
	for _, l := range lists {
		if l.Name == name {
			return l.Prices, true
		}
	}
	return Prices{}, false
}
