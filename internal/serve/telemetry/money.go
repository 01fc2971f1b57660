package telemetry

import (
	"github.com/prometheus/client_golang/prometheus"

	"github.com/plimsoll/plimsoll/account"
)

// money reads the accounts for a request for the metrics.
type money struct {
	account func() account.Account
	figures []accountMetric
}

// accountMetric is one metric of an account.
type accountMetric struct {
	desc  *prometheus.Desc
	kind  prometheus.ValueType
	value func(account.Account) float64
}

var _ prometheus.Collector = (*money)(nil)

func newMoney(read func() account.Account) *money {
	describe := func(name, help string) *prometheus.Desc { return prometheus.NewDesc(name, help, nil, nil) }
	return &money{read, []accountMetric{
		{describe("plimsoll_paid_dollars_total", "What requests cost whose prices are known."), prometheus.CounterValue, func(a account.Account) float64 { return a.Paid.USD() }},
		{describe("plimsoll_uncut_dollars_total", "What they would have cost without cuts."), prometheus.CounterValue, func(a account.Account) float64 { return a.Uncut.USD() }},
		{describe("plimsoll_summaries_dollars_total", "What was paid for summaries."), prometheus.CounterValue, func(a account.Account) float64 { return a.Summaries.USD() }},
		{describe("plimsoll_net_saved_dollars", "What cutting saved after its effects on prompt caches; negative if it cost more."), prometheus.GaugeValue, func(a account.Account) float64 { return a.Net().USD() }},
		{describe("plimsoll_prefix_breaks_total", "Requests that did not begin with what was sent before."), prometheus.CounterValue, func(a account.Account) float64 { return float64(a.Breaks) }},
		{describe("plimsoll_rewritten_tokens_total", "Tokens written to prompt caches again because of cuts."), prometheus.CounterValue, func(a account.Account) float64 { return float64(a.Written) }},
	}}
}

// Describe implements [prometheus.Collector].
func (m *money) Describe(out chan<- *prometheus.Desc) {
	for _, f := range m.figures {
		out <- f.desc
	}
}

// Collect implements [prometheus.Collector].
func (m *money) Collect(out chan<- prometheus.Metric) {
	a := m.account()
	for _, f := range m.figures {
		out <- prometheus.MustNewConstMetric(f.desc, f.kind, f.value(a))
	}
}
