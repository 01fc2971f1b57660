package telemetry

import (
	"net/http"
	"sync"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/transport"
)

// Options configure [Metrics]. Functions that are nil are not exported; the others are
// called for every request for the metrics, and must not block.
type Options struct {
	// Models knows the families that may become labels; nil means [model.Default].
	Models *model.Registry
	// Version of the program.
	Version string
	// StoreUp reports whether the store answers.
	StoreUp func() bool
	// InFlight is how many requests are being worked on, Queued how many wait for
	// memory.
	InFlight, Queued func() int
	// Account is what all requests used and saved since the start.
	Account func() account.Account
	// Runtime adds what Go and the operating system know of the process.
	Runtime bool
}

// Metrics counts what becomes of requests, in a registry of its own. It is safe for
// concurrent use.
type Metrics struct {
	registry *prometheus.Registry
	models   *model.Registry

	requests  *prometheus.CounterVec
	aborts    *prometheus.CounterVec
	warnings  *prometheus.CounterVec
	refusals  *prometheus.CounterVec
	rescues   *prometheus.CounterVec
	rounds    *prometheus.CounterVec
	compacted *prometheus.CounterVec
	cuts      *prometheus.CounterVec
	cutTokens *prometheus.CounterVec
	saved     *prometheus.CounterVec
	bytes     *prometheus.CounterVec
	usage     *prometheus.CounterVec
	estimated *prometheus.CounterVec

	load      *prometheus.HistogramVec
	manage    *prometheus.HistogramVec
	firstByte *prometheus.HistogramVec
	took      *prometheus.HistogramVec

	drift *prometheus.GaugeVec

	mu sync.Mutex
	// families of the models that were asked for.
	families map[string]string
	// drifts compares estimates with bills, by family; read and prompt are sums of
	// tokens.
	drifts       map[string]comparison
	read, prompt float64
}

// comparison is what was estimated and billed, older requests counting less.
type comparison struct{ estimated, billed float64 }

// decay is what a request counts beside the one behind it.
const decay = 0.9

// New returns metrics of which nothing has been counted.
func New(o *Options) *Metrics {
	if o == nil {
		o = &Options{}
	}
	m := &Metrics{registry: prometheus.NewRegistry(), models: o.Models, families: map[string]string{}, drifts: map[string]comparison{}}
	if m.models == nil {
		m.models = model.Default()
	}
	m.registerCounters()
	m.registerHistograms()
	m.registerGauges(o)
	if o.Runtime {
		m.registry.MustRegister(collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	}
	return m
}

func (m *Metrics) counter(name, help string, labels ...string) *prometheus.CounterVec {
	c := prometheus.NewCounterVec(prometheus.CounterOpts{Name: name, Help: help}, labels)
	m.registry.MustRegister(c)
	return c
}

func (m *Metrics) registerCounters() {
	m.requests = m.counter("plimsoll_requests_total", "Managed requests.", "dialect", "family", "decision", "status")
	m.aborts = m.counter("plimsoll_aborts_total", "Requests that ended early.", "dialect", "reason")
	m.warnings = m.counter("plimsoll_warnings_total", "Requests in which something failed without harm.", "kind")
	m.refusals = m.counter("plimsoll_refusals_total", "Requests that could not be made to fit.", "dialect")
	m.rescues = m.counter("plimsoll_rescues_total", "Overflow errors of an upstream that were caught.", "dialect")
	m.rounds = m.counter("plimsoll_hidden_rounds_total", "Model calls that clients did not see.", "dialect")
	m.compacted = m.counter("plimsoll_compactions_total", "Requests in which old messages became a checkpoint.", "dialect")
	m.cuts = m.counter("plimsoll_cuts_total", "Requests in which a rung cut what had not been cut before.", "rung")
	m.cutTokens = m.counter("plimsoll_cut_tokens_total", "Tokens that new cuts took off.", "rung")
	m.saved = m.counter("plimsoll_saved_tokens_total", "Tokens that were not sent because of cuts.", "dialect", "family")
	m.bytes = m.counter("plimsoll_body_bytes_total", "Bytes of requests as they came and as they were sent.", "direction")
	m.usage = m.counter("plimsoll_usage_tokens_total", "Tokens as billed, by kind; the kinds do not overlap.", "family", "kind")
	m.estimated = m.counter("plimsoll_estimated_tokens_total", "Tokens of billed prompts as they were weighed before.", "family")
}

func (m *Metrics) histogram(name, help string, buckets []float64, labels ...string) *prometheus.HistogramVec {
	h := prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: name, Help: help, Buckets: buckets}, labels)
	m.registry.MustRegister(h)
	return h
}

func (m *Metrics) registerHistograms() {
	tokens := prometheus.ExponentialBuckets(1000, 2, 11)
	m.load = m.histogram("plimsoll_load_tokens", "What requests weigh as they came and as they were sent.", tokens, "stage")
	m.manage = m.histogram("plimsoll_manage_seconds", "Time of our own before a request was sent.", []float64{.0002, .0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5, 30}, "dialect")
	answer := []float64{.05, .1, .25, .5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600}
	m.firstByte = m.histogram("plimsoll_first_byte_seconds", "Time until the first byte of an answer.", answer, "dialect")
	m.took = m.histogram("plimsoll_request_seconds", "Time until the last byte of an answer.", answer, "dialect")
}

func (m *Metrics) registerGauges(o *Options) {
	m.drift = prometheus.NewGaugeVec(prometheus.GaugeOpts{
		Name: "plimsoll_count_drift_ratio", Help: "By how much what is weighed exceeds what is billed, of late, as a share of that.",
	}, []string{"family"})
	m.registry.MustRegister(m.drift)
	m.gauge("plimsoll_cache_read_ratio", "Share of the billed prompts that was read from prompt caches.", m.cacheShare)
	if o.Version != "" {
		info := prometheus.NewGaugeVec(prometheus.GaugeOpts{Name: "plimsoll_build_info", Help: "The version that runs."}, []string{"version"})
		info.WithLabelValues(o.Version).Set(1)
		m.registry.MustRegister(info)
	}
	if up := o.StoreUp; up != nil {
		m.gauge("plimsoll_store_up", "Whether the store answers.", func() float64 { return truth(up()) })
	}
	for _, g := range []struct {
		name, help string
		value      func() int
	}{
		{"plimsoll_in_flight_requests", "Requests that are being worked on.", o.InFlight},
		{"plimsoll_queued_requests", "Requests that wait for memory.", o.Queued},
	} {
		if value := g.value; value != nil {
			m.gauge(g.name, g.help, func() float64 { return float64(value()) })
		}
	}
	if o.Account != nil {
		m.registry.MustRegister(newMoney(o.Account))
	}
}

func (m *Metrics) gauge(name, help string, value func() float64) {
	m.registry.MustRegister(prometheus.NewGaugeFunc(prometheus.GaugeOpts{Name: name, Help: help}, value))
}

func truth(is bool) float64 {
	if is {
		return 1
	}
	return 0
}

// Handler serves the metrics.
func (m *Metrics) Handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{EnableOpenMetrics: true, MaxRequestsInFlight: 8})
}

// Observe counts a request.
func (m *Metrics) Observe(x transport.Exchange) {
	dialect, family := dialectLabel(x.Dialect), m.family(x.Model)
	m.requests.WithLabelValues(dialect, family, decisionLabel(x.Decision), statusLabel(x.Status)).Inc()
	if x.Err != nil {
		m.aborts.WithLabelValues(dialect, Reason(x.Err)).Inc()
	}
	if x.Warning != "" {
		m.warnings.WithLabelValues(WarningKind(x.Warning)).Inc()
	}
	switch x.Decision {
	case transport.Refused:
		m.refusals.WithLabelValues(dialect).Inc()
	case transport.Compacted:
		m.compacted.WithLabelValues(dialect).Inc()
	}
	if x.Rescued {
		m.rescues.WithLabelValues(dialect).Inc()
	}
	if x.Rounds > 0 {
		m.rounds.WithLabelValues(dialect).Add(float64(x.Rounds))
	}
	m.observeLoad(x, dialect, family)
	m.observeTime(x, dialect)
	if x.Billed {
		m.observeUsage(x, family)
	}
}

func (m *Metrics) observeLoad(x transport.Exchange, dialect, family string) {
	m.bytes.WithLabelValues("received").Add(float64(max(0, x.Bytes)))
	m.bytes.WithLabelValues("sent").Add(float64(max(0, x.Sent)))
	if x.Before.Total > 0 {
		m.load.WithLabelValues("before").Observe(float64(x.Before.Total))
	}
	if x.After.Total > 0 {
		m.load.WithLabelValues("after").Observe(float64(x.After.Total))
	}
	if x.Decision == transport.Refused || x.Decision == transport.DryRun {
		return // nothing was sent
	}
	if saved := x.Before.Total - x.After.Total; saved > 0 && x.After.Total > 0 {
		m.saved.WithLabelValues(dialect, family).Add(float64(saved))
	}
	for _, r := range x.Rungs {
		if r.Edits > 0 && !r.Replayed && r.Undone == "" && r.Saved >= 0 { // recollections and offered tools add
			m.cuts.WithLabelValues(rungLabel(r.Rung)).Inc()
			m.cutTokens.WithLabelValues(rungLabel(r.Rung)).Add(float64(r.Saved))
		}
	}
}

func (m *Metrics) observeTime(x transport.Exchange, dialect string) {
	if x.Manage > 0 {
		m.manage.WithLabelValues(dialect).Observe(x.Manage.Seconds())
	}
	if x.First.After(x.Start) {
		m.firstByte.WithLabelValues(dialect).Observe(x.First.Sub(x.Start).Seconds())
	}
	if x.End.After(x.Start) {
		m.took.WithLabelValues(dialect).Observe(x.End.Sub(x.Start).Seconds())
	}
}

func (m *Metrics) observeUsage(x transport.Exchange, family string) {
	for kind, tokens := range map[string]int{
		"input": x.Usage.Input, "cached": x.Usage.CacheRead, "written": x.Usage.CacheCreation, "output": x.Usage.Output,
	} {
		m.usage.WithLabelValues(family, kind).Add(float64(max(0, tokens)))
	}
	prompt := float64(max(0, x.Usage.Prompt()))
	if prompt == 0 {
		return
	}
	m.mu.Lock()
	m.read += float64(max(0, x.Usage.CacheRead))
	m.prompt += prompt
	m.mu.Unlock()
	// Hidden rounds are billed with the rest and were never weighed together.
	if x.After.Total <= 0 || x.Rounds > 0 {
		return
	}
	m.estimated.WithLabelValues(family).Add(float64(x.After.Total))
	m.mu.Lock()
	defer m.mu.Unlock()
	c := m.drifts[family]
	c = comparison{decay*c.estimated + float64(x.After.Total), decay*c.billed + prompt}
	m.drifts[family] = c
	m.drift.WithLabelValues(family).Set((c.estimated - c.billed) / c.billed)
}

func (m *Metrics) cacheShare() float64 {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.prompt == 0 {
		return 0
	}
	return m.read / m.prompt
}
