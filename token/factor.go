package token

import (
	"math"

	"github.com/plimsoll/plimsoll"
)

// factor corrects raw weights. The parts of a message are corrected one by one
// and the message is their sum, so that figures always add up.
type factor struct {
	times float64
	// spelled is for messages that a small vocabulary spells; 0 if that is the same.
	spelled float64
	// err is the relative error seen, or assumed before any bill was.
	err float64
}

// Errors assumed before a bill was seen.
const (
	errScaled  = 0.15
	errFormula = 0.25
	// errGuessed applies to what is weighed by a formula and has no error of its own.
	errGuessed = 0.15
	// errFraming applies to framing that was not read off bills: chat templates
	// spend two to six tokens on a message.
	errFraming = 0.5
	errLeast   = 0.005
)

func (m *Meter) factor(s *scale) factor {
	info := s.counter.Info()
	f := factor{times: 1, err: errFormula}
	if info.Strategy == StrategyScaled || info.Strategy == StrategyVocabulary {
		f.err = errScaled
	}
	l := m.options.Calibration.factorsOf(s.model)
	if !info.Exact {
		f.times = l.applied
	}
	if s.spells {
		f.spelled = l.Spelled
	}
	if l.seen {
		f.err = max(errLeast, 2*l.Error)
	}
	return f
}

// isSpelled reports whether a raw weight is mostly of letters that a small vocabulary spells.
func isSpelled(raw plimsoll.MessageLoad) bool { return 3*raw.Band > raw.Tokens }

// of returns the factor for a raw weight.
func (f factor) of(raw plimsoll.MessageLoad) factor {
	if f.spelled > 0 && isSpelled(raw) {
		f.times = f.spelled
	}
	return f
}

func (f factor) apply(n int) int {
	if f.times == 1 {
		return n
	}
	return int(math.Round(float64(n) * f.times))
}

// load corrects a raw weight. Without a correction both share their parts.
func (f factor) load(raw plimsoll.MessageLoad) plimsoll.MessageLoad {
	l, f := raw, f.of(raw)
	if f.times != 1 {
		l.Framing, l.Band, l.Parts = f.apply(raw.Framing), f.apply(raw.Band), make([]int, len(raw.Parts))
		l.Tokens = l.Framing
		for i, n := range raw.Parts {
			l.Parts[i] = f.apply(n)
			l.Tokens += l.Parts[i]
		}
	}
	return l
}

// band is the error to expect in a total.
func (f factor) band(total int, sum tally, exact bool) int {
	band := float64(sum.formulas) + float64(sum.framed)*errFraming
	if !exact {
		band += float64(total) * f.err
	}
	return int(math.Ceil(band))
}

// share is a part of n, rounded up.
func share(n int, of float64) int { return int(math.Ceil(float64(n) * of)) }
