package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/modelserver"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// Engine is a conversation. Its methods are safe for concurrent use; one line is
// worked on at a time.
type Engine struct {
	options   Options
	transport *transport.Transport
	client    *http.Client
	servers   *modelserver.Asker
	// tenant is our part of the store; nil without one.
	tenant *store.Tenant
	// working is held while a line is worked on.
	working sync.Mutex

	mu           sync.Mutex
	desk         Desk
	participants []Participant
	state        state
	session      string
	journal      *journal
	gauges       []Gauge
	attached     []Attachment
	// told are the participants of whom it was said that their tokens are estimated.
	told map[string]bool
	// contexts is how large the contexts are that servers run models with, as far as
	// they say so.
	contexts map[string]int
	// tell is where events of the line go that is worked on, nil if there is none;
	// warnings wait there for the next.
	tell     func(Event)
	warnings []string
}

// ErrQuit is what [Engine.Do] returns for /quit.
var ErrQuit = errors.New("quit")

// New returns an engine that goes on with the session of the options, or begins one.
func New(ctx context.Context, o *Options) (*Engine, error) {
	e := &Engine{told: map[string]bool{}, contexts: map[string]int{}}
	if o != nil {
		e.options = *o
	}
	if err := e.open(ctx); err != nil {
		return nil, errors.Join(err, e.journal.close())
	}
	return e, nil
}

// open makes the engine ready.
func (e *Engine) open(ctx context.Context) error {
	e.options.setDefaults()
	if err := e.restore(); err != nil {
		return err
	}
	if err := e.options.check(); err != nil {
		return err
	}
	if err := e.join(e.options.Participants); err != nil {
		return err
	}
	if _, err := e.keeper(); err != nil {
		return err
	}
	if e.options.Store != nil {
		e.tenant = e.options.Store.Tenant("")
	}
	var err error
	e.transport, err = transport.New(&transport.Options{
		Base: e.options.Base, Keeper: e.options.Keeper, Store: e.options.Store,
		Tenant: func(*http.Request) string { return "" }, Expand: e.options.Expand, Official: official, Observe: observe, Window: e.options.Window,
		Logger: e.options.Logger, Now: e.options.Now,
	})
	if err != nil {
		return err
	}
	e.client = &http.Client{Transport: e.transport}
	e.servers = modelserver.New(e.transport, time.Now)
	for _, p := range e.participants {
		if err := e.unnamed(ctx, p); err != nil {
			return err
		}
	}
	if e.session == "" {
		if err := e.begin(); err != nil {
			return err
		}
	}
	e.askContexts(ctx, false, e.participants...)
	e.refresh(ctx)
	return nil
}

// restore reads the session that the options name. What the options say besides wins
// over what it says.
func (e *Engine) restore() error {
	o := &e.options
	if o.Session != "" {
		path, err := sessionPath(o.Sessions, o.Session)
		if err != nil {
			return err
		}
		if err := e.resume(path); err != nil {
			return err
		}
	}
	was := e.state.settings
	if len(o.Participants) == 0 && o.Parse != nil {
		for _, spec := range was.Participants {
			p, err := o.Parse(spec)
			if err != nil {
				return err
			}
			o.Participants = append(o.Participants, p)
		}
	}
	set := was
	if o.System != "" {
		set.System = o.System
	}
	if o.Method != "" {
		set.Method = methodOf(o.Method)
	}
	if o.Limit != 0 {
		set.Limit = o.Limit
	}
	e.state.settings = set
	return nil
}

// resume takes a session on disk and reads it.
func (e *Engine) resume(path string) error {
	missing := func(err error) error {
		return &plimsoll.Error{
			Op: "continue the session " + e.options.Session, Code: plimsoll.CodeNotFound, Err: err,
			Hint: "run \"plimsoll chat --sessions\" to see those that there are",
		}
	}
	if _, err := os.Stat(path); err != nil {
		return missing(err)
	}
	e.session, e.journal = e.options.Session, &journal{path: path, now: e.options.Now}
	if err := e.journal.take(); err != nil {
		return err
	}
	s, err := readSession(path)
	if err != nil {
		return missing(err)
	}
	e.state = s
	return nil
}

func sessionPath(dir, id string) (string, error) {
	if dir == "" || !validID.MatchString(id) {
		return "", &plimsoll.Error{
			Op: "find the session", Code: plimsoll.CodeInvalid, Err: mistake{fmt.Errorf("%q is no name of a session", id)},
			Hint: "/sessions lists those that there are",
		}
	}
	return filepath.Join(dir, id+suffix), nil
}

// begin starts a session without a turn.
func (e *Engine) begin() error {
	id, err := newID(e.options.Now())
	if err != nil {
		return err
	}
	e.session = id
	e.journal = nil
	if e.options.Sessions != "" {
		e.journal = &journal{path: filepath.Join(e.options.Sessions, id+suffix), now: e.options.Now}
	}
	return nil
}

// join sets who takes part. Those who would be called alike get the name of their
// model, and a number if that does not help.
func (e *Engine) join(all []Participant) error {
	var joined []Participant
	for _, p := range all {
		base := p.Name
		taken := func(name string) bool {
			return slices.ContainsFunc(joined, func(q Participant) bool { return q.Name == name })
		}
		if taken(p.Name) && validName.MatchString(p.Model) {
			p.Name, base = p.Model, p.Model
		}
		for n := 2; taken(p.Name); n++ {
			p.Name = fmt.Sprintf("%s-%d", base, n)
		}
		joined = append(joined, p)
	}
	e.participants = joined
	e.state.settings.Participants = nil
	for _, p := range joined {
		e.state.settings.Participants = append(e.state.settings.Participants, p.Spec())
	}
	return nil
}

// Attend says how the person can be asked for more than a line.
func (e *Engine) Attend(d Desk) {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.desk = d
}

// Participants returns who takes part, in order.
func (e *Engine) Participants() []Participant {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.participants)
}

// Turns returns the history. It must not be changed.
func (e *Engine) Turns() []Turn {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state.turns
}

// Gauges says how full the contexts are, a gauge a participant. They are renewed
// before the event [Ended].
func (e *Engine) Gauges() []Gauge {
	e.mu.Lock()
	defer e.mu.Unlock()
	return slices.Clone(e.gauges)
}

// Session returns the name of the session, by which it can be continued.
func (e *Engine) Session() string {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.session
}

// Attached returns the names of what goes with the next message.
func (e *Engine) Attached() []string {
	e.mu.Lock()
	defer e.mu.Unlock()
	var names []string
	for _, a := range e.attached {
		names = append(names, a.Name)
	}
	return names
}

// Greet tells what a person should know at the start: what is wrong with the settings,
// which session goes on, whose limit is assumed, whose tokens are estimated.
func (e *Engine) Greet(tell func(Event)) {
	for _, problem := range e.options.Problems {
		tell(Notice{Kind: NoticeWarning, Text: problem.Error()})
	}
	if n := countTurns(e.Turns()); n > 0 {
		tell(Notice{Kind: NoticeDone, Text: fmt.Sprintf("continuing session %s with %s", e.Session(), plural(n, "turn"))})
	}
	for _, g := range e.Gauges() {
		if e.options.Assumed == nil {
			break
		}
		if n := e.options.Assumed(g.Model); n > 0 && n == g.Window { // else a limit was set, or learned
			tell(Notice{Kind: NoticeWarning, Text: fmt.Sprintf("the context window of %s is not known, so %s tokens are assumed: set it with --window, or windows in the settings", g.Model, Tokens(n, true))})
		}
	}
	e.tellEstimates(tell)
}

// Close ends everything that the engine opened; the store and the keepers are the
// caller's.
func (e *Engine) Close() error {
	return errors.Join(e.transport.Close(), e.journal.close())
}

// Do works on a line and returns when everything is over that it started. Tell is
// called by one goroutine at a time. An error means that the line was not taken.
func (e *Engine) Do(ctx context.Context, line string, tell func(Event)) error {
	if !e.working.TryLock() {
		return &plimsoll.Error{
			Op: "send", Code: plimsoll.CodeUnavailable, Err: errors.New("the line before is still being worked on"),
			Hint: "wait for its end, or stop it",
		}
	}
	defer e.working.Unlock()
	var mu sync.Mutex
	one := func(event Event) {
		mu.Lock()
		defer mu.Unlock()
		tell(event)
	}
	e.listen(one)
	defer func() {
		e.listen(nil)
		one(Ended{})
	}()
	line = strings.TrimSpace(line)
	if line == "" {
		return nil
	}
	var err error
	if name, arguments, ok := CutCommand(line); ok {
		err = e.command(ctx, name, arguments, one)
	} else {
		err = e.message(ctx, line, one)
	}
	if !errors.Is(err, ErrQuit) {
		e.refresh(context.WithoutCancel(ctx))
		e.tellEstimates(one)
	}
	return err
}

// listen says where events go, and tells what has waited for it.
func (e *Engine) listen(tell func(Event)) {
	e.mu.Lock()
	e.tell = tell
	var waiting []string
	if tell != nil {
		waiting, e.warnings = e.warnings, nil
	}
	e.mu.Unlock()
	for _, text := range waiting {
		tell(Notice{Kind: NoticeWarning, Text: text})
	}
}

// Warn tells something that went wrong outside of the conversation, such as a hook that
// failed: at once while a line is worked on, else with the next one.
func (e *Engine) Warn(text string) {
	e.mu.Lock()
	tell := e.tell
	if tell == nil {
		e.warnings = append(e.warnings, text)
	}
	e.mu.Unlock()
	if tell != nil {
		tell(Notice{Kind: NoticeWarning, Text: text})
	}
}

// commit writes a record and then does what it says.
func (e *Engine) commit(r record) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	r.At = e.options.Now()
	if e.journal != nil && e.journal.file == nil {
		if _, err := os.Stat(e.journal.path); err != nil && r.Kind != recordSettings {
			set := e.state.settings
			if err := e.journal.write(record{Kind: recordSettings, At: r.At, Settings: &set}); err != nil {
				return err
			}
		}
	}
	if err := e.journal.write(r); err != nil {
		return err
	}
	e.state.apply(r)
	return nil
}

// change writes new settings. A session that has no turn yet is not written for them.
func (e *Engine) change(set settings) error {
	e.mu.Lock()
	fresh := len(e.state.turns) == 0 && len(e.state.undo) == 0
	if fresh {
		e.state.settings = set
	}
	e.mu.Unlock()
	if fresh {
		return nil
	}
	return e.commit(record{Kind: recordSettings, Settings: &set})
}

// snapshot returns the state, which does not change any more.
func (e *Engine) snapshot() state {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.state
}

// keeper returns the one that is in force.
func (e *Engine) keeper() (*fit.Keeper, error) {
	return e.options.Keeper(e.snapshot().settings.Method)
}
