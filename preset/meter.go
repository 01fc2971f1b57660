package preset

import (
	"cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

// multichatCounter is OpenAI's vocabulary for its own models and the estimate with
// a margin for all others.
func (o *Options) multichatCounter(name string) plimsoll.Counter {
	if _, ok := model.EncodingFor(name); ok {
		return token.Tiktoken(name)
	}
	return token.Multichat(cmp.Or(o.BufferFactor, 1.2))
}

// estimator counts for every model by one of the estimators.
func estimator(name string) func(string) plimsoll.Counter {
	c, err := token.Named(name)
	if err != nil {
		panic("preset: " + err.Error())
	}
	return func(string) plimsoll.Counter { return c }
}

// best weighs as nearly as it can to what is billed.
func (o *Options) best() plimsoll.Meter {
	return token.NewMeter(&token.MeterOptions{Options: o.Token, Counter: o.Counter})
}

// estimate lets a preset count by a rule of its own: in one framing for all dialects, by the
// user's counter, a vocabulary of the user's or that of the model. What is sent must fit by the best count, too. A
// meter of the caller's replaces both.
func (o *Options) estimate(k *fit.Options, f token.Framing, counterFor func(model string) plimsoll.Counter) {
	if k.Meter != nil {
		return
	}
	k.Meter = token.NewMeter(&token.MeterOptions{Options: o.Token, Counter: o.Counter, CounterFor: counterFor, Framing: &f})
	k.Best, k.Anchored = o.best(), true
}
