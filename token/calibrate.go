package token

import (
	"cmp"
	"context"
	"log/slog"
	"maps"
	"math"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
)

// Bounds of what calibration may do. A provider's bill can be odd for reasons
// that have nothing to do with counting (a client rewrote its history, a gateway
// added a prompt); none of that may bend the scale far or at once.
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
	// leastFirst is how many tokens the first bill of a conversation must have to say anything.
	leastFirst = 500
	// anchorLimit is how many conversations are remembered.
	anchorLimit = 8192
	// modelLimit is how many models are remembered.
	modelLimit = 1024
	// errorMax bounds the relative error that one bill can show.
	errorMax = 10
)

// Calibration learns from the usage that providers report. For each model that
// is estimated it learns a factor, from how much the bill grew when the estimate
// grew; for each conversation it remembers the last bill, so that only what came
// after is estimated. It is safe for concurrent use.
type Calibration struct {
	log     *slog.Logger
	mu      sync.Mutex
	models  map[string]*learned
	anchors *lru.Map[string, anchor]
}

// CalibrationOptions configure a calibration.
type CalibrationOptions struct {
	// Log receives one line for each observation, at debug level, and a warning
	// when an estimate was off by more than a tenth, unless one of the last few of
	// the model's was, too; nil means no log.
	Log *slog.Logger
}

// NewCalibration returns an empty calibration; nil options mean the defaults.
func NewCalibration(o *CalibrationOptions) *Calibration {
	c := &Calibration{models: map[string]*learned{}, anchors: lru.New[string, anchor](anchorLimit, nil)}
	if o != nil {
		c.log = o.Log
	}
	return c
}

// learned is what is known of one model.
type learned struct {
	Drift
	seen bool
	// applied is the factor in force. It follows the learned one in steps, because
	// every other factor gives every message another weight.
	applied float64
	// quiet is how many right estimates it takes until there is another warning.
	quiet int
}

// quietFor is how many right estimates must come between two warnings: an operator who knows
// that a model is off need not hear it with every request.
const quietFor = 20

// factorRest is by how much the factor in force may be off before it is changed.
const factorRest = 0.01

func (l *learned) apply() {
	if l.applied == 0 || math.Abs(l.Factor-l.applied) > factorRest*l.applied {
		l.applied = l.Factor
	}
}

// anchor is the last bill of a conversation. It says nothing about another
// model, whose counter and hidden prompt differ.
type anchor struct {
	tally
	model  string
	actual int
	// hidden is what the bill had beyond the weighed load.
	hidden int
}

// Drift compares estimates with bills for one model. It is what operators look
// at, and what is stored between runs.
type Drift struct {
	Model string `json:"model"`
	// Observations is the number of bills.
	Observations int `json:"observations"`
	// Factor by which estimates of this model are multiplied; 1 for exact ones.
	Factor float64 `json:"factor"`
	// Spelled is the factor for letters that a small vocabulary spells byte by byte, if the
	// vocabulary is not known; 0 if nothing was learned of it.
	Spelled float64 `json:"spelled_factor,omitempty"`
	// Error is the moving average of |estimate - bill| / bill, after correction.
	Error float64 `json:"error"`
	// Bias is the moving average of (estimate - bill) / bill, after correction.
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
	f := m.factor(s)
	load, sum := m.weigh(c, "")
	if s.spells && c.Tools.Len() == 0 { // templates drop tools
		m.options.Calibration.first(key, s, sum, actual)
	}
	m.options.Calibration.observe(key, s, sum, load.Total, actual)
	if learned := m.factor(s); learned.times != f.times || learned.spelled != f.spelled {
		load, sum = m.weigh(c, "")
	}
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

// first learns from the first bill of a conversation with a model that no one knows: what its
// vocabulary makes of a script is a guess until then.
func (c *Calibration) first(key string, s *scale, sum tally, actual int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if _, known := c.anchor(key, s.model); known || sum.raw < leastFirst {
		return
	}
	l := c.learnedOf(s.model)
	factor := sum.factor(l)
	if factor == nil {
		return
	}
	ratio := clamp(float64(actual)/float64(sum.raw), factorMin, factorMax)
	if l.Observations > 0 && *factor != 0 {
		ratio = *factor + (ratio-*factor)*factorWeight
	}
	*factor = ratio
	l.apply()
}

// factor returns the factor of a model that a load is about: that of letters that are spelled,
// or of others; nil if it has both.
func (t tally) factor(l *learned) *float64 {
	switch {
	case 4*t.spelled >= 3*t.raw:
		return &l.Spelled
	case 4*t.spelled <= t.raw:
		return &l.Factor
	}
	return nil
}

// observe learns from one bill; weighed is the load without any anchor.
func (c *Calibration) observe(key string, s *scale, sum tally, weighed, actual int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	l := c.learnedOf(s.model)
	before, known := c.anchor(key, s.model)
	estimate := max(0, weighed+before.hidden)
	exact := s.counter.Info().Exact
	if known && !exact {
		l.learnFactor(tally{raw: sum.raw - before.raw, spelled: sum.spelled - before.spelled}, actual-before.actual)
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
}

// learnFactor moves the factor a little toward the ratio of growths.
func (l *learned) learnFactor(growth tally, actual int) {
	factor := growth.factor(l)
	if growth.raw < leastGrowth || actual <= 0 || factor == nil {
		return
	}
	ratio := float64(actual) / float64(growth.raw)
	if ratio < factorMin || ratio > factorMax {
		return
	}
	was := cmp.Or(*factor, 1)
	step := (ratio - was) * factorWeight * min(1, float64(growth.raw)/wholeGrowth)
	*factor = clamp(was+clamp(step, -factorStep, factorStep), factorMin, factorMax)
	l.apply()
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
		l = &learned{Drift: Drift{Model: model, Factor: 1}, applied: 1}
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

// Restore takes up what an earlier run has learned. Figures out of bounds are
// brought back into them.
func (c *Calibration) Restore(drifts []Drift) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, d := range drifts {
		l := &learned{Drift: d.bounded(), seen: d.Observations > 0}
		l.apply()
		c.remember(l)
	}
}

func (d Drift) bounded() Drift {
	if d.Factor == 0 || math.IsNaN(d.Factor) {
		d.Factor = 1
	}
	if math.IsNaN(d.Spelled) {
		d.Spelled = 0
	}
	if math.IsNaN(d.Error) {
		d.Error = 0
	}
	if math.IsNaN(d.Bias) {
		d.Bias = 0
	}
	if d.Spelled = clamp(d.Spelled, 0, factorMax); d.Spelled > 0 {
		d.Spelled = max(d.Spelled, factorMin)
	}
	d.Factor = clamp(d.Factor, factorMin, factorMax)
	d.Error = clamp(d.Error, 0, errorMax)
	d.Bias = clamp(d.Bias, -1, errorMax)
	d.Observations = max(0, d.Observations)
	d.Estimated, d.Actual = max(0, d.Estimated), max(0, d.Actual)
	return d
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

// factorsOf returns what is known of a model. A nil calibration knows nothing.
func (c *Calibration) factorsOf(model string) learned {
	if c == nil {
		return learned{applied: 1}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if l, ok := c.models[model]; ok {
		return *l
	}
	return learned{applied: 1}
}

func clamp(x, low, high float64) float64 { return min(high, max(low, x)) }
