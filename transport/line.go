package transport

import (
	"cmp"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/modelserver"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

const (
	// sourceUnknown marks the limit of a model of which nothing is known.
	sourceUnknown model.Source = "unknown"
	// sourceAsked marks a limit that the upstream told when it was asked, and sourceLearned
	// one that it showed when a request was too long.
	sourceAsked, sourceLearned model.Source = "asked", "learned"
)

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
func (r *trip) line(c plimsoll.Conversation) (line plimsoll.Line, err error) {
	r.x.Source, r.told = "", 0
	if r.window > 0 || r.limit > 0 {
		return r.keeper.LineWithin(r.window, r.limit, c), nil
	}
	named := r.t.options.Window
	if named > 0 {
		line = r.keeper.LineWithin(named, 0, c)
	} else if line, err = r.keeper.Line(c); err != nil && !errors.Is(err, plimsoll.ErrUnknownModel) {
		return line, err
	} else if r.asksForMillion() && line.Window < million {
		line, err = plimsoll.Line{Window: million, Reserve: line.Reserve}, nil
	} else if r.told = r.askedWindow(line); r.told > 0 {
		line, r.x.Source, err = r.keeper.LineWithin(r.told, 0, c), sourceAsked, nil
		// It is the model's own: some servers refuse a prompt that leaves no room for the answer.
		line.Reserve = max(line.Reserve, fit.ReserveFor(r.told, c.MaxOutput, false))
	}
	learned, ok := r.t.limits.Find(r.ctx, r.limitKey(c.Model))
	if ok && learned.Asked != 0 && learned.Asked != r.told {
		ok = false // the server has another window since
	}
	if ok && (named == 0 && r.told == 0 || learned.Line(c, line).Limit() < line.Limit()) {
		line, r.x.Source, err = learned.Line(c, line), sourceLearned, nil
	}
	return line, err
}

// askedWindow returns the window that the upstream tells, where no user names one and the
// upstream is no vendor's; 0 if it tells none.
func (r *trip) askedWindow(known plimsoll.Line) int {
	if known.Named && known.Window < limit.Unbounded {
		return 0
	}
	t, ok := r.modelServer()
	if !ok {
		return 0
	}
	return r.t.servers.Window(r.ctx, t)
}

// doubt lets the next request ask for the window again.
func (r *trip) doubt() {
	if t, ok := r.modelServer(); ok && r.told > 0 {
		r.t.servers.Doubt(t)
	}
}

// modelServer returns how the upstream is asked about the model; false for the vendors' hosts.
func (r *trip) modelServer() (modelserver.Target, bool) {
	u := r.in.URL
	if r.bedrock || r.verified || r.codec.Traits().Hosted || r.t.options.Official(r.x.Upstream) || isVendor(u.Hostname()) {
		return modelserver.Target{}, false
	}
	t := modelserver.Target{
		Root: u.Scheme + "://" + u.Host + rootOf(u.Path), Host: r.in.Host, Header: http.Header{}, Tenant: r.owner.key, Model: r.model, DryRun: r.dryRun,
	}
	for name, values := range r.in.Header {
		if isCredential(name) {
			t.Header[name] = values
		}
	}
	return t, true
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

// limitKey returns the key of the model's learned limit. A request may ask for another
// window of the model. That has a key of its own.
func (r *trip) limitKey(model string) limit.ModelKey {
	if r.asksForMillion() {
		model += " with a million tokens"
	}
	if window := r.client.Conversation().Window; window > 0 {
		model += " with " + strconv.Itoa(window) + " tokens"
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
	// Asked says that the upstream answered a question; otherwise it refused a request
	// that was too long, or cut one.
	Asked bool
	// At is when it was said.
	At time.Time
}

// Learned returns the limits that upstreams have told and that are still believed, by
// upstream and model. If several tenants got one, the newest counts.
func (t *Transport) Learned() []LearnedLimit {
	var all []LearnedLimit
	for key, is := range t.limits.Known() {
		all = append(all, LearnedLimit{key.Upstream, key.Model, is.Limit, is.Ratio, false, is.At})
	}
	for _, is := range t.servers.Told() {
		_, host, _ := strings.Cut(is.Root, "://")
		all = append(all, LearnedLimit{host, is.Model, is.Tokens, 1, true, is.At})
	}
	slices.SortFunc(all, func(a, b LearnedLimit) int {
		return cmp.Or(strings.Compare(a.Upstream, b.Upstream), strings.Compare(a.Model, b.Model), cmp.Compare(a.Tokens, b.Tokens))
	})
	return all
}
