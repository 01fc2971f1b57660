package token

import "math"

// Errors assumed of an estimate. They are constants, so that every process gives the same
// band to the same conversation.
const (
	errScaled  = 0.15
	errFormula = 0.25
	// errGuessed applies to what is weighed by a formula and has no error of its own.
	errGuessed = 0.15
	// errFraming applies to framing that was not read off bills: chat templates
	// spend two to six tokens on a message.
	errFraming = 0.5
)

// band is the error to expect in a total.
func (s *scale) band(total int, sum tally) int {
	band := float64(sum.formulas) + float64(sum.framed)*errFraming
	switch info := s.counter.Info(); {
	case info.Exact:
	case info.Strategy == StrategyScaled || info.Strategy == StrategyVocabulary:
		band += float64(total) * errScaled
	default:
		band += float64(total) * errFormula
	}
	return int(math.Ceil(band))
}

// share is a part of n, rounded up.
func share(n int, of float64) int { return int(math.Ceil(float64(n) * of)) }
