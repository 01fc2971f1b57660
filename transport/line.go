package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"encoding/json/jsontext"
	"io"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/wire"
)

// unbounded is the window of a model of which nothing is known: no conversation is cut
// for its sake until an upstream says what its limit is.
const unbounded = 1 << 40

// sourceUnknown marks the limit of such a model.
const sourceUnknown model.Source = "unknown"

// KnownLimit returns a limit finder that has no limit for models that nobody knows,
// where others assume a safe one: a proxy learns it when it matters. Nil means what
// the registry knows.
func KnownLimit(find func(name string) model.Limit) func(name string) model.Limit {
	if find == nil {
		find = (&model.Limits{}).For
	}
	return func(name string) model.Limit {
		l := find(name)
		if l.Source == model.SourceDefault {
			l.Tokens, l.Source = unbounded, sourceUnknown
		}
		return l
	}
}

// line returns where the conversation must be: by the request, by the operator, by
// what the upstream has said, by what is known of the model.
func (f *flow) line(c plimsoll.Conversation) (plimsoll.Line, error) {
	if f.limit > 0 {
		return plimsoll.Line{Window: f.limit, Reserve: f.reserve(f.limit, c.MaxOutput)}, nil
	}
	l, heard := f.t.limits.find(f.ctx, f.limitKey(c.Model), f.t.options.Now())
	if window := f.t.options.Window; window > 0 {
		line := plimsoll.Line{Window: window, Reserve: f.reserve(window, c.MaxOutput)}
		if heard && l.line(c, line).Limit() < line.Limit() {
			line = l.line(c, line)
		}
		return line, nil
	}
	line, err := f.keeper.Line(c)
	if err != nil {
		return line, err
	}
	if f.asksForMillion() && line.Window < million {
		line = plimsoll.Line{Window: million, Reserve: line.Reserve}
	}
	if heard {
		line = l.line(c, line)
	}
	return line, nil
}

// million is the window that a beta of Anthropic's gives to models that have a smaller
// one without it.
const million = 1_000_000

func (f *flow) asksForMillion() bool {
	return f.dialect == plimsoll.Anthropic && slices.ContainsFunc(f.in.Header.Values("Anthropic-Beta"), func(v string) bool { return strings.Contains(v, "context-1m") })
}

// limitKey names what a limit is learned of: a model of a server, as the server answers
// one tenant.
type limitKey struct{ tenant, upstream, model string }

// shared is the same for all tenants.
func (k limitKey) shared() limitKey { return limitKey{upstream: k.upstream, model: k.model} }

func (k limitKey) name() string { return "limit:" + k.tenant + "/" + k.upstream + "/" + k.model }

// limitKey names the model that the request asks for: with another window it is another.
func (f *flow) limitKey(model string) limitKey {
	if f.asksForMillion() {
		model += " with a million tokens"
	}
	return limitKey{f.owner.key, f.x.Upstream, model}
}

// reserve is what is kept free of a window that somebody has set, if nobody has set that,
// too. Clients ask for far longer answers than they get, so it is no more than a
// sixteenth, or 4,096 tokens, or a quarter of a small window; servers that insist on all
// of it are learned from. Nothing at all is never kept free: what we count may be less
// than what the server does.
func (f *flow) reserve(window, maxOutput int) int {
	if tokens, _ := f.keeper.Reserve(); tokens > 0 {
		return tokens
	}
	if maxOutput > 0 {
		return min(maxOutput, max(window/16, min(window/4, 4096)))
	}
	return fit.ReserveFor(window, 0)
}

// learned is what an upstream has said about a model's context.
type learned struct {
	// Limit in the upstream's tokens.
	Limit int `json:"limit"`
	// Ratio of the upstream's tokens to ours.
	Ratio float64 `json:"ratio"`
	// Output says that the answer counts, too.
	Output bool `json:"output,omitempty"`
	// At is when it was said.
	At time.Time `json:"at"`
}

// learnedLife is how long it is believed: servers are given other windows.
const learnedLife = 24 * time.Hour

// line is the line by what was learned, in our tokens.
func (l learned) line(c plimsoll.Conversation, known plimsoll.Line) plimsoll.Line {
	ours := int(float64(l.Limit) / l.Ratio)
	if l.Output {
		return plimsoll.Line{Window: ours, Reserve: min(max(c.MaxOutput, known.Reserve), ours/2)}
	}
	return plimsoll.Line{Window: max(ours, min(known.Window, unbounded)), Input: ours, Reserve: min(known.Reserve, max(0, known.Window-ours))}
}

// margin is what is left free below a limit that an upstream told us about, for what
// our count may be off.
const margin = 0.98

// leastRatio and mostRatio bound what is believed of an upstream's tokens against ours:
// figures beyond them are about something else.
const leastRatio, mostRatio = 0.6, 1.7

// learn draws a limit from an overflow: what the upstream said, about a request that
// weighs so much by our count, after it had answered others. It reports false if that
// holds for this request alone.
func learn(o wire.Overflow, weighed, maxOutput int, most prompt) (learned, bool) {
	l, sure := learned{Limit: o.Limit, Ratio: 1}, false
	switch {
	case o.Limit > 0 && o.Tokens > 0 && weighed > 0:
		withAnswer := float64(o.Tokens-maxOutput) / float64(weighed)
		l.Ratio = float64(o.Tokens) / float64(weighed)
		if maxOutput > 0 && o.Tokens-maxOutput > weighed/2 && abs(withAnswer-1) < abs(l.Ratio-1) {
			l.Output, l.Ratio = true, withAnswer
		}
		sure = l.Ratio >= leastRatio && l.Ratio <= mostRatio
	case o.Limit > 0:
		// Only the limit is told: that it was exceeded bounds the ratio from below.
		l.Ratio = max(1, float64(o.Limit)/float64(max(1, weighed)))
		sure = l.Ratio <= mostRatio
	default:
		// Nothing is told: the limit is between what was answered and what was not.
		l.Limit, sure = weighed*3/4, aboutTokens(o.Message)
		if max(most.weighed, most.billed) > l.Limit && most.weighed < weighed {
			l.Limit, l.Ratio = most.billed, float64(most.billed)/float64(most.weighed)
		}
	}
	l.Ratio = min(mostRatio, max(leastRatio, l.Ratio)) / margin
	return l, sure
}

// atLeast raises a limit to a prompt that was answered.
func (l learned) atLeast(p prompt) learned {
	if p.billed <= l.Limit {
		return l
	}
	l.Limit = p.billed
	if p.weighed > 0 {
		// The next one that weighs as much may have more tokens than this one.
		l.Ratio = min(mostRatio/margin, max(l.Ratio, float64(p.billed)/float64(p.weighed)/margin))
	}
	return l
}

// echoes reports whether a request has the words by which an error was recognised. Then
// the error may quote them, and its figures may be the client's.
func echoes(body []byte, words string) bool {
	if words == "" {
		return false
	}
	in := jsontext.NewDecoder(bytes.NewReader(body), jsontext.AllowDuplicateNames(true), jsontext.AllowInvalidUTF8(true))
	for {
		token, err := in.ReadToken()
		if err != nil {
			return err != io.EOF
		}
		if token.Kind() == '"' && strings.Contains(strings.ToLower(token.String()), words) {
			return true
		}
	}
}

// aboutTokens reports whether an error that says no figures is about tokens, and not
// about bytes.
func aboutTokens(message string) bool {
	message = strings.ToLower(message)
	return strings.Contains(message, "context") || strings.Contains(message, "token")
}

// weighable reports whether everything in a conversation can be weighed: not files that
// the server has, and not what nobody here understands.
func weighable(c plimsoll.Conversation) bool {
	for i := range c.Messages.Len() {
		m := c.Messages.At(i)
		for j := range m.Parts.Len() {
			switch p := plimsoll.Peek(m, j).(type) {
			case plimsoll.Opaque:
				return false
			case plimsoll.Media:
				if p.URL != "" {
					return false
				}
			}
		}
	}
	return true
}

func abs(x float64) float64 { return max(x, -x) }

// limits are what upstreams have said. A tenant's are its own, since an error may quote
// what the tenant sent. They are kept in the store for other processes and later ones.
type limits struct {
	store *store.Store
	mu    sync.Mutex
	known map[limitKey]heard
	// most are the largest prompts that were answered, whichever tenant sent them.
	most map[limitKey]prompt
}

// prompt is one that was answered: in the upstream's tokens, and in ours.
type prompt struct {
	billed, weighed int
	at              time.Time
}

type heard struct {
	learned
	ok bool
	at time.Time
}

const (
	// recheck is how long a model counts as one that nobody has learned about, until
	// the store is asked again.
	recheck = time.Minute
	// maxKnown bounds how many models are remembered.
	maxKnown = 4096
	// storeWait bounds how long a request waits for the store to say a small thing.
	storeWait = 250 * time.Millisecond
)

// find returns what a tenant was told, but not less than what was answered.
func (l *limits) find(ctx context.Context, key limitKey, now time.Time) (learned, bool) {
	most := l.largest(key, now)
	l.mu.Lock()
	h, ok := l.known[key]
	l.mu.Unlock()
	if ok && (h.ok && now.Sub(h.At) < learnedLife || !h.ok && now.Sub(h.at) < recheck) {
		return h.atLeast(most), h.ok
	}
	h = heard{at: now}
	if l.store != nil {
		ctx, cancel := context.WithTimeout(ctx, storeWait)
		defer cancel()
		if value, err := l.store.Value(ctx, key.name()); err == nil {
			h.ok = json.Unmarshal(value, &h.learned) == nil && h.Limit > 0 && h.Ratio > 0 && now.Sub(h.At) < learnedLife
		}
	}
	l.remember(key, h)
	return h.atLeast(most), h.ok
}

func (l *limits) remember(key limitKey, h heard) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.known) >= maxKnown || l.known == nil {
		l.known = map[limitKey]heard{}
	}
	l.known[key] = h
}

// put remembers a limit.
func (l *limits) put(ctx context.Context, key limitKey, is learned, now time.Time) error {
	is.At = now
	l.remember(key, heard{is, true, now})
	if l.store == nil {
		return nil
	}
	value, err := json.Marshal(is)
	if err != nil {
		return err
	}
	return l.store.PutValue(ctx, key.name(), value)
}

// answered takes note of a prompt that was answered. One that is larger than the limit
// of its tenant raises that.
func (l *limits) answered(ctx context.Context, key limitKey, p prompt, now time.Time) {
	is, ok := l.find(ctx, key, now)
	if p.weighed > l.largest(key, now).weighed {
		p.at = now
		l.mu.Lock()
		if len(l.most) >= maxKnown || l.most == nil {
			l.most = map[limitKey]prompt{}
		}
		l.most[key.shared()] = p
		l.mu.Unlock()
	}
	if ok && p.billed > is.Limit {
		_ = l.put(ctx, key, is.atLeast(p), now) // it will be learned again
	}
}

// largest returns the largest prompt that was answered, as long as a limit is believed.
func (l *limits) largest(key limitKey, now time.Time) prompt {
	l.mu.Lock()
	defer l.mu.Unlock()
	if p := l.most[key.shared()]; now.Sub(p.at) < learnedLife {
		return p
	}
	return prompt{}
}
