package dashboard

import (
	"maps"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// The bounds of what is remembered.
const (
	maxConversations = 128
	maxRequests      = 240
	maxConversation  = 512
	maxIDs           = 4096
	maxRecent        = 50
	maxWarnings      = 50
	maxUpstreams     = 64
	maxModels        = 256
	maxCosts         = 240
	// maxTexts is how many bytes of what models got are kept in all.
	maxTexts = 16 << 20
)

// live is what is remembered of the requests since the start. It is safe for concurrent
// use.
type live struct {
	mu            sync.RWMutex
	since         time.Time
	conversations map[string]*conversation
	totals        totals
	recent        []recent
	warnings      []warning
	upstreams     map[string]*seenUpstream
	models        map[string]*seenModel
	costs         []cost
	texts         int
	// version counts changes; changed is closed with the next one.
	version int64
	changed chan struct{}
}

// totals are sums over all requests.
type totals struct {
	Requests     int64 `json:"requests"`
	Uncut        int64 `json:"uncut_tokens"`
	Sent         int64 `json:"sent_tokens"`
	Exact        bool  `json:"exact"`
	Cuts         int64 `json:"cuts"`
	Compactions  int64 `json:"compactions"`
	Refs         int64 `json:"refs"`
	Overflows    int64 `json:"would_have_overflowed"`
	Rescued      int64 `json:"rescued"`
	Refused      int64 `json:"refused"`
	FailedOpen   int64 `json:"failed_open"`
	Warned       int64 `json:"warned"`
	Rounds       int64 `json:"hidden_rounds"`
	Forgotten    int64 `json:"not_shown"`
	Conversation int   `json:"conversations"`
}

// conversation is what is remembered of one conversation.
type conversation struct {
	key, account, tenant string
	owner                *store.Tenant
	dialect, model       string
	upstream             string
	first, last          time.Time
	// count is how many requests there were, of which the newest are in requests.
	count    int
	requests []request
	cuts     []shownCut
	ids      map[uint64]bool
	refs     map[string]bool
	// lost is how many cuts were not kept.
	lost         int
	saved        int64
	fresh        int
	prompt, read int64
	texts        int
}

// recent is a request with its conversation.
type recent struct {
	Key, Model, Dialect, Tenant string
	request
}

// warning is something that failed without harm, or a refusal.
type warning struct {
	At    time.Time `json:"at"`
	Key   string    `json:"conversation,omitempty"`
	N     int       `json:"request,omitempty"`
	Kind  string    `json:"kind"`
	Text  string    `json:"text"`
	Times int       `json:"times"`
}

type seenUpstream struct {
	Host     string    `json:"host"`
	Requests int64     `json:"requests"`
	Failed   int64     `json:"failed"`
	Status   int       `json:"last_status"`
	Last     time.Time `json:"last"`
	Failure  string    `json:"last_failure,omitempty"`
}

type seenModel struct {
	Name              string
	Requests          int64
	Limit, Window     int
	Estimated, Billed int64
	Exact             bool
	Last              time.Time
}

// cost is what was paid until a time, and would have been without cuts.
type cost struct {
	At          time.Time
	Paid, Uncut account.Money
	Requests    int64
}

func newLive(now time.Time) *live {
	return &live{
		since: now, conversations: map[string]*conversation{}, upstreams: map[string]*seenUpstream{}, models: map[string]*seenModel{},
		totals: totals{Exact: true}, changed: make(chan struct{}),
	}
}

// knows reports which edits of a conversation were taken in before.
func (l *live) knows(key string, ids []uint64) []bool {
	known := make([]bool, len(ids))
	l.mu.RLock()
	defer l.mu.RUnlock()
	c := l.conversations[key]
	if c == nil {
		return known
	}
	for i, id := range ids {
		known[i] = c.ids[id] || len(c.ids) >= maxIDs
	}
	return known
}

// take takes a request in.
func (l *live) take(n note) {
	l.mu.Lock()
	defer l.mu.Unlock()
	c := l.conversationOf(n)
	n.request.N = c.count
	l.add(c, n)
	l.count(c, n)
	l.note(c, n)
	l.evict()
	l.change()
}

func (l *live) change() {
	l.version++
	close(l.changed)
	l.changed = make(chan struct{})
}

// news returns the number of the last change and what is closed with the next one.
func (l *live) news() (int64, <-chan struct{}) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.version, l.changed
}

func (l *live) conversationOf(n note) *conversation {
	c := l.conversations[n.key]
	if c == nil {
		c = &conversation{
			key: n.key, account: n.account, tenant: n.tenant, first: n.request.At, ids: map[uint64]bool{}, refs: map[string]bool{},
		}
		l.conversations[n.key] = c
		l.totals.Conversation++
	}
	c.owner, c.dialect, c.model, c.upstream, c.last = n.owner, n.dialect, n.model, n.upstream, n.request.At.Add(n.request.Took)
	c.count++
	return c
}

// add adds a request to its conversation.
func (l *live) add(c *conversation, n note) {
	r := n.request
	c.requests = keepLast(append(c.requests, r), maxRequests)
	c.prompt += int64(r.Usage.Prompt())
	c.read += int64(r.Usage.CacheRead)
	if r.sent() {
		c.saved += int64(max(0, r.Before-r.After))
	}
	if r.New > 0 {
		c.fresh++
	}
	for _, id := range n.ids {
		c.ids[id] = true
	}
	for _, made := range n.cuts {
		made.Request = r.N
		if made.Ref != nil && !c.refs[made.Ref.ID] {
			c.refs[made.Ref.ID] = true
			l.totals.Refs++
		}
		if len(c.cuts) >= maxConversation {
			c.lost++
			continue
		}
		c.cuts = append(c.cuts, made)
		c.texts += len(made.Instead)
		l.texts += len(made.Instead)
	}
}

// sent reports whether a request went upstream, managed.
func (r request) sent() bool {
	return r.After > 0 && r.Decision != transport.Refused && r.Decision != transport.DryRun
}

// load is what was sent or, of a refusal, what the client asked for.
func (r request) load() int {
	if r.Decision == transport.Refused {
		return r.Before
	}
	return r.After
}

// over reports whether a request would have been too large for its window uncut.
func (r request) over() bool { return r.Window > 0 && r.Before > r.Window }

// count adds a request to the totals.
func (l *live) count(c *conversation, n note) {
	r, t := n.request, &l.totals
	t.Requests++
	if r.sent() {
		t.Uncut += int64(r.Before)
		t.Sent += int64(r.After)
		t.Exact = t.Exact && r.Exact
	}
	for _, is := range []struct {
		so  bool
		sum *int64
	}{
		{r.New > 0, &t.Cuts},
		{r.Decision == transport.Compacted, &t.Compactions},
		{r.over() && r.sent(), &t.Overflows},
		{r.Rescued, &t.Rescued},
		{r.Decision == transport.Refused, &t.Refused},
		{r.Decision == transport.Failed, &t.FailedOpen},
		{r.Warning != "", &t.Warned},
	} {
		if is.so {
			*is.sum++
		}
	}
	t.Rounds += int64(r.Rounds)
	l.recent = keepLast(append(l.recent, recent{c.key, c.model, c.dialect, c.tenant, r}), maxRecent)
}

// note remembers what is worth a look, and what models and upstreams were asked.
func (l *live) note(c *conversation, n note) {
	r := n.request
	switch {
	case r.Warning != "":
		l.warn(warning{r.At, c.key, r.N, "warning", r.Warning, 1})
	case r.Decision == transport.Refused:
		l.warn(warning{r.At, c.key, r.N, "refused", r.Failure, 1})
	}
	if u := seen(l.upstreams, n.upstream, maxUpstreams, func() *seenUpstream { return &seenUpstream{Host: n.upstream} }); u != nil && r.Decision != transport.Refused {
		u.Requests++
		u.Status, u.Last = r.Status, r.At
		if r.Status >= 500 || r.Status == 0 || r.Failure != "" {
			u.Failed++
			u.Failure = r.Failure
		}
	}
	if m := seen(l.models, n.model, maxModels, func() *seenModel { return &seenModel{Name: n.model} }); m != nil {
		m.Requests++
		m.Last, m.Exact = r.At, r.Exact
		if r.Limit > 0 {
			m.Limit, m.Window = r.Limit, r.Window
		}
		if r.Billed && r.Rounds == 0 && r.sent() {
			m.Estimated += int64(r.After)
			m.Billed += int64(r.Usage.Prompt())
		}
	}
}

// warn adds a warning; one that comes again is counted.
func (l *live) warn(w warning) {
	if n := len(l.warnings); n > 0 && l.warnings[n-1].Text == w.Text && l.warnings[n-1].Key == w.Key {
		w.Times = l.warnings[n-1].Times + 1
		l.warnings[n-1] = w
		return
	}
	l.warnings = keepLast(append(l.warnings, w), maxWarnings)
}

// seen returns the entry of a name, which is made if there is room for it.
func seen[T any](of map[string]*T, name string, most int, fresh func() *T) *T {
	is, ok := of[name]
	if !ok && name != "" && len(of) < most {
		is = fresh()
		of[name] = is
	}
	return is
}

// evict forgets the conversation that was quiet for longest, and texts of those, where
// there is too much.
func (l *live) evict() {
	for len(l.conversations) > maxConversations {
		oldest := l.quietest(func(*conversation) bool { return true })
		l.texts -= oldest.texts
		delete(l.conversations, oldest.key)
	}
	for l.texts > maxTexts {
		oldest := l.quietest(func(c *conversation) bool { return c.texts > 0 })
		if oldest == nil {
			return
		}
		cuts := slices.Clone(oldest.cuts) // pages may be reading the others
		for i := range cuts {
			if cuts[i].Instead != "" {
				cuts[i].Instead, cuts[i].More = "", true
			}
		}
		l.texts -= oldest.texts
		oldest.cuts, oldest.texts = cuts, 0
	}
}

func (l *live) quietest(of func(*conversation) bool) *conversation {
	var oldest *conversation
	for _, c := range l.conversations {
		if of(c) && (oldest == nil || c.last.Before(oldest.last)) {
			oldest = c
		}
	}
	return oldest
}

// bill remembers what everything has cost so far.
func (l *live) bill(now time.Time, a account.Account) {
	l.mu.Lock()
	defer l.mu.Unlock()
	next := cost{now, a.Paid + a.Summaries, a.Uncut, a.Requests}
	if n := len(l.costs); n > 0 && l.costs[n-1].Requests == next.Requests && l.costs[n-1].Paid == next.Paid {
		return
	}
	l.costs = append(l.costs, next)
	if len(l.costs) > maxCosts {
		l.costs = thinned(l.costs)
	}
	l.change()
}

// thinned leaves out every second entry but the first and the last.
func thinned(all []cost) []cost {
	var some []cost
	for i, c := range all {
		if i%2 == 0 || i == len(all)-1 {
			some = append(some, c)
		}
	}
	return some
}

// keepLast forgets what is too old, now and then: at most twice as much is kept.
func keepLast[T any](all []T, most int) []T {
	if len(all) >= 2*most {
		return slices.Clone(last(all, most))
	}
	return all
}

// last returns the newest entries, in a list that cannot be appended to.
func last[T any](all []T, most int) []T {
	return slices.Clip(all[max(0, len(all)-most):])
}

// copies of what pages show, taken at once.
func (l *live) list() []conversation {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := make([]conversation, 0, len(l.conversations))
	for _, c := range l.conversations {
		all = append(all, c.copy())
	}
	slices.SortFunc(all, func(a, b conversation) int {
		if d := b.last.Compare(a.last); d != 0 {
			return d
		}
		return strings.Compare(a.key, b.key)
	})
	return all
}

func (l *live) find(key string) (conversation, bool) {
	l.mu.RLock()
	defer l.mu.RUnlock()
	c, ok := l.conversations[key]
	if !ok {
		return conversation{}, false
	}
	return c.copy(), true
}

// copy is the conversation as it is now. Its lists are only appended to or replaced, so
// they can be shared; its maps are left out.
func (c *conversation) copy() conversation {
	is := *c
	is.requests, is.cuts = last(c.requests, maxRequests), slices.Clip(c.cuts)
	is.ids, is.refs = nil, maps.Clone(c.refs)
	return is
}

// owners are the tenants that requests came from.
func (l *live) owners() map[string]*store.Tenant {
	l.mu.RLock()
	defer l.mu.RUnlock()
	all := map[string]*store.Tenant{}
	for _, c := range l.conversations {
		if c.owner != nil {
			all[c.tenant] = c.owner
		}
	}
	return all
}
