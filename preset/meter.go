package preset

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

// multichatCounter is OpenAI's vocabulary for its own models and the estimate with
// a margin for all others.
func multichatCounter(name string) plimsoll.Counter {
	if _, ok := model.EncodingFor(name); ok {
		return token.Tiktoken(name)
	}
	return estimate("multichat")(name)
}

// estimate counts for every model by one of the estimators.
func estimate(name string) func(string) plimsoll.Counter {
	c, err := token.Named(name)
	if err != nil {
		panic("preset: " + err.Error())
	}
	return func(string) plimsoll.Counter { return c }
}

// meter weighs in one framing for all dialects, by the user's counter or by that of the model.
func (o *Options) meter(f token.Framing, counterFor func(model string) plimsoll.Counter) *token.Meter {
	return token.NewMeter(&token.MeterOptions{Counter: o.Counter, CounterFor: counterFor, Framing: &f})
}
