package dashboard

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

// healthView is whether everything works, and with which settings.
type healthView struct {
	page
	Setup Setup  `json:"setup"`
	Up    bool   `json:"store_up"`
	Down  string `json:"store_down,omitempty"`
	// Stats is what the store has.
	Stats    store.Stats  `json:"store_stats"`
	Servers  []serverRow  `json:"servers"`
	Warnings []warningRow `json:"warnings"`
	Totals   totals       `json:"totals"`
	Flights  int          `json:"in_flight"`
	Waiting  int          `json:"queued"`
	// Chosen are the settings that were set, Defaults the others.
	Chosen   []Setting `json:"-"`
	Defaults []Setting `json:"-"`
	// Streams is how many pages are open that wait for news.
	Streams int64 `json:"open_pages"`
}

// warningRow is a warning with what to do about it.
type warningRow struct {
	warning
	Advice string `json:"advice"`
}

// serverRow is a server that is configured or was asked.
type serverRow struct {
	Address string `json:"address"`
	APIs    string `json:"apis"`
	seenUpstream
}

// servers are those that are configured, each once, then others that were asked.
func servers(configured []Upstream, asked []seenUpstream) []serverRow {
	var rows []serverRow
	for _, u := range configured {
		at := slices.IndexFunc(rows, func(r serverRow) bool { return r.Address == u.Address })
		if at >= 0 {
			rows[at].APIs += ", " + u.API
			continue
		}
		row := serverRow{Address: u.Address, APIs: u.API}
		if address, err := url.Parse(u.Address); err == nil {
			row.Host = address.Host
		}
		rows = append(rows, row)
	}
	for _, u := range asked {
		at := slices.IndexFunc(rows, func(r serverRow) bool { return r.Host == u.Host })
		if at < 0 {
			rows = append(rows, serverRow{Address: u.Host, APIs: "not configured now", seenUpstream: u})
			continue
		}
		rows[at].seenUpstream = u
	}
	return rows
}

// readyTime is how long the store may take to say that it is there.
const readyTime = 2 * time.Second

func (d *Dashboard) health(r *http.Request) (view, error) {
	v := healthView{page: d.page("health", "Health"), Setup: d.options.Setup, Up: true, Streams: d.streams.Load()}
	if d.options.Ready != nil {
		ctx, cancel := context.WithTimeout(r.Context(), readyTime)
		defer cancel()
		if err := d.options.Ready(ctx); err != nil {
			v.Up, v.Down = false, err.Error()
		}
	}
	for _, set := range v.Setup.Settings {
		if set.Default {
			v.Defaults = append(v.Defaults, set)
		} else {
			v.Chosen = append(v.Chosen, set)
		}
	}
	s := d.ledger.read(r.Context(), d.live.owners())
	v.Store, v.Stats = s.failure(), s.stats
	v.Flights, v.Waiting = d.flights()
	d.live.mu.RLock()
	defer d.live.mu.RUnlock()
	v.Totals = d.live.totals
	v.Totals.Forgotten = d.dropped.Load()
	var asked []seenUpstream
	for _, u := range d.live.upstreams {
		asked = append(asked, *u)
	}
	slices.SortFunc(asked, func(a, b seenUpstream) int { return strings.Compare(a.Host, b.Host) })
	v.Servers = servers(v.Setup.Upstreams, asked)
	for _, w := range slices.Backward(last(d.live.warnings, maxWarnings)) {
		v.Warnings = append(v.Warnings, warningRow{w, advice(w)})
	}
	return view{"health", v}, nil
}

// advice says what helps against a warning.
func advice(w warning) string {
	for _, a := range []struct{ word, advice string }{
		{"nothing more can be cut", "Raise the window with --window if the model has a larger one, or let clients send less: what is left is pinned, newest or instructions."},
		{"context is full", "Set the limit of this model (limits in the settings), so that it is cut before the server refuses it."},
		{"cannot be reached", "Look whether the store is there: /readyz says so. Until it is back, what is cut cannot be read by the model."},
		{"stor", "Look at the log and at the disk or the database of the store. Requests go on meanwhile."},
		{"began elsewhere", "The server keeps the beginning of this conversation. Send the whole history, or let it begin through this proxy."},
		{"not understood", "The body is not of an API that is known here. It was passed on as it came; plimsoll doctor FILE says what is wrong with it."},
		{"could not be managed", "This is a mistake of ours. The request went on as it came; the log has the details for a report."},
		{"not shown", "What the model had read back could not be put into the history again. The answer is right; the prompt cache may be missed once."},
	} {
		if strings.Contains(w.Text, a.word) {
			return a.advice
		}
	}
	if w.Kind == "refused" {
		return "Nothing was sent. Choose a larger window or the preset auto, start a new conversation, or shorten the newest message or the tools."
	}
	return "The log has the details."
}
