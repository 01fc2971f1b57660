package dashboard_test

import (
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// BenchmarkWatch is what a request waits for the dashboard: one whose cuts are known
// already, as nearly all are.
func BenchmarkWatch(b *testing.B) {
	keeper := newKeeper(b, token.NewCalibration(nil))
	request, err := dialects.Codec(plimsoll.Anthropic).Decode(agentBody(60))
	must(b, err)
	task := preset.Task(request, preset.Client{})
	task.Line = &plimsoll.Line{Window: window}
	plan, err := keeper.Fit(b.Context(), task)
	must(b, err)
	pages := dashboard.New(nil)
	defer pages.Close()
	s := transport.Event{Account: "a", Plan: plan, Exchange: transport.Exchange{Tenant: "t", Before: plan.Before, After: plan.After, Line: plan.Line, Edits: len(plan.Edits)}}
	pages.Watch(b.Context(), s)
	time.Sleep(100 * time.Millisecond) // until it is taken in
	for b.Loop() {
		pages.Watch(b.Context(), s)
	}
	b.ReportMetric(float64(len(plan.Edits)), "edits")
}
