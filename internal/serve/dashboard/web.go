package dashboard

import (
	"context"
	"html/template"
	"log/slog"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/lang"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
)

// Root is the path that all pages are under.
const Root = "/plimsoll/"

// Options say where a dashboard has its facts from. Functions that are nil leave out
// what they would tell; the others are called when a page is asked for.
type Options struct {
	// Store has accounts and contents; nil means that there are none.
	Store *store.Store
	// Models knows prices; nil means [model.Default].
	Models *model.Registry
	// Limit returns the context limit of a model, as it is configured or known.
	Limit func(name string) model.Limit
	// Learned returns the limits that upstreams have told.
	Learned func() []transport.LearnedLimit
	// Drift compares estimates with bills.
	Drift func() []token.Drift
	// Account is what all requests used and saved since the start. It is called after
	// each request and must not block.
	Account func() account.Account
	// Flights returns how many requests are under way, those for pages of the dashboard
	// among them, and how many of them wait.
	Flights func() (requests, waiting int)
	// Ready reports whether the store answers.
	Ready func(context.Context) error
	// Setup is what the process runs with.
	Setup Setup
	// Logger gets failures of the dashboard; nil means no log.
	Logger *slog.Logger
	// Now is the clock; nil means the system's.
	Now func() time.Time
}

// Setup is what a process runs with, for people.
type Setup struct {
	Version string `json:"version"`
	// Store names where content is kept, Summaries who writes summaries.
	Store     string `json:"store"`
	Summaries string `json:"summaries"`
	// Upstreams are the servers that are asked.
	Upstreams []Upstream `json:"upstreams"`
	// Settings in force, and Problems with them.
	Settings []Setting `json:"settings"`
	Problems []string  `json:"problems"`
}

// Upstream is a server that is asked.
type Upstream struct {
	// API in a word, such as "openai".
	API     string `json:"api"`
	Address string `json:"address"`
}

// Setting is a setting in force and where it came from.
type Setting struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Origin string `json:"origin"`
	// Default says that it was not set.
	Default bool   `json:"default"`
	Help    string `json:"help"`
}

// Dashboard serves the pages. It is safe for concurrent use.
type Dashboard struct {
	options Options
	// pages are the templates by language and name.
	pages  map[string]map[string]*template.Template
	mux    *http.ServeMux
	live   *live
	ledger ledger

	queue   chan note
	dropped atomic.Int64
	// closed ends what waits for news.
	closed chan struct{}
	once   sync.Once
	done   sync.WaitGroup
	// serving is how many requests are being answered here, streams how many of them
	// wait for news.
	serving, streams atomic.Int64
}

var _ http.Handler = (*Dashboard)(nil)

// queued is how many requests may wait to be taken in.
const queued = 256

// New returns a dashboard, which is to be closed. Nil options mean the zero value.
func New(o *Options) *Dashboard {
	d := &Dashboard{queue: make(chan note, queued), closed: make(chan struct{})}
	if o != nil {
		d.options = *o
	}
	d.options.setDefaults()
	d.pages = map[string]map[string]*template.Template{}
	for _, in := range []lang.Printer{lang.Locale("en"), lang.Locale("ja")} {
		d.pages[in.Tag()] = parsePages(in)
	}
	d.live = newLive(d.options.Now())
	d.ledger.store, d.ledger.now = d.options.Store, d.options.Now
	d.mux = d.routes()
	d.done.Go(d.work)
	return d
}

func (o *Options) setDefaults() {
	if o.Models == nil {
		o.Models = model.Default()
	}
	if o.Account == nil {
		o.Account = func() account.Account { return account.Account{} }
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
}

// Close ends the streams of news and forgets what comes from now on. Pages can still be
// asked for.
func (d *Dashboard) Close() error {
	d.once.Do(func() { close(d.closed) })
	d.done.Wait()
	return nil
}

// Watch takes a request in, to be given to [transport.Options]. It never waits: if too
// many requests come at once some of them are left out.
func (d *Dashboard) Watch(ctx context.Context, s transport.Event) {
	defer func() {
		if bug := recover(); bug != nil {
			d.dropped.Add(1)
			d.options.Logger.ErrorContext(ctx, "the dashboard could not take a request in", "error", bug)
		}
	}()
	n := newNote(s, d.live.knows)
	select {
	case <-d.closed:
	case d.queue <- n:
	default:
		d.dropped.Add(1)
	}
}

// settle is how long after a request its bill is looked at: it is settled beside the
// answer.
const settle = 300 * time.Millisecond

// work takes in what waits, one request after the other.
func (d *Dashboard) work() {
	var later <-chan time.Time
	for {
		select {
		case <-d.closed:
			return
		case n := <-d.queue:
			d.live.take(n)
			d.live.bill(d.options.Now(), d.options.Account())
			later = time.After(settle)
		case <-later:
			d.live.bill(d.options.Now(), d.options.Account())
			later = nil
		}
	}
}
