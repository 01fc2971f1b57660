package demo

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
)

// Report is what a demonstration came to. Tokens are sums over all requests.
type Report struct {
	Dialect plimsoll.Dialect `json:"dialect"`
	Model   string           `json:"model"`
	Window  int              `json:"window_tokens"`
	Limit   int              `json:"limit_tokens"`
	// Requests of the client, those of them that the proxy Refused, and Rounds in which the
	// model was asked once more because it had called a tool of the proxy's.
	Requests int `json:"requests"`
	Refused  int `json:"refused"`
	Rounds   int `json:"hidden_rounds"`
	// Uncut is what the client sent, Sent what the model got, hidden rounds included;
	// LargestUncut and LargestSent are those of single requests.
	Uncut        int `json:"uncut_tokens"`
	Sent         int `json:"sent_tokens"`
	LargestUncut int `json:"largest_uncut_tokens"`
	LargestSent  int `json:"largest_sent_tokens"`
	// Cuts is the requests for which something was cut, Pieces what was cut.
	Cuts   int `json:"cuts"`
	Pieces int `json:"pieces"`
	// Over is the requests that would have overflowed.
	Over int `json:"would_have_overflowed"`
	// Refs is the references that the model was given, Same those that have the very
	// bytes of the recording behind them. Looks is how often the model used one, and
	// SameLooks how often it got the lines that were recorded.
	Refs      int `json:"refs"`
	Same      int `json:"refs_identical"`
	Looks     int `json:"looks"`
	SameLooks int `json:"looks_identical"`
	// Cached is the share of what was sent that came from the prompt cache.
	Cached float64 `json:"cache_read_share"`
	// Priced says whether prices are known. WouldCost is what everything would have
	// cost without cuts, if the window had been large enough, Cost what it did.
	Priced    bool    `json:"priced"`
	WouldCost float64 `json:"would_cost_usd"`
	Cost      float64 `json:"cost_usd"`
	Net       float64 `json:"net_usd"`
	// Warnings of the proxy, each once.
	Warnings []string `json:"warnings"`
	Seconds  float64  `json:"seconds"`
}

// Whole reports whether everything that was cut could be had back as it was.
func (r *Report) Whole() bool { return r.Same == r.Refs && r.SameLooks == r.Looks }

func (r *Report) add(q RequestResult) {
	r.Requests++
	r.Limit = max(r.Limit, q.Limit)
	r.Uncut += q.Uncut
	r.Sent += q.Sent
	r.LargestUncut, r.LargestSent = max(r.LargestUncut, q.Uncut), max(r.LargestSent, q.Sent)
	if q.Cut() {
		r.Cuts++
	}
	if q.Refused != "" {
		r.Refused++
	}
	r.Pieces += len(q.Pieces)
	if q.Over {
		r.Over++
	}
	for _, l := range q.Looks {
		r.Looks++
		if !l.Beside {
			r.Rounds++
		}
		if l.Same {
			r.SameLooks++
		}
	}
	if q.Warning != "" && !slices.Contains(r.Warnings, q.Warning) {
		r.Warnings = append(r.Warnings, q.Warning)
	}
}

// settle takes over what the proxy kept account of.
func (r *Report) settle(a account.Account) {
	if a.Requests > 0 {
		r.Sent = a.Usage.Prompt()
	}
	r.Cached = a.CacheShare()
	r.Priced = a.Priced > 0
	r.WouldCost, r.Cost, r.Net = a.Uncut.USD(), (a.Paid + a.Summaries).USD(), a.Net().USD()
}
