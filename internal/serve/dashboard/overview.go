package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
)

// overviewView is the first page.
type overviewView struct {
	page
	// Flights are the requests under way, Waiting those of them that wait for memory.
	Flights int    `json:"in_flight"`
	Waiting int    `json:"queued"`
	Totals  totals `json:"totals"`
	// Account is what was used and saved since the start, Stored what the store has of
	// all times.
	Account report.Account  `json:"account"`
	Stored  *report.Account `json:"stored,omitempty"`
	Objects int64           `json:"stored_objects"`
	Bytes   int64           `json:"stored_bytes"`
	// Focus is the conversation that is nearest to its line, Others those beside it.
	Focus  *conversationRow  `json:"focus"`
	Others []conversationRow `json:"others"`
	Recent []recentRow       `json:"recent"`
	// Cuts are the latest ones.
	Cuts     []latestCut `json:"cuts"`
	Warnings []warning   `json:"warnings"`

	Load *chart `json:"-"`
	Cost *chart `json:"-"`
}

const (
	// liveFor is how long a conversation counts as live.
	liveFor = 10 * time.Minute
	// shownGauges is how many conversations have one on the first page, shownRecent how
	// many requests are listed there.
	shownGauges = 9
	shownRecent = 12
	// shownWarnings is how many warnings are, shownCuts how many cuts.
	shownWarnings = 5
	shownCuts     = 7
)

func (d *Dashboard) overview(r *http.Request) (view, error) {
	v := overviewView{page: d.page("overview", "Overview"), Account: report.NewAccount(d.options.Account())}
	v.Flights, v.Waiting = d.flights()
	s := d.ledger.read(r.Context(), d.live.owners())
	v.Store = s.failure()
	if d.options.Store != nil && v.Store == "" {
		stored := report.NewAccount(s.total)
		stored.Model = ""
		v.Stored, v.Objects, v.Bytes = &stored, s.stats.Objects, s.stats.Compressed
	}
	d.fillLive(&v)
	all := d.live.list()
	focus := focusOf(all, v.Now)
	v.Cuts = latestCuts(all)
	for i, c := range all {
		row := d.row(c, s)
		switch {
		case i == focus:
			v.Focus, v.Load = &row, loadChart(c.requests)
		case len(v.Others) < shownGauges-1 && v.Now.Sub(c.last) < liveFor && row.Limit > 0:
			v.Others = append(v.Others, row)
		}
	}
	return view{"overview", v}, nil
}

func (d *Dashboard) fillLive(v *overviewView) {
	d.live.mu.RLock()
	defer d.live.mu.RUnlock()
	v.Totals = d.live.totals
	v.Totals.Forgotten = d.dropped.Load()
	v.Cost = costChart(d.live.costs, v.Now)
	for _, x := range slices.Backward(d.live.recent) {
		if len(v.Recent) < shownRecent {
			v.Recent = append(v.Recent, newRecentRow(x))
		}
	}
	for _, w := range slices.Backward(d.live.warnings) {
		if len(v.Warnings) < shownWarnings {
			v.Warnings = append(v.Warnings, w)
		}
	}
}

// focusOf finds the conversation that fills its limit most of those that are live, else
// the last one.
func focusOf(all []conversation, now time.Time) int {
	best, most := -1, -1.0
	for i, c := range all {
		last, limit := c.load()
		share := 0.0
		if limit > 0 {
			share = float64(last.load()) / float64(limit)
		}
		if now.Sub(c.last) > liveFor && best >= 0 {
			break
		}
		if share > most {
			best, most = i, share
		}
	}
	return best
}

// recentRow is a request in a list.
type recentRow struct {
	Key     string `json:"conversation"`
	Model   string `json:"model"`
	Dialect string `json:"dialect"`
	requestRow
}

func newRecentRow(x recent) recentRow {
	return recentRow{x.Key, x.Model, x.Dialect, newRequestRow(x.request)}
}

// latestCut is a cut with its conversation.
type latestCut struct {
	Key string `json:"conversation"`
	cutRow
}

// latestCuts are those of the conversations that were seen last, the newest first, and
// of one request those that saved most.
func latestCuts(all []conversation) []latestCut {
	var cuts []latestCut
	for _, c := range all {
		var own []latestCut
		for _, made := range c.cuts {
			if made.Saved > 0 {
				own = append(own, latestCut{c.key, newCutRow(made, c.tenant)})
			}
		}
		slices.SortStableFunc(own, func(a, b latestCut) int {
			return cmp.Or(b.Request-a.Request, b.Saved-a.Saved)
		})
		cuts = append(cuts, own...)
		if len(cuts) >= shownCuts {
			return cuts[:shownCuts]
		}
	}
	return cuts
}
