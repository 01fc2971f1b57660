package config

// removed are settings of earlier versions, with what Plimsoll does instead. A file that
// has one is refused with this as the hint.
var removed = map[string]string{
	"limits":                           "call it windows: each is a window, for prompt and answer together",
	"rungs":                            "the preset and the method choose the rungs; plimsoll fit has --rungs, the HTTP API the option rungs",
	"rent.alpha":                       "policy rent cuts once the rent is 1.75 times the price of the cut",
	"cache":                            "the client's cache breakpoints survive; Plimsoll places none of its own",
	"marks.soft":                       "the preset says when a summary begins in the background: at 0.75 of the limit in auto",
	"clear.keep_newest":                "auto never clears the 3 newest tool outputs; in agent the budget alone decides",
	"clear.min_reclaim":                "clearing must gain a tenth of the limit, at most 20000 tokens",
	"dedupe.path_arguments":            "Plimsoll knows the arguments of well-known agents",
	"dedupe.read_tools":                "Plimsoll knows the tools of well-known agents",
	"dedupe.write_tools":               "Plimsoll knows the tools of well-known agents",
	"compaction.tail_tokens":           "at most 20000 tokens of the newest messages stay, and at most 0.3 of the limit",
	"compaction.checkpoint_tokens":     "a checkpoint takes at most 6000 tokens, and at most a fifth of the limit",
	"compaction.hooks.timeout_seconds": "each hook may take 10 seconds",
	"serve.memory_bytes":               "requests in flight take at most 1 GiB, and at most half of GOMEMLIMIT",
	"serve.idle_seconds":               "an answer may pause for 2 minutes",
	"serve.drain_seconds":              "answers have 30 seconds to finish when the proxy ends",
	"serve.expand_rounds":              "a model may read what was cut 8 times in one answer",
}

// removedKey returns the setting of an earlier version that a key names.
func removedKey(key string) (name, instead string) {
	for name, instead := range removed {
		if fold(name) == fold(key) {
			return name, instead
		}
	}
	return "", ""
}
