package dashboard

import (
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/plimsoll/plimsoll"
)

// conversationView is one conversation.
type conversationView struct {
	page
	conversationRow
	Upstream string    `json:"upstream,omitempty"`
	First    time.Time `json:"first,omitzero"`
	// Listed are the requests that are remembered, the newest first, and Cuts what was
	// cut, in the order in which it stands in the conversation.
	Listed []requestRow `json:"listed"`
	Edits  []cutRow     `json:"edits"`
	// Lost is how many cuts are not remembered.
	Lost int    `json:"edits_not_shown,omitempty"`
	Load *chart `json:"-"`
}

// requestView is one request of a conversation.
type requestView struct {
	page
	Key     string `json:"conversation"`
	Model   string `json:"model"`
	Dialect string `json:"dialect"`
	Tenant  string `json:"tenant"`
	requestRow
	Rungs []plimsoll.RungReport `json:"rungs"`
	// Edits are those that were new in this request, Standing how many were made for
	// earlier ones.
	Edits    []cutRow `json:"edits"`
	Standing int      `json:"standing_edits"`
	// Previous and Next are the numbers of the requests beside it; 0 if there are none.
	Previous int   `json:"-"`
	Next     int   `json:"-"`
	Gauge    gauge `json:"-"`
}

// requestRow is a request in a list.
type requestRow struct {
	N        int       `json:"n"`
	At       time.Time `json:"at"`
	Decision string    `json:"decision"`
	Status   int       `json:"status"`
	Before   int       `json:"uncut_tokens"`
	After    int       `json:"sent_tokens"`
	Limit    int       `json:"limit_tokens"`
	Window   int       `json:"window_tokens"`
	Exact    bool      `json:"exact"`
	Band     int       `json:"band_tokens"`
	New      int       `json:"new_edits"`
	All      int       `json:"edits_in_force"`
	Rounds   int       `json:"hidden_rounds"`
	Rescued  bool      `json:"rescued"`
	// Over says that it would have been too large for the window.
	Over    bool           `json:"would_have_overflowed"`
	Billed  bool           `json:"billed"`
	Usage   plimsoll.Usage `json:"usage"`
	Prompt  int            `json:"prompt_tokens"`
	Cached  float64        `json:"cache_read_share"`
	Manage  time.Duration  `json:"manage_ns"`
	Took    time.Duration  `json:"took_ns"`
	Summary string         `json:"summary,omitempty"`
	Warning string         `json:"warning,omitempty"`
	Failure string         `json:"failure,omitempty"`
	// Share is the part of the limit that was sent, Was what came.
	Share float64 `json:"load_share"`
	Was   float64 `json:"uncut_share"`
}

func newRequestRow(r request) requestRow {
	row := requestRow{
		N: r.N, At: r.At.UTC(), Decision: string(r.Decision), Status: r.Status, Before: r.Before, After: r.After, Limit: r.Limit, Window: r.Window,
		Exact: r.Exact, Band: r.Band, New: r.New, All: r.Edits, Rounds: r.Rounds, Rescued: r.Rescued, Over: r.over(), Billed: r.Billed,
		Usage: r.Usage, Prompt: r.Usage.Prompt(), Manage: r.Manage, Took: r.Took, Summary: r.Summary, Warning: r.Warning, Failure: r.Failure,
	}
	if row.Prompt > 0 {
		row.Cached = float64(r.Usage.CacheRead) / float64(row.Prompt)
	}
	if r.Limit > 0 {
		row.Share, row.Was = float64(r.load())/float64(r.Limit), float64(r.Before)/float64(r.Limit)
	}
	return row
}

// cutRow is something that was cut, with why.
type cutRow struct {
	Kind    string        `json:"kind"`
	Rung    string        `json:"rung"`
	Reason  string        `json:"reason"`
	Message int           `json:"message"`
	Until   int           `json:"until"`
	Part    int           `json:"part"`
	Role    string        `json:"role,omitempty"`
	About   string        `json:"about,omitempty"`
	Saved   int           `json:"saved_tokens"`
	Request int           `json:"request"`
	Ref     *plimsoll.Ref `json:"ref,omitempty"`
	// Instead is what the model got, as far as it is remembered.
	Instead string `json:"instead,omitempty"`
	More    bool   `json:"instead_clipped,omitempty"`
	Tenant  string `json:"-"`
}

func newCutRow(c shownCut, tenant string) cutRow {
	return cutRow{
		Kind: string(c.Kind), Rung: c.Rung, Reason: c.Reason, Message: c.Message, Until: c.Until, Part: c.Part, Role: c.Role, About: c.About,
		Saved: c.Saved, Request: c.Request, Ref: c.Ref, Instead: c.Instead, More: c.More, Tenant: tenant,
	}
}

// Does says in a word what the edit did.
func (c cutRow) Does() string {
	switch plimsoll.EditKind(c.Kind) {
	case plimsoll.EditDrop:
		return "taken out"
	case plimsoll.EditReplace:
		return "replaced"
	case plimsoll.EditRemove:
		return "part taken out"
	case plimsoll.EditInsert:
		return "put in"
	case plimsoll.EditWithdraw:
		return "taken out again"
	case plimsoll.EditSystem:
		return "instructions added"
	case plimsoll.EditTool:
		return "tool added"
	}
	return c.Kind
}

// Takes reports whether the edit took something out.
func (c cutRow) Takes() bool {
	switch plimsoll.EditKind(c.Kind) {
	case plimsoll.EditDrop, plimsoll.EditReplace, plimsoll.EditRemove:
		return true
	}
	return false
}

// byPlace orders cuts as they stand in the conversation, what is beside the messages
// last.
func byPlace(a, b cutRow) int {
	if (a.Message < 0) != (b.Message < 0) {
		return b.Message - a.Message
	}
	return a.Message - b.Message
}

func (d *Dashboard) conversation(r *http.Request) (view, error) {
	key := r.PathValue("key")
	s := d.ledger.read(r.Context(), d.live.owners())
	v := conversationView{page: d.page("conversations", "Conversation "+key[:min(8, len(key))])}
	v.Store = s.failure()
	if c, ok := d.live.find(key); ok {
		v.conversationRow, v.Upstream, v.First, v.Lost = d.row(c, s), c.upstream, c.first.UTC(), c.lost
		v.Load = loadChart(c.requests)
		for _, x := range slices.Backward(c.requests) {
			v.Listed = append(v.Listed, newRequestRow(x))
		}
		for _, x := range c.cuts {
			v.Edits = append(v.Edits, newCutRow(x, c.tenant))
		}
		slices.SortStableFunc(v.Edits, byPlace)
		return view{"conversation", v}, nil
	}
	a, ok := s.find(key)
	if !ok {
		return view{}, errNotFound
	}
	v.conversationRow, v.First = storedRow(key, a), a.First.UTC()
	return view{"conversation", v}, nil
}

func (d *Dashboard) request(r *http.Request) (view, error) {
	c, ok := d.live.find(r.PathValue("key"))
	number, err := strconv.Atoi(r.PathValue("number"))
	at := slices.IndexFunc(c.requests, func(x request) bool { return x.N == number })
	if !ok || err != nil || at < 0 {
		return view{}, errNotFound
	}
	x := c.requests[at]
	v := requestView{
		page: d.page("conversations", "Request "+strconv.Itoa(number)), Key: c.key, Model: c.model, Dialect: c.dialect, Tenant: c.tenant,
		requestRow: newRequestRow(x), Rungs: x.Rungs, Gauge: gaugeOf(c.key, x.Before, x.load(), x.Limit),
	}
	fresh := 0
	for _, made := range c.cuts {
		if made.Request == number {
			v.Edits = append(v.Edits, newCutRow(made, c.tenant))
			fresh += made.Until - made.Message + 1
		}
	}
	v.Standing = max(0, x.Edits-fresh)
	if at > 0 {
		v.Previous = c.requests[at-1].N
	}
	if at < len(c.requests)-1 {
		v.Next = c.requests[at+1].N
	}
	return view{"request", v}, nil
}
