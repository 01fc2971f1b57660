package preset

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
)

// lines finds the line of a conversation by its model.
func (o *Options) lines(registry *model.Registry, strict bool) func(plimsoll.Conversation) (plimsoll.Line, error) {
	find := o.Limit
	if find == nil {
		find = (&model.Limits{Registry: registry}).For
	}
	return func(c plimsoll.Conversation) (plimsoll.Line, error) {
		limit := find(c.Model)
		if limit.Source == model.SourceDefault && c.Window > 0 { // nothing else is known
			limit = model.Limit{Tokens: c.Window, Source: model.SourceRegistry}
		}
		if limit.Source == model.SourceDefault && strict {
			return plimsoll.Line{}, fmt.Errorf("model %q: %w", c.Model, plimsoll.ErrUnknownModel)
		}
		m, err := registry.Lookup(c.Model)
		if err != nil {
			m = model.Model{}
		}
		return lineOf(limit, m, c.MaxOutput), nil
	}
}

// lineOf joins a limit with what the registry says of the model. A limit that is not the
// model's own is a window that the user names, or a guess.
func lineOf(limit model.Limit, m model.Model, maxOutput int) plimsoll.Line {
	line := plimsoll.Line{Window: limit.Tokens, Estimated: limit.Estimated}
	if limit.Source != model.SourceRegistry && limit.Source != model.SourceTable {
		line.Named = limit.Source != model.SourceDefault
		line.Reserve = fit.ReserveFor(limit.Tokens, maxOutput, true)
		return line
	}
	if m.Window > limit.Tokens {
		line.Window, line.Input = m.Window, limit.Tokens
	}
	line.Reserve = fit.ReserveFor(line.Window, maxOutput, false)
	if m.OutputLimit > 0 {
		line.Reserve = min(line.Reserve, m.OutputLimit)
	}
	return line
}
