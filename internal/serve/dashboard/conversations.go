package dashboard

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/report"
)

// conversationsView lists conversations.
type conversationsView struct {
	page
	Filter string            `json:"filter,omitempty"`
	Sort   string            `json:"sort"`
	Sorts  []sorting         `json:"-"`
	Rows   []conversationRow `json:"conversations"`
	// All is how many there are that pass the filter, More how many of them are not
	// listed. Partial says that the store has more accounts than were read.
	All     int  `json:"all"`
	More    int  `json:"more"`
	Partial bool `json:"partial,omitempty"`
}

// sorting is an order of the list.
type sorting struct {
	Name, Title string
	Chosen      bool
}

// conversationRow is a conversation in a list. What is live is not known of those that
// were quiet since the start.
type conversationRow struct {
	Key     string    `json:"id"`
	Tenant  string    `json:"tenant"`
	Model   string    `json:"model"`
	Dialect string    `json:"dialect,omitempty"`
	Last    time.Time `json:"last"`
	Active  bool      `json:"live"`

	// Requests since the start; the account counts calls of the model, hidden ones too.
	Requests int `json:"requests"`
	Before   int `json:"uncut_tokens"`
	After    int `json:"sent_tokens"`
	Limit    int `json:"limit_tokens"`
	// Exact says that the loads are; else they may be off by Band either way.
	Exact    bool   `json:"exact"`
	Band     int    `json:"band_tokens"`
	Decision string `json:"decision,omitempty"`

	Saved  int64   `json:"saved_tokens"`
	Cached float64 `json:"cache_read_share"`
	Cuts   int64   `json:"cuts"`
	Refs   int     `json:"refs"`
	// Account is what the store has; nil if it has none yet.
	Account *report.Account `json:"account,omitempty"`
	Gauge   gauge           `json:"-"`
	// Share is the part of the limit that is used, Was that without cuts.
	Share float64 `json:"load_share"`
	Was   float64 `json:"uncut_share"`
}

// shownRows is how many rows a list has.
const shownRows = 200

// order is a way to sort conversations.
type order struct {
	name, title string
	less        func(a, b conversationRow) int
}

var sortings = []order{
	{"last", "last seen", func(a, b conversationRow) int { return b.Last.Compare(a.Last) }},
	{"load", "load", func(a, b conversationRow) int { return cmp.Compare(b.Share, a.Share) }},
	{"saved", "tokens saved", func(a, b conversationRow) int { return cmp.Compare(b.Saved, a.Saved) }},
	{"net", "net saving", func(a, b conversationRow) int { return cmp.Compare(b.net(), a.net()) }},
	{"cached", "cached share", func(a, b conversationRow) int { return cmp.Compare(b.Cached, a.Cached) }},
	{"requests", "requests", func(a, b conversationRow) int { return cmp.Compare(b.Requests, a.Requests) }},
}

func (c conversationRow) net() float64 {
	if c.Account == nil {
		return 0
	}
	return c.Account.Net
}

func (d *Dashboard) conversations(r *http.Request) (view, error) {
	q := r.URL.Query()
	v := conversationsView{page: d.page("conversations", "Conversations"), Filter: clip(q.Get("q"), maxName), Sort: q.Get("sort")}
	s := d.ledger.read(r.Context(), d.live.owners())
	v.Store, v.Partial = s.failure(), s.partial
	rows := slices.DeleteFunc(d.rows(s), func(c conversationRow) bool { return !c.matches(v.Filter) })
	chosen := max(0, slices.IndexFunc(sortings, func(by order) bool { return by.name == v.Sort }))
	v.Sort = sortings[chosen].name
	slices.SortStableFunc(rows, sortings[chosen].less)
	for i, by := range sortings {
		v.Sorts = append(v.Sorts, sorting{by.name, by.title, i == chosen})
	}
	v.All = len(rows)
	v.Rows = rows[:min(len(rows), shownRows)]
	v.More = v.All - len(v.Rows)
	return view{"conversations", v}, nil
}

// matches reports whether all words of a filter are in what a row says.
func (c conversationRow) matches(filter string) bool {
	text := strings.ToLower(strings.Join([]string{c.Key, c.Tenant, c.Model, c.Dialect, c.Decision, decisionWords(c.Decision)}, "\n"))
	for _, word := range strings.Fields(strings.ToLower(filter)) {
		if !strings.Contains(text, word) {
			return false
		}
	}
	return true
}

// rows are the conversations that are live, then those that only the store knows.
func (d *Dashboard) rows(s statement) []conversationRow {
	rows := []conversationRow{}
	known := map[string]bool{}
	for _, c := range d.live.list() {
		rows = append(rows, d.row(c, s))
		known[c.key] = true
	}
	for _, a := range s.accounts {
		if key := keyOf(a.tenant, a.Conversation); !known[key] {
			rows = append(rows, storedRow(key, a))
		}
	}
	return rows
}

// load is the last request that says what the conversation weighs, and its limit.
func (c *conversation) load() (request, int) {
	for _, r := range slices.Backward(c.requests) {
		if r.Before > 0 {
			return r, r.Limit
		}
	}
	return request{}, 0
}

// row is a live conversation, with what the store has of it.
func (d *Dashboard) row(c conversation, s statement) conversationRow {
	last, limit := c.load()
	row := conversationRow{
		Key: c.key, Tenant: c.tenant, Model: c.model, Dialect: c.dialect, Last: c.last.UTC(), Active: true,
		Requests: c.count, Before: last.Before, After: last.After, Limit: limit, Exact: last.Exact, Band: last.Band,
		Saved: c.saved, Cuts: int64(c.fresh), Refs: len(c.refs), Gauge: gaugeOf(c.key, last.Before, last.load(), limit),
	}
	if c.prompt > 0 {
		row.Cached = float64(c.read) / float64(c.prompt)
	}
	if len(c.requests) > 0 {
		row.Decision = string(c.requests[len(c.requests)-1].Decision)
	}
	if limit > 0 {
		row.Share, row.Was = float64(last.load())/float64(limit), float64(last.Before)/float64(limit)
	}
	if a, ok := s.find(c.key); ok {
		account := report.NewAccount(a.Account)
		row.Account = &account
		row.Saved, row.Cuts = max(row.Saved, a.Saved), max(row.Cuts, a.Cuts)
	}
	return row
}

// storedRow is a conversation that only the store knows.
func storedRow(key string, a owned) conversationRow {
	account := report.NewAccount(a.Account)
	return conversationRow{
		Key: key, Tenant: a.tenant, Model: a.Model, Last: a.Last.UTC(), Requests: int(a.Requests), Saved: a.Saved,
		Cached: a.CacheShare(), Cuts: a.Cuts, Account: &account, Gauge: gaugeOf(key, 0, 0, 0),
	}
}
