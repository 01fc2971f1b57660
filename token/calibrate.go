package token

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
)

// Bounds of what one bill may do to a drift. A provider's bill can be odd for reasons
// that have nothing to do with counting: a client rewrote its history, or a gateway
// added a prompt.
const (
	factorMin, factorMax = 0.5, 2.0
	factorStep           = 0.05
	factorWeight         = 0.4
	errorWeight          = 0.1
	// leastGrowth is how many tokens a conversation must have grown to say
	// anything about the scale: clients add reminders of a thousand tokens that a small
	// step would take for an error of the scale. A growth of wholeGrowth says it all.
	leastGrowth = 2000
	wholeGrowth = 16_000
	// anchorLimit is how many conversations are remembered.
	anchorLimit = 8192
	// modelLimit is how many models are remembered.
	modelLimit = 1024
	// errorMax bounds the relative error that one bill can show.
	errorMax = 10
)

// Calibration compares counts with the usage that providers report. For each model that
// is estimated it finds a factor, from how much the bill grew when the estimate
// grew. It reports the factor and does not apply it: a process that has seen other bills
// would count otherwise. For each conversation it remembers the last bill, so that only
// what came after is estimated. It is safe for concurrent use.
type Calibration struct {
	log     *slog.Logger
	now     func() time.Time
	mu      sync.Mutex
	models  map[string]*learned
	anchors *lru.Map[string, anchor]
}

// CalibrationOptions configure a calibration.
type CalibrationOptions struct {
	// Log receives one line for each observation, at debug level, and a warning
	// when an estimate was off by more than a tenth, unless one of the last few of
	// the model's was, too. With the first bill of a model in an hour it also receives
	// the sums since the start. Nil means no log.
	Log *slog.Logger
	// Now is the clock of the hours; nil means the system's.
	Now func() time.Time
}

// summedEvery is how often the log receives the sums of a model.
const summedEvery = time.Hour

// NewCalibration returns an empty calibration; nil options mean the defaults.
func NewCalibration(o *CalibrationOptions) *Calibration {
	c := &Calibration{models: map[string]*learned{}, anchors: lru.New[string, anchor](anchorLimit, nil), now: time.Now}
	if o != nil {
		c.log = o.Log
	}
	if o != nil && o.Now != nil {
		c.now = o.Now
	}
	return c
}

// learned is what is known of one model.
type learned struct {
	Drift
	seen bool
	// quiet is how many right estimates it takes until there is another warning.
	quiet int
	// summed is when the log received the sums.
	summed time.Time
}

// quietFor is how many right estimates must come between two warnings: an operator who knows
// that a model is off need not hear it with every request.
const quietFor = 20

// anchor is the last bill of a conversation. It says nothing about another
// model, whose counter and hidden prompt differ.
type anchor struct {
	tally
	model  string
	actual int
	// hidden is what the bill had beyond the weighed load.
	hidden int
}

// Drift compares estimates with bills for one model. It is what operators look at.
type Drift struct {
	Model string `json:"model"`
	// Observations is the number of bills.
	Observations int `json:"observations"`
	// Factor is how much bills grow for each token that estimates of this model grow; 1
	// for exact ones. No estimate is multiplied by it.
	Factor float64 `json:"factor"`
	// Error is the moving average of |estimate - bill| / bill, from the last bill on.
	Error float64 `json:"error"`
	// Bias is the moving average of (estimate - bill) / bill, from the last bill on.
	Bias float64 `json:"bias"`
	// Estimated and Actual are the sums over all observations.
	Estimated int64 `json:"estimated"`
	Actual    int64 `json:"actual"`
}

// Observe tells the meter what the provider billed for a conversation that it
// has weighed. The key names the conversation across its requests; any stable
// text will do. Without a calibration nothing happens.
func (m *Meter) Observe(key string, c plimsoll.Conversation, usage plimsoll.Usage) {
	if m.options.Calibration == nil || usage.Prompt() <= 0 {
		return
	}
	s, actual := m.scale(c), usage.Prompt()
	load, sum := m.weigh(c, "")
	m.options.Calibration.observe(key, s, load.Total, actual)
	m.options.Calibration.hold(key, anchor{tally: sum, model: s.model, actual: actual, hidden: actual - load.Total})
}

// For returns a meter that knows the conversation's last bill and weighs from
// there: hidden tokens show as framing.
func (m *Meter) For(key string) plimsoll.Meter { return &anchored{m, key} }

// anchored is a meter for one conversation.
type anchored struct {
	*Meter
	key string
}

// Weigh returns the load, corrected by the conversation's last bill.
func (a *anchored) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load, _ := a.weigh(c, a.key)
	return load
}

// observe learns from one bill; weighed is the load without any anchor.
func (c *Calibration) observe(key string, s *scale, weighed, actual int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.learnedOf(s.model)
	before, known := c.anchor(key, s.model)
	estimate := max(0, weighed+before.hidden)
	exact := s.counter.Info().Exact
	if known && !exact {
		l.learnFactor(estimate-before.actual, actual-before.actual)
	}
	off := float64(estimate-actual) / float64(actual)
	if known || exact {
		l.learnError(off)
	}
	l.Observations++
	l.Estimated += int64(estimate)
	l.Actual += int64(actual)
	c.report(l, estimate, actual, off)
}

func (c *Calibration) report(l *learned, estimate, actual int, off float64) {
	if c.log == nil {
		return
	}
	level := slog.LevelDebug
	switch far := off > 0.1 || off < -0.1; {
	case !far:
		l.quiet = max(0, l.quiet-1)
	case l.quiet == 0:
		level = slog.LevelWarn
		fallthrough
	default:
		l.quiet = quietFor
	}
	c.log.Log(context.Background(), level, "token count compared with the bill",
		"model", l.Model, "estimated", estimate, "actual", actual, "off", off, "factor", l.Factor)
	if now := c.now(); l.summed.IsZero() || now.Sub(l.summed) >= summedEvery {
		l.summed = now
		c.log.Info("token counts compared with bills so far", "model", l.Model, "bills", l.Observations,
			"estimated", l.Estimated, "actual", l.Actual, "error", l.Error, "bias", l.Bias, "factor", l.Factor)
	}
}

// learnFactor moves the factor a little toward the ratio of growths.
func (l *learned) learnFactor(estimated, actual int) {
	if estimated < leastGrowth || actual <= 0 {
		return
	}
	ratio := float64(actual) / float64(estimated)
	if ratio < factorMin || ratio > factorMax {
		return
	}
	step := (ratio - l.Factor) * factorWeight * min(1, float64(estimated)/wholeGrowth)
	l.Factor = clamp(l.Factor+clamp(step, -factorStep, factorStep), factorMin, factorMax)
}

func (l *learned) learnError(off float64) {
	off = clamp(off, -1, errorMax)
	size := max(off, -off)
	if !l.seen {
		l.Error, l.Bias, l.seen = size, off, true
		return
	}
	l.Error += (size - l.Error) * errorWeight
	l.Bias += (off - l.Bias) * errorWeight
}

func (c *Calibration) learnedOf(model string) *learned {
	l, ok := c.models[model]
	if !ok {
		l = &learned{Drift: Drift{Model: model, Factor: 1}}
		c.remember(l)
	}
	return l
}

// remember keeps what is known of a model; when there are too many, the one with
// the fewest bills makes room.
func (c *Calibration) remember(l *learned) {
	if _, ok := c.models[l.Model]; !ok && len(c.models) >= modelLimit {
		least := slices.MinFunc(slices.Collect(maps.Values(c.models)), func(a, b *learned) int {
			return cmp.Or(cmp.Compare(a.Observations, b.Observations), cmp.Compare(a.Model, b.Model))
		})
		delete(c.models, least.Model)
	}
	c.models[l.Model] = l
}

// Drift returns what has been learned, by model name.
func (c *Calibration) Drift() []Drift {
	c.mu.Lock()
	defer c.mu.Unlock()
	all := make([]Drift, 0, len(c.models))
	for _, l := range c.models {
		all = append(all, l.Drift)
	}
	slices.SortFunc(all, func(a, b Drift) int { return cmp.Compare(a.Model, b.Model) })
	return all
}

// anchor returns the last bill of a conversation if it is the given model's. A nil calibration
// has none, and an empty key names no conversation.
func (c *Calibration) anchor(key, model string) (anchor, bool) {
	if c == nil || key == "" {
		return anchor{}, false
	}
	a, ok := c.anchors.Get(key)
	if !ok || a.model != model {
		return anchor{}, false
	}
	return a, true
}

func (c *Calibration) hold(key string, a anchor) {
	c.anchors.Put(strings.Clone(key), a) // the key may be a view into a request
}

func clamp(x, low, high float64) float64 { return min(high, max(low, x)) }
