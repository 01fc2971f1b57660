package token

import (
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
)

// The estimators, by name. All use integer arithmetic, so that they give the
// same figure on every machine.
const (
	// Heuristic is characters / 4 + 1.
	Heuristic = plimsoll.StrategyHeuristic
	// Bytes is bytes / 4, rounded up.
	Bytes = "bytes"
	// GeminiCLI is 0.25 for an ASCII character and 1.3 for any other.
	GeminiCLI = "gemini"
	// Multichat is one token for 1.5 Chinese or Japanese characters and for 4
	// others, times 1.2 to be safe.
	Multichat = "multichat"
	// Half is characters / 2 for text with multi-byte characters, characters / 4
	// for plain ASCII, rounded up.
	Half = "half"
)

// estimator counts by a formula.
type estimator struct {
	name  string
	model string
	count func(string) int
}

var _ plimsoll.Counter = estimator{}

func (e estimator) Count(text string) int { return e.count(text) }

func (e estimator) Info() plimsoll.CounterInfo {
	return plimsoll.CounterInfo{Model: e.model, Strategy: e.name}
}

// estimators lists what [Named] offers beside the encodings.
func estimators() []estimator {
	return []estimator{
		{name: Heuristic, count: heuristic},
		{name: Bytes, count: func(s string) int { return (len(s) + 3) / 4 }},
		{name: GeminiCLI, count: geminiCLI},
		{name: Multichat, count: func(s string) int { return Buffered(cjk(s), 120) }},
		{name: Half, count: half},
	}
}

// Buffered adds a safety margin: percent 120 makes 10 into 12. It rounds down,
// as the origin of the factor does.
func Buffered(tokens, percent int) int { return tokens * percent / 100 }

func heuristic(s string) int { return utf8.RuneCountInString(s)/4 + 1 }

func geminiCLI(s string) int {
	characters := utf8.RuneCountInString(s)
	ascii := asciiBytes(s)
	return (5*ascii + 26*(characters-ascii)) / 20
}

func half(s string) int {
	characters := utf8.RuneCountInString(s)
	if characters == len(s) {
		return (characters + 3) / 4
	}
	return (characters + 1) / 2
}

// cjk counts kana, kanji and full-width forms at 1.5 characters a token and
// everything else at 4.
func cjk(s string) int {
	dense, all := 0, 0
	for _, r := range s {
		all++
		switch {
		case r >= 0x3040 && r <= 0x30ff, r >= 0x4e00 && r <= 0x9fff, r >= 0xff00 && r <= 0xffef:
			dense++
		}
	}
	return (8*dense + 3*(all-dense)) / 12
}

func asciiBytes(s string) int {
	n := 0
	for i := range len(s) {
		if s[i] < utf8.RuneSelf {
			n++
		}
	}
	return n
}
