package demo

import (
	"cmp"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// DefaultWindow is the context window of a demonstration, in tokens: about a quarter
// of what the session takes.
const DefaultWindow = 64_000

// Proxy is what stands between the client and the model.
type Proxy struct {
	// Handler serves the APIs.
	Handler http.Handler
	// Content returns what a reference names.
	Content func(ctx context.Context, ref string) (string, error)
	// Account returns what was used and saved.
	Account func() account.Account
	// Close ends it.
	Close func() error
}

// Start puts a proxy in front of an upstream, with a window for every model. It tells
// what became of each request before the answer ends.
type Start func(ctx context.Context, upstream *url.URL, window int, tell func(transport.Exchange)) (*Proxy, error)

// Options configure a demonstration. All but Start may be left out.
type Options struct {
	Start Start
	// Dialect of the client; empty means the first of [Dialects].
	Dialect plimsoll.Dialect
	// Model that is asked for; empty means one that is usual for the dialect.
	Model string
	// Window is that of the model and of the proxy; 0 means [DefaultWindow].
	Window int
	// Pace is what the model waits before each answer, so that a user can watch.
	Pace time.Duration
	// Begin, if not nil, is called with the address of the proxy before anything is
	// played.
	Begin func(address string)
	// Tell, if not nil, hears of each request when it has been answered.
	Tell func(RequestResult)
	// Stay, if not nil, is called when everything has been played, with the address of
	// the proxy, which is served until it returns.
	Stay func(ctx context.Context, address string, r *Report)
}

// RequestResult is what became of one request of the client's.
type RequestResult struct {
	// N counts from 1, Of is how many there will be.
	N  int `json:"n"`
	Of int `json:"of"`
	// Does is what the model answered, in a few words.
	Does string `json:"does"`
	// Uncut is what the client sent, Sent what the model got, Limit the load line, in
	// tokens.
	Uncut int `json:"uncut_tokens"`
	Sent  int `json:"sent_tokens"`
	Limit int `json:"limit_tokens"`
	// Over says that the model's window had been too small for what the client sent.
	Over     bool   `json:"over"`
	Decision string `json:"decision"`
	Warning  string `json:"warning,omitempty"`
	// Refused is why the proxy refused the request; empty if it did not.
	Refused string `json:"refused,omitempty"`
	// Rungs say why something was cut, and Pieces what: all that had not been cut
	// before.
	Rungs  []plimsoll.RungReport `json:"rungs,omitempty"`
	Pieces []Piece               `json:"pieces,omitempty"`
	// Refs are new references that the model saw.
	Refs []string `json:"refs,omitempty"`
	// Looks are what the model had back, hidden from the client.
	Looks []Look `json:"looks,omitempty"`
	// Usage as it was billed to the client.
	Usage plimsoll.Usage `json:"usage"`
}

// Cut reports whether something was cut that had not been before.
func (r RequestResult) Cut() bool { return len(r.Pieces) > 0 }

// Run plays the session and says what it came to. An error means that the client would
// have noticed that something stood in between.
func Run(ctx context.Context, o *Options) (*Report, error) {
	d, err := dialectOf(o.Dialect)
	if err != nil {
		return nil, err
	}
	s, err := load()
	if err != nil {
		return nil, err
	}
	p := &play{options: o, session: s, dialect: d, model: cmp.Or(o.Model, d.model), window: cmp.Or(o.Window, DefaultWindow)}
	if p.history, err = render(s, d, p.model); err != nil {
		return nil, fmt.Errorf("demo: write the session as a client would: %w", err)
	}
	return p.run(ctx)
}

// play is a demonstration under way.
type play struct {
	options *Options
	session *session
	history *clientHistory
	dialect dialect
	model   string
	window  int

	role  *role
	proxy *Proxy
	told  chan transport.Exchange
	known known
	// answers are what tools of the proxy's have answered.
	answers map[string]bool
}

func (p *play) run(ctx context.Context) (*Report, error) {
	begun := time.Now()
	p.role = &role{session: p.session, pace: p.options.Pace}
	p.told = make(chan transport.Exchange, 8)
	p.known, p.answers = known{map[string]bool{}}, map[string]bool{}
	upstream, stop, err := serve(ctx, scripted.New(&scripted.Options{
		Window: p.window, Script: p.role.next, Models: []string{p.model}, Remember: 1,
	}))
	if err != nil {
		return nil, err
	}
	defer stop()
	p.proxy, err = p.options.Start(ctx, upstream, p.window, p.tell)
	if err != nil {
		return nil, err
	}
	defer p.proxy.Close()
	address, stopProxy, err := serve(ctx, p.proxy.Handler)
	if err != nil {
		return nil, err
	}
	defer stopProxy()
	if p.options.Begin != nil {
		p.options.Begin(address.String())
	}
	report, err := p.requests(ctx, address.String())
	p.role.end()
	if err != nil {
		return nil, err
	}
	report.Seconds = time.Since(begun).Seconds()
	if p.options.Stay != nil {
		p.options.Stay(ctx, address.String(), report)
	}
	return report, nil
}

// tell takes what the proxy says about a request.
func (p *play) tell(e transport.Exchange) {
	select {
	case p.told <- e:
	default: // the player does not wait for it any more
	}
}

// requests sends one request after the other and adds up what became of them.
func (p *play) requests(ctx context.Context, base string) (*Report, error) {
	at, err := url.Parse(base)
	if err != nil {
		return nil, err
	}
	c := &client{
		http: &http.Client{Transport: &http.Transport{}}, dialect: p.dialect,
		address: dialects.Endpoint(p.dialect.name, at, p.model, true).String(),
	}
	defer c.http.CloseIdleConnections()
	report := &Report{Dialect: p.dialect.name, Model: p.model, Window: p.window}
	var before seenSession
	for i, s := range p.session.steps {
		scene := p.role.begin(s)
		got, err := c.ask(ctx, p.history.body(s.upTo))
		if err != nil {
			err = &plimsoll.Error{Op: fmt.Sprintf("demo: request %d of %d", i+1, len(p.session.steps)), Err: err}
			if got.decision != string(transport.Refused) || report.Requests == report.Refused {
				return nil, err
			}
			p.tellRefused(report, i, got, err)
			continue
		}
		if !sameAnswer(s.says, got.said.Message) {
			return nil, fmt.Errorf("demo: request %d of %d: the client got another answer than the model gave: %q", i+1, len(p.session.steps), describe(got.said.Message))
		}
		r := p.describe(i, scene, got)
		if err := p.compare(ctx, r.Looks); err != nil {
			return nil, err
		}
		r.Pieces, before = scene.saw.since(before, p.session), scene.saw
		r.Refs = p.known.add(scene.saw)
		p.tellOf(report, r)
	}
	return report, p.settle(ctx, report)
}

func (p *play) tellOf(report *Report, r RequestResult) {
	report.add(r)
	if p.options.Tell != nil {
		p.options.Tell(r)
	}
}

// tellRefused tells of a request that the proxy has refused. The session goes on: a later
// turn may fit again.
func (p *play) tellRefused(report *Report, i int, got reply, err error) {
	p.heard(got)
	p.tellOf(report, RequestResult{
		N: i + 1, Of: len(p.session.steps), Does: "nothing", Uncut: got.load, Limit: cmp.Or(got.limit, p.window),
		Over: got.load > p.window, Decision: got.decision, Refused: err.Error(),
	})
}

// describe says what became of a request.
func (p *play) describe(i int, s *scene, got reply) RequestResult {
	r := RequestResult{
		N: i + 1, Of: len(p.session.steps), Does: describe(s.step.says),
		Sent: got.load, Uncut: got.load + got.saved, Limit: cmp.Or(got.limit, p.window),
		Decision: got.decision, Warning: got.warning, Looks: s.looks, Usage: got.said.Usage,
	}
	if got.load == 0 {
		r.Sent, r.Uncut = got.said.Usage.Prompt(), got.said.Usage.Prompt()
	}
	if e, ok := p.heard(got); ok {
		r.Rungs, r.Warning = e.Rungs, e.Warning // which may be of after the header
	}
	r.Over = r.Uncut > p.window
	return r
}

// heard waits for what the proxy has to say about a request. It says it before the
// answer ends, and nothing where it did nothing.
func (p *play) heard(got reply) (transport.Exchange, bool) {
	if got.decision == "" {
		return transport.Exchange{}, false
	}
	select {
	case e := <-p.told:
		return e, true
	case <-time.After(time.Second):
		return transport.Exchange{}, false
	}
}

// compare holds what the model had back against the recording.
func (p *play) compare(ctx context.Context, looks []Look) error {
	for i := range looks {
		content, err := p.content(ctx, looks[i].Ref)
		if err != nil {
			return err
		}
		p.answers[looks[i].answer] = true
		looks[i].Lines, looks[i].Same = looks[i].compare(content)
		looks[i].Same = looks[i].Same && p.recorded(content)
	}
	return nil
}

// content is what a reference stands for that the model was given.
func (p *play) content(ctx context.Context, ref string) (string, error) {
	content, err := p.proxy.Content(ctx, ref)
	if err != nil {
		return "", fmt.Errorf("demo: the model was given the reference %s: %w", ref, err)
	}
	return content, nil
}

// settle compares what the references stand for with the recording and asks what
// everything came to.
func (p *play) settle(ctx context.Context, report *Report) error {
	for _, ref := range p.known.all() {
		content, err := p.content(ctx, ref)
		if err != nil {
			return err
		}
		report.Refs++
		if p.recorded(content) {
			report.Same++
		}
	}
	report.settle(p.proxy.Account())
	return nil
}

// serve listens on a free port of this machine.
func serve(ctx context.Context, h http.Handler) (address *url.URL, stop func(), err error) {
	listener, err := (&net.ListenConfig{}).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, nil, &plimsoll.Error{Op: "demo: listen", Code: plimsoll.CodeUnavailable, Err: err, Hint: "the demonstration needs a free port on 127.0.0.1"}
	}
	server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = server.Serve(listener) // ends when it is closed
	}()
	return &url.URL{Scheme: "http", Host: listener.Addr().String()}, func() {
		_ = server.Close()
		<-done
	}, nil
}
