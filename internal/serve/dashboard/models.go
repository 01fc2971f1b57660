package dashboard

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
)

// modelsView is what is known of the models that were asked.
type modelsView struct {
	page
	Rows []modelRow `json:"models"`
}

// modelRow is one model.
type modelRow struct {
	Name     string    `json:"name"`
	Known    string    `json:"known_as,omitempty"`
	Provider string    `json:"provider,omitempty"`
	Last     time.Time `json:"last"`
	// Requests since the start, and in the store.
	Requests int64 `json:"requests"`
	Stored   int64 `json:"stored_requests"`
	// Limit that is configured or known, and where it is from. Line is where the load
	// line of the last request was, of a window of that size.
	Limit  int    `json:"limit_tokens"`
	Source string `json:"limit_source"`
	From   string `json:"limit_from,omitempty"`
	Line   int    `json:"line_tokens"`
	Window int    `json:"window_tokens"`
	// Learned is what upstreams have said.
	Learned []learnedRow `json:"learned"`
	Exact   bool         `json:"exact"`
	// Drift is what the meter knows; nil if nothing was billed yet.
	Drift *token.Drift `json:"drift,omitempty"`
	// Estimated and Billed are what was sent since the start.
	Estimated int64 `json:"estimated_tokens"`
	Billed    int64 `json:"billed_tokens"`
	// Prices are in dollars for a million tokens.
	Priced bool    `json:"priced"`
	Input  float64 `json:"input_usd"`
	Cached float64 `json:"cached_usd"`
	Output float64 `json:"output_usd"`
	AsOf   string  `json:"as_of,omitempty"`
}

// learnedRow is a limit that an upstream has told.
type learnedRow struct {
	Upstream string  `json:"upstream"`
	Tokens   int     `json:"limit_tokens"`
	Ratio    float64 `json:"ratio"`
	// Asked says that the upstream answered a question.
	Asked bool      `json:"asked"`
	At    time.Time `json:"at"`
}

// Off is by how much the estimates since the start exceed the bills.
func (m modelRow) Off() float64 {
	if m.Billed == 0 {
		return 0
	}
	return float64(m.Estimated-m.Billed) / float64(m.Billed)
}

func (d *Dashboard) models(r *http.Request) (view, error) {
	v := modelsView{page: d.page("models", "Models"), Rows: []modelRow{}}
	s := d.ledger.read(r.Context(), d.live.owners())
	v.Store = s.failure()
	stored := map[string]int64{}
	for _, a := range s.accounts {
		stored[a.Model] += a.Requests
	}
	var learned []transport.LearnedLimit
	if d.options.Learned != nil {
		learned = d.options.Learned()
	}
	for _, m := range d.live.modelsSeen() {
		row := modelRow{
			Name: m.Name, Last: m.Last.UTC(), Requests: m.Requests, Stored: stored[m.Name], Line: m.Limit, Window: m.Window,
			Exact: m.Exact, Estimated: m.Estimated, Billed: m.Billed, Learned: []learnedRow{},
		}
		delete(stored, m.Name)
		v.Rows = append(v.Rows, d.know(row, learned))
	}
	for name, requests := range stored {
		if name != "" {
			v.Rows = append(v.Rows, d.know(modelRow{Name: name, Stored: requests, Learned: []learnedRow{}}, learned))
		}
	}
	slices.SortFunc(v.Rows, func(a, b modelRow) int {
		if c := b.Last.Compare(a.Last); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	v.Rows = v.Rows[:min(len(v.Rows), shownRows)]
	return view{"models", v}, nil
}

func (l *live) modelsSeen() []seenModel {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := make([]seenModel, 0, len(l.models))
	for _, m := range l.models {
		all = append(all, *m)
	}
	return all
}

// know adds what is known of a model.
func (d *Dashboard) know(row modelRow, learned []transport.LearnedLimit) modelRow {
	if d.options.Limit != nil {
		l := d.options.Limit(row.Name)
		row.Limit, row.Source, row.From = l.Tokens, string(l.Source), l.From
	}
	if m, err := d.options.Models.Lookup(row.Name); err == nil {
		row.Known, row.Provider, row.AsOf, row.Priced = m.ID, m.Provider, m.AsOf, m.Prices.Known
		row.Input, row.Cached, row.Output = m.Prices.Input.PerMillion(), m.Prices.CacheRead.PerMillion(), m.Prices.Output.PerMillion()
	}
	for _, l := range learned {
		if l.Model == row.Name {
			row.Learned = append(row.Learned, learnedRow{l.Upstream, l.Tokens, l.Ratio, l.Asked, l.At.UTC()})
		}
	}
	if d.options.Drift != nil {
		for _, drift := range d.options.Drift() {
			if drift.Model == row.Name || drift.Model == row.Known && row.Known != "" {
				row.Drift = &drift
			}
		}
	}
	return row
}
