package token

import (
	"math"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll"
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

// estimators lists what [Named] offers beside the encodings. All use integer arithmetic, so
// that they give the same figure on every machine.
func estimators() []estimator {
	return []estimator{
		{name: plimsoll.StrategyHeuristic, count: heuristic},
		{name: "bytes", count: func(s string) int { return (len(s) + 3) / 4 }},
		{name: "gemini", count: geminiCLI},
		multichat(1.2),
		{name: "half", count: half},
	}
}

// Multichat returns the estimate of the same name with another margin than 1.2: one token
// for 1.5 Chinese or Japanese characters and for 4 others, times the factor.
func Multichat(factor float64) plimsoll.Counter { return multichat(factor) }

func multichat(factor float64) estimator {
	percent := int(math.Round(100 * factor))
	return estimator{name: "multichat", count: func(s string) int { return cjk(s) * percent / 100 }}
}

// spelled is how many tokens a small vocabulary needs for a text beyond o200k_base × 1.2: it
// knows few letters but the Latin ones, and spells the others byte by byte. The figures
// follow SmolLM2's vocabulary of 49,152; docs/counting.md has the measurement. The first byte
// of a character tells its script.
func spelled(s string) int {
	percent := 0
	for i := range len(s) {
		switch b := s[i]; {
		case b < 0xcd || b == 0xe2: // ASCII, Latin, a later byte, punctuation
		case b < 0xe0: // Greek, Cyrillic, Hebrew, Arabic
			percent += 45
		case b == 0xe0: // of India, Thai
			percent += 130
		case b >= 0xea && b <= 0xed: // Hangul
			percent += 180
		case b >= 0xf0: // pictograms
			percent += 200
		default: // kana, Chinese
			percent += 90
		}
	}
	return (percent + 50) / 100
}

// heuristic is characters / 4 + 1.
func heuristic(s string) int { return utf8.RuneCountInString(s)/4 + 1 }

// geminiCLI is 0.25 for an ASCII character and 1.3 for any other.
func geminiCLI(s string) int {
	characters := utf8.RuneCountInString(s)
	ascii := asciiBytes(s)
	return (5*ascii + 26*(characters-ascii)) / 20
}

// half is characters / 2 for text with multi-byte characters, characters / 4 for ASCII, rounded up.
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
