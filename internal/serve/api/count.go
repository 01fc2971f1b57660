package api

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// countRequest asks what a request or a text weighs.
type countRequest struct {
	target
	Encoding string  `json:"encoding,omitempty" jsonschema:"Count with this encoding or estimator instead of the model's own."`
	Limit    int     `json:"limit,omitempty" jsonschema:"Compare with this many tokens, the most that the prompt may weigh, instead of the model's input limit."`
	Window   int     `json:"window,omitempty" minimum:"1" jsonschema:"Compare with the limit that fit has in this window: prompt and answer together, less the reserve. Not with limit or text."`
	Text     *string `json:"text,omitempty" jsonschema:"Count this text, without any framing, instead of a request."`
}

// words say where a model and a limit came from.
var words = report.Words{Asked: "option", Given: "request", Unknown: "give its limit with the option limit"}

func (o *countRequest) do(c *httpCall) (any, error) {
	scales := *c.h.options.Scales
	scales.Model, scales.Limit, scales.Words = o.Model, o.Limit, words
	if o.Window > 0 && (o.Limit > 0 || o.Text != nil) {
		return nil, optionError("window", errBeside, "give window or limit, and limit alone for a text")
	}
	if o.Encoding != "" {
		named, err := token.Named(o.Encoding)
		if err != nil {
			return nil, err
		}
		scales.Named = named
	}
	if o.Text != nil {
		if _, err := o.codec(); err != nil {
			return nil, err
		}
		count, err := scales.Text(*o.Text)
		count.Format = "text"
		return count, err
	}
	r, k, client, err := c.prepare(o.target, Settings{Window: o.Window, Limit: o.Limit})
	if err != nil {
		return nil, err
	}
	if client.Window > 0 || client.Limit > 0 {
		scales.Limit = max(1, k.LineWithin(client.Window, client.Limit, r.Conversation()).Limit())
	}
	scales.Weigh = func(plimsoll.Conversation) plimsoll.Load { return k.Weigh(c.Context(), preset.Task(r, client)) }
	count, err := scales.Conversation(r.Conversation())
	count.Format = "json"
	return count, err
}
