package fit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/summary"
)

// Options configure a [Keeper]. Package preset fills them for the usual cases.
type Options struct {
	// Meter weighs conversations. Required.
	Meter plimsoll.Meter
	// Best, if not nil, comes nearer to what is billed than Meter, which is an estimate of
	// the preset's. Meter decides first. What is over its line by Best after that is cut
	// by Best. Plans, events and [Keeper.Weigh] have the figures of Best.
	Best plimsoll.Meter
	// Model is assumed for conversations that name none.
	Model string
	// Window is that of every model, in tokens; 0 means that Limits says it.
	Window int
	// Reserve is kept free of every window for the answer; 0 is a value. Nil means what
	// [ReserveFor] says.
	Reserve *int
	// Limits returns the line for a conversation. It is called where Window is 0.
	Limits func(plimsoll.Conversation) (plimsoll.Line, error)
	// Marks say when to act and how far to go.
	Marks Watermarks
	// Keep says how much of the newest part must survive.
	Keep Keep
	// Loose lets rungs part calls from their results.
	Loose bool
	// Pins choose messages that stay as they are.
	Pins []Pin
	// Arrival lists rungs that are applied whatever the load is. Rungs are applied in
	// order to a conversation over its line, until it reaches the goal.
	Arrival, Rungs []Rung
	// Archive keeps what rungs take out. Nil means that it cannot be read again.
	Archive Archive
	// Sticky cuts every later request of a conversation as the one before was cut, so
	// that prompt caches stay valid. Checkpoints are always sticky.
	Sticky bool
	// Recollect puts passages of missing messages before the newest question, if they
	// match it.
	Recollect bool
	// Memory keeps decisions for later requests and other processes. Nil means that
	// only the keeper remembers, within bounds.
	Memory Memory
	// Anchored counts each conversation from its last bill on: by Best if there is one.
	Anchored bool
	// Policy says when to cut before the line is reached. Nil means never.
	Policy Policy
	// Now is the clock of policy and accounts; nil means the system's.
	Now func() time.Time
	// Hooks are called before and after a compaction.
	Hooks Hooks
	// Events, if not nil, receives what users may want to see. It must not block.
	Events func(Event)
	// Recount, if not nil, counts a compacted conversation once more, for meters that
	// only estimate.
	Recount func(context.Context, plimsoll.Conversation) (int, error)
	// CountsAgain lets the server of a task count the compacted request, by
	// [Task.Recount]. If it cannot be counted, there is no checkpoint.
	CountsAgain bool
	// Cost, if not nil, returns the price in dollars of a call, and whether it is
	// known.
	Cost func(model string, u plimsoll.Usage) (float64, bool)
	// CacheLife, if not nil, returns how long a model's prompt cache keeps an unused
	// prefix; nil means five minutes. The accounts need it.
	CacheLife func(model string) time.Duration
}

// Watermarks are fractions of the limit.
type Watermarks struct {
	// High is where rungs must act; 0 means 1.
	High float64
	// Low is how much a cut keeps of a conversation that goes on; 0 means High. Where
	// little can be removed, rungs aim no lower than half-way between that and the limit.
	Low float64
	// First is how much a cut keeps of a conversation that the keeper has not seen before:
	// it may not be seen again, so no room for later requests is needed. 0 means Low.
	First float64
	// Soft is where a checkpoint that needs a model is begun in the background; 0
	// means that it is begun when it is needed.
	Soft float64
	// Room is the share of the limit above system and tools that is free after a cut of a
	// conversation that goes on, as far as that needs no checkpoint and drops no turn. Each
	// cut invalidates the prompt cache, so it is rare and deep. 0 means that Low says how
	// far to go.
	Room float64
}

// Task is a conversation to fit, with what holds for it alone.
type Task struct {
	Conversation plimsoll.Conversation
	// Line replaces the keeper's own; nil means that of the scope, else the keeper's.
	Line *plimsoll.Line
	// Pins beside those of the keeper.
	Pins []Pin
	// Keep lists messages that must survive, by index; tool results in them may be
	// cut. Results whose calls the provider has belong here.
	Keep []int
	// Raw returns the bytes of message i for the archive. The bytes must not change.
	// Nil means a neutral form.
	Raw func(i int) []byte
	// Scope says whose conversation it is.
	Scope Scope
	// Archive and Memory replace the keeper's own; nil means the keeper's.
	Archive Archive
	Memory  Memory
	// Chain returns the identity of every prefix: entry i is that of the first i
	// messages. Nil means that it follows from what the messages say. The keeper
	// mixes the scope in.
	Chain func() []plimsoll.Digest
	// Encode writes a draft as a request body. Nil means that there is no body.
	Encode func(*plimsoll.Draft) ([]byte, error)
	// Nameless says that the body names no model, so that only the client's own server
	// takes it.
	Nameless bool
	// Parse reads a list of messages in the form that Raw returns. Nil means the
	// neutral form.
	Parse func(list []byte) ([]plimsoll.Message, error)
	// Offer are tools that read what was cut. They are added with the first cut that
	// leaves a reference, and to every later request of the conversation. A tool is
	// left out if the conversation has one of its name, or if there is no room.
	Offer []plimsoll.Tool
	// OfferAlways adds them from the first request on.
	OfferAlways bool
	// NoReader says that the model has no tool that reads what was cut, and gets none.
	// The texts that replace it then name it by archived= instead of ref=, which models
	// take for an invitation to call one.
	NoReader bool
	// GoesOn says that later requests follow, even if the keeper has not seen the
	// conversation before, so that a cut goes down to the low mark.
	GoesOn bool
	// Ask sends the body of a request for a model to the client's own server, with the
	// client's credentials. Summarisers may use it while a call of the keeper lasts, and
	// never after it. Nil means that there is no such server.
	Ask summary.Sender
	// Recount asks the client's own server how many tokens a body has; 0 if it does not
	// count. Nil means that there is no such server. See [Options.CountsAgain].
	Recount func(ctx context.Context, body []byte) (int, error)
	// Check reports why the provider would refuse the draft, whose body is given where
	// Encode is set. Nil means that only the rules that all APIs share are checked.
	Check func(d *plimsoll.Draft, body []byte) error
	// Count asks the server how many tokens the prompt of a body has; 0 if it does not tell.
	// Such a count is as good as a bill. It needs Encode. Nil means that the server does not count.
	Count func(body []byte) int
	// Truncated is called by Observe if the bill is not for all of the prompt, which has at
	// least so many tokens. The keeper learns nothing from such a bill. Nil means that the
	// server counts all of a prompt or refuses it.
	Truncated func(least int)

	prefixes, links []plimsoll.Digest
	scopeKey        string
	counted         *anchor // what the server has counted, in the form of a bill
}

// Keeper keeps conversations under their load line. It is safe for concurrent use.
type Keeper struct {
	options   Options
	compactor Compactor
	decisions *lru.Map[scoped, *cutList]
	breakers  *lru.Map[scoped, breaker]
	states    *lru.Map[scoped, policyMemo]
	// stored has tool outputs that need not be stored again.
	stored *lru.Map[tenantRef, struct{}]
	// begun has how many messages the first request of a conversation had.
	begun    *lru.Map[scoped, int]
	inflight inflight
	books    *books

	recollections *lru.Map[scoped, *recollection]
	indexes       *lru.Map[scoped, missingIndex]
}

// New returns a keeper.
func New(o *Options) (*Keeper, error) {
	if o == nil || o.Meter == nil {
		return nil, &plimsoll.Error{Op: "new keeper", Err: fmt.Errorf("no meter: %w", plimsoll.ErrInvalid), Hint: "use package preset, or set Options.Meter"}
	}
	k := &Keeper{
		options: *o, compactor: o.compactor(),
		decisions: lru.New[scoped, *cutList](recentDecisions, nil),
		breakers:  lru.New[scoped, breaker](recentBreakers, nil),
		states:    lru.New[scoped, policyMemo](recentStates, nil),
		stored:    lru.New[tenantRef, struct{}](recentStates, nil),
		begun:     lru.New[scoped, int](recentStates, nil),
		books:     newBooks(),

		recollections: lru.New[scoped, *recollection](recentRecollections, nil),
		indexes:       lru.New(indexBytes, func(_ scoped, x missingIndex) int { return x.bytes }),
	}
	if k.options.Marks.High == 0 {
		k.options.Marks.High = 1
	}
	if k.options.Marks.Low == 0 {
		k.options.Marks.Low = k.options.Marks.High
	}
	if k.options.Marks.First == 0 {
		k.options.Marks.First = k.options.Marks.Low
	}
	if m := k.options.Marks; m.Low < 0 || m.Low > m.First || m.First > m.High || m.High > 1 {
		return nil, &plimsoll.Error{Op: "new keeper", Err: fmt.Errorf("marks %v, %v and %v: %w", m.Low, m.First, m.High, plimsoll.ErrInvalid), Hint: "want 0 < low ≤ first ≤ high ≤ 1"}
	}
	if m := k.options.Marks; m.Soft < 0 || m.Soft > m.High {
		return nil, &plimsoll.Error{Op: "new keeper", Err: fmt.Errorf("soft mark %v: %w", m.Soft, plimsoll.ErrInvalid), Hint: "want 0 ≤ soft ≤ high"}
	}
	if m := k.options.Marks; m.Room < 0 || m.Room >= 1 {
		return nil, &plimsoll.Error{Op: "new keeper", Err: fmt.Errorf("room %v: %w", m.Room, plimsoll.ErrInvalid), Hint: "want 0 ≤ room < 1"}
	}
	if o.Reserve != nil && *o.Reserve < 0 {
		return nil, &plimsoll.Error{Op: "new keeper", Err: fmt.Errorf("reserve %d: %w", *o.Reserve, plimsoll.ErrInvalid), Hint: "want 0 or more tokens"}
	}
	if o.Window == 0 && o.Limits == nil {
		return nil, &plimsoll.Error{Op: "new keeper", Err: fmt.Errorf("no window: %w", plimsoll.ErrInvalid), Hint: "set Options.Window or Options.Limits"}
	}
	return k, nil
}

// Fit makes the conversation fit and stores what was taken out. Under its line the
// conversation stays as it is. The error is a [plimsoll.OverloadError] if it cannot
// be made to fit.
func (k *Keeper) Fit(ctx context.Context, t Task) (*plimsoll.Plan, error) {
	return k.counting(ctx, t, k.fit)
}

func (k *Keeper) fit(ctx context.Context, t Task) (*plimsoll.Plan, error) {
	w, err := k.walk(ctx, &t, walkOptions{})
	if err == nil {
		err = w.commit(ctx)
	}
	w.release()
	if err != nil {
		return k.withoutArchive(ctx, &t, walkOptions{}, err)
	}
	k.beginCheckpoint(&t, w)
	return w.plan, nil
}

// Plan returns what Fit would do. It has no side effects.
func (k *Keeper) Plan(ctx context.Context, t Task) (*plimsoll.Plan, error) {
	return k.counting(ctx, t, k.plan)
}

func (k *Keeper) plan(ctx context.Context, t Task) (*plimsoll.Plan, error) {
	w, err := k.walk(ctx, &t, walkOptions{dry: true})
	if err != nil {
		return k.withoutArchive(ctx, &t, walkOptions{dry: true}, err)
	}
	return w.plan, nil
}

// Weigh returns the load of the task's conversation before any cut, as Plan and Fit report
// it: the last bill that was observed, and the weight of what came since.
func (k *Keeper) Weigh(ctx context.Context, t Task) plimsoll.Load {
	k.complete(&t)
	line, _ := k.lineOf(&t) // a model without a line is weighed all the same
	load, _ := k.anchor(ctx, &t, k.estimates(line))
	return load
}

// withoutArchive walks once more if the archive failed: without it, and without
// compaction, which could not be undone.
func (k *Keeper) withoutArchive(ctx context.Context, t *Task, o walkOptions, err error) (*plimsoll.Plan, error) {
	var archive *archiveError
	if !errors.As(err, &archive) || ctx.Err() != nil {
		return nil, err
	}
	t.Archive, o.noCompaction = nil, true
	w, err := k.walk(ctx, t, o)
	if err != nil {
		return nil, err
	}
	w.plan.Degraded = archive.Error()
	return w.plan, nil
}

// Line returns the line for a conversation.
func (k *Keeper) Line(c plimsoll.Conversation) (plimsoll.Line, error) {
	if k.options.Window > 0 {
		return k.LineWithin(k.options.Window, 0, c), nil
	}
	if c.Model == "" {
		c.Model = k.options.Model
	}
	line, err := k.options.Limits(c)
	if err != nil {
		return plimsoll.Line{}, &plimsoll.Error{Op: "fit", Err: err, Hint: "name a known model, or set a window"}
	}
	if c.Window > 0 && c.Window < line.Window {
		return k.LineWithin(c.Window, 0, c), nil
	}
	return k.reserving(line), nil
}

// LineWithin returns the line for a conversation in a window or under a limit that a user
// names; the limit wins if it is not 0. A limit is a window of which nothing is reserved. If
// the request asks the server for a smaller window, that is the model's own.
func (k *Keeper) LineWithin(window, limit int, c plimsoll.Conversation) plimsoll.Line {
	if limit > 0 {
		if c.Window > 0 {
			limit = min(limit, c.Window)
		}
		return plimsoll.Line{Window: limit}
	}
	if c.Window > 0 && c.Window <= window {
		return k.reserving(plimsoll.Line{Window: c.Window, Reserve: ReserveFor(c.Window, c.MaxOutput, false)})
	}
	return k.reserving(plimsoll.Line{Window: window, Reserve: ReserveFor(window, c.MaxOutput, true)})
}

// reserving returns the line with the reserve of the options, if that is set.
func (k *Keeper) reserving(line plimsoll.Line) plimsoll.Line {
	if k.options.Reserve != nil {
		line.Reserve = *k.options.Reserve
	}
	return line
}

// ReserveFor returns what to keep free of a window if no reserve is set: maxOutput, the
// answer that the request asks for, within bounds; else a sixteenth, at most 8,192, and
// from 2,048 tokens on, the smallest window of a real model, at least 256. The provider
// refuses a prompt that does not leave room for the answer in the model's own window, so
// the bound is half of it. In a window that a user names it is a quarter, at most 4,096
// tokens, or a sixteenth if that is more: clients ask for far longer answers than they get.
func ReserveFor(window, maxOutput int, named bool) int {
	switch {
	case maxOutput <= 0 && window < 2048:
		return window / 16
	case maxOutput <= 0:
		return min(max(window/16, 256), 8192)
	case named:
		return min(maxOutput, max(window/16, min(window/4, 4096)))
	}
	return min(maxOutput, window/2)
}

func (k *Keeper) lineOf(t *Task) (plimsoll.Line, error) {
	switch s := t.Scope; {
	case t.Line != nil:
		return *t.Line, nil
	case s.Window > 0 || s.Limit > 0:
		return k.LineWithin(s.Window, s.Limit, t.Conversation), nil
	}
	return k.Line(t.Conversation)
}

// complete gives the task what the keeper has for it: model, archive and memory. The name of
// the model becomes independent of the request's bytes: what the keeper remembers must not
// hold the request in memory.
func (k *Keeper) complete(t *Task) {
	t.Conversation.Model = strings.Clone(cmp.Or(t.Conversation.Model, k.options.Model))
	if t.Archive == nil {
		t.Archive = k.options.Archive
	}
	if t.Memory == nil {
		t.Memory = k.options.Memory
	}
}

func (o *Options) now() time.Time {
	if o.Now != nil {
		return o.Now()
	}
	return time.Now()
}

func (k *Keeper) tell(e Event) {
	if k.options.Events != nil {
		k.options.Events(e)
	}
}
