package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/token"
)

// Options say what is played. The zero value plays the usual policies for every
// session by the prices and the window of its own model.
type Options struct {
	// Policies by name; nil means [Defaults]. [None] is always played, because the
	// others are compared with it.
	Policies []string
	// Prices by name, of [plan.Lists] or of a model; empty means those of each
	// session's model.
	Prices string
	// Window in tokens; 0 means that of each session's model, 200,000 if that is
	// unknown.
	Window int
	// Reserve is kept free of the window for the answer; nil means what each policy
	// reserves.
	Reserve *int
	// Serve returns the options of a server's keeper, for the policy [Serve].
	Serve func() (*fit.Options, error)
	// MinContext leaves out sessions that weigh less.
	MinContext int
	// Refetch charges for reading again what can no longer be seen.
	Refetch bool
	// Offer are the tools that a conversation is given with its first cut, as a proxy
	// gives them; nil means none.
	Offer []plimsoll.Tool
	// Alpha and MinGap are those of [plan.Rent]; KeepNewest, Tail and Size those of
	// the rungs; 0 means their own.
	Alpha      float64
	MinGap     int
	KeepNewest int
	Tail, Size int
	// Workers is how many sessions are played at a time; 0 means one for each core.
	Workers int
	// Registry knows models; nil means the built-in one.
	Registry *model.Registry
	// Progress, if not nil, is called after each session; calls are not concurrent.
	Progress func(Progress)
}

// Progress says how far a replay is.
type Progress struct {
	// Session that was played, and how many sessions and calls that makes.
	Session  string
	Sessions int
	Calls    int
	// Share of the files that was read.
	Share float64
}

// minCalls is how many calls a session must have to say anything about policies.
const minCalls = 5

// defaultWindow is assumed of unknown models.
const defaultWindow = 200_000

// lab is one replay.
type lab struct {
	*Options
	policies []policy
	prices   *rent.Prices
	meter    *token.Meter
}

// Run plays all sessions of the files.
func Run(ctx context.Context, files []string, o *Options) (*Report, error) {
	l, err := newLab(o)
	if err != nil {
		return nil, err
	}
	report := newReport(l)
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	sessions := make(chan numbered)
	played := make(chan *Played)
	go func() {
		defer close(sessions)
		if err := feed(ctx, files, sessions); err != nil {
			cancel(err)
		}
	}()
	var workers sync.WaitGroup
	for range l.workers() {
		workers.Go(func() {
			for s := range sessions {
				p, err := l.session(ctx, s)
				if err != nil {
					cancel(err)
					return
				}
				select {
				case played <- p:
				case <-ctx.Done():
					return
				}
			}
		})
	}
	go func() {
		workers.Wait()
		close(played)
	}()
	report.collect(played)
	if err := context.Cause(ctx); err != nil {
		return nil, err
	}
	return report, report.finish()
}

// numbered is a session with its place among all.
type numbered struct {
	number  int
	session *Session
	// share of the files that was read with it.
	share float64
}

// feed reads the files one after the other.
func feed(ctx context.Context, files []string, sessions chan<- numbered) error {
	number, done, all := 0, int64(0), sizeOf(files)
	for _, file := range files {
		r, err := Open(file)
		if err != nil {
			return err
		}
		for {
			s, err := r.Next()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				r.Close()
				return err
			}
			select {
			case sessions <- numbered{number, s, float64(done+r.taken.n) / float64(max(1, all))}:
				number++
			case <-ctx.Done():
				r.Close()
				return ctx.Err()
			}
		}
		done += r.taken.n
		if err := r.Close(); err != nil {
			return &plimsoll.Error{Op: "replay " + file, Err: err}
		}
	}
	return nil
}

// sizeOf is what the files have together; those that are not there are found out
// about when they are opened.
func sizeOf(files []string) int64 {
	all := int64(0)
	for _, file := range files {
		if info, err := os.Stat(file); err == nil {
			all += info.Size()
		}
	}
	return all
}

func newLab(o *Options) (*lab, error) {
	if o == nil {
		o = &Options{}
	}
	with := *o
	l := &lab{Options: &with, meter: token.NewMeter(nil)}
	if l.Registry == nil {
		l.Registry = model.Default()
	}
	if l.Policies == nil {
		l.Policies = Defaults()
	}
	names := slices.Clone(l.Policies)
	if !slices.Contains(names, None) {
		names = append([]string{None}, names...)
	}
	for _, name := range names {
		if name == Serve && o.Serve == nil {
			return nil, &plimsoll.Error{Op: "replay", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("policy serve without settings: %w", plimsoll.ErrInvalid), Hint: "set Options.Serve"}
		}
		p, err := policyOf(name)
		if err != nil {
			return nil, err
		}
		l.policies = append(l.policies, p)
	}
	if l.Prices != "" {
		prices, err := PricesOf(l.Prices, l.Registry)
		if err != nil {
			return nil, err
		}
		l.prices = &prices
	}
	return l, nil
}

func (l *lab) workers() int {
	if l.Workers > 0 {
		return l.Workers
	}
	return runtime.GOMAXPROCS(0)
}

// PricesOf returns prices by the name of a list or of a model.
func PricesOf(name string, r *model.Registry) (rent.Prices, error) {
	if p, ok := rent.Listed(name); ok {
		return p, nil
	}
	m, err := r.Lookup(name)
	if err != nil || m.Prices.Input <= 0 {
		return rent.Prices{}, &plimsoll.Error{
			Op: "replay", Code: plimsoll.CodeInvalid, Err: fmt.Errorf("prices %q: %w", name, plimsoll.ErrNotFound),
			Hint: "choose from " + listed() + ", or name a model whose prices are known (plimsoll models)",
		}
	}
	return rent.Of(m), nil
}

// session plays one session under all policies.
func (l *lab) session(ctx context.Context, s numbered) (*Played, error) {
	t := newTrack(s.session, l.meter)
	l.equip(t)
	p := &Played{number: s.number, window: t.window, share: s.share, ID: t.id, Calls: len(t.calls), Tokens: t.raw, Base: t.base, baseFrom: t.baseFrom}
	if len(t.calls) < minCalls || t.raw < l.MinContext {
		p.skipped = true
		return p, nil
	}
	if l.Window > 0 && l.Window <= t.base {
		return nil, &plimsoll.Error{
			Op: "replay " + t.id, Code: plimsoll.CodeInvalid,
			Err:  fmt.Errorf("a window of %s tokens has no room: system and tools take %s (%s)", grouped(l.Window), grouped(t.base), t.baseFrom),
			Hint: "choose a larger window",
		}
	}
	p.Optimum = t.optimum(classOf(t))
	p.counts = countErrors(s.session)
	for _, policy := range l.policies {
		out, err := t.play(ctx, policy, l.Options)
		if err != nil {
			return nil, fmt.Errorf("policy %s: %w", policy.name, err)
		}
		p.outcomes = append(p.outcomes, out)
	}
	return p, nil
}

// equip finds the window and the prices of a session.
func (l *lab) equip(t *track) {
	m, err := l.Registry.Lookup(t.conversation.Model)
	t.window, t.prices = l.Window, rent.Conservative()
	if err == nil {
		t.prices = rent.Of(m)
	}
	if l.prices != nil {
		t.prices = *l.prices
	}
	if t.window == 0 {
		t.window = defaultWindow
		if m.Limit() > 0 {
			t.window = m.Limit()
		}
	}
}
