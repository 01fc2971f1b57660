package transport

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

// sourceUnknown marks the limit of a model of which nothing is known.
const sourceUnknown model.Source = "unknown"

// KnownLimit returns a limit finder that has no limit for unknown models, where others
// assume a safe one: a proxy learns the limit when it matters. Nil means what the
// registry knows.
func KnownLimit(find func(name string) model.Limit) func(name string) model.Limit {
	if find == nil {
		find = (&model.Limits{}).For
	}
	return func(name string) model.Limit {
		l := find(name)
		if l.Source == model.SourceDefault {
			l.Tokens, l.Source = limit.Unbounded, sourceUnknown
		}
		return l
	}
}

// line returns where the conversation must be: by the request, by the operator, by
// what the upstream has said, by what is known of the model.
func (r *trip) line(c plimsoll.Conversation) (plimsoll.Line, error) {
	if r.limit > 0 {
		return r.keeper.LineWithin(r.limit, c), nil
	}
	learned, ok := r.t.limits.Find(r.ctx, r.limitKey(c.Model))
	if window := r.t.options.Window; window > 0 {
		line := r.keeper.LineWithin(window, c)
		if ok && learned.Line(c, line).Limit() < line.Limit() {
			line = learned.Line(c, line)
		}
		return line, nil
	}
	line, err := r.keeper.Line(c)
	if err != nil {
		return line, err
	}
	if r.asksForMillion() && line.Window < million {
		line = plimsoll.Line{Window: million, Reserve: line.Reserve}
	}
	if ok {
		line = learned.Line(c, line)
	}
	return line, nil
}

// million is the window that a beta of Anthropic's gives to models that have a smaller
// one without it.
const million = 1_000_000

// asksForMillion reports whether a request asks for that window: in a header, or at Bedrock
// in the body.
func (r *trip) asksForMillion() bool {
	const beta = "context-1m"
	if r.dialect != plimsoll.Anthropic && r.dialect != plimsoll.Converse {
		return false
	}
	if slices.ContainsFunc(r.in.Header.Values("Anthropic-Beta"), func(v string) bool { return strings.Contains(v, beta) }) {
		return true
	}
	for key, value := range r.client.Members() {
		if (key == "anthropic_beta" || key == "additionalModelRequestFields") && strings.Contains(string(value), beta) {
			return true
		}
	}
	return false
}

// limitKey names the model that the request asks for: with another window it is another.
func (r *trip) limitKey(model string) limit.ModelKey {
	if r.asksForMillion() {
		model += " with a million tokens"
	}
	return limit.ModelKey{Tenant: r.owner.key, Upstream: r.x.Upstream, Model: model}
}

// LearnedLimit is what an upstream has said about the context of a model.
type LearnedLimit struct {
	Upstream, Model string
	// Tokens is the limit as the upstream counts. Ratio is how many of its tokens one
	// token of the meter is.
	Tokens int
	Ratio  float64
	// At is when it was said.
	At time.Time
}

// Learned returns the limits that upstreams have told and that are still believed, by
// upstream and model. If several tenants got one, the newest counts.
func (t *Transport) Learned() []LearnedLimit {
	var all []LearnedLimit
	for key, is := range t.limits.Known() {
		all = append(all, LearnedLimit{key.Upstream, key.Model, is.Limit, is.Ratio, is.At})
	}
	slices.SortFunc(all, func(a, b LearnedLimit) int {
		return cmp.Or(strings.Compare(a.Upstream, b.Upstream), strings.Compare(a.Model, b.Model))
	})
	return all
}
