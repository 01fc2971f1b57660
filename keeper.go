package plimsoll

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/internal/recent"
)

// Options configure a [Keeper]. Package preset fills them for the usual cases.
type Options struct {
	// Meter weighs conversations. Required.
	Meter Meter
	// Model is what conversations are weighed for that name none.
	Model string
	// Window is the limit in tokens for every model; 0 means that Limits says it.
	Window int
	// Reserve is what is kept free for the answer; 0 means what the request asks
	// for, else what [ReserveFor] says; negative means none.
	Reserve int
	// Limits returns the line for a conversation; asked where Window is 0.
	Limits func(Conversation) (Line, error)
	// Marks say when to act and how far to go.
	Marks Marks
	// Keep says how much of the newest part must survive.
	Keep Keep
	// Loose lets rungs part calls from their results.
	Loose bool
	// Pins choose messages that stay as they are.
	Pins []Pin
	// Arrival lists rungs that are applied whatever the load is; Rungs those that
	// are applied, in order, to a conversation over its line until it reaches the
	// goal.
	Arrival, Rungs []Rung
	// Archive keeps what rungs take out. Nil means that it cannot be had back.
	Archive Archive
	// Sticky cuts every later request of a conversation as the one before was cut,
	// so that prompt caches stay of use. Checkpoints are sticky whatever it says.
	Sticky bool
	// Memory keeps what was cut for later requests and other processes. Nil means
	// that the keeper alone remembers, and not for ever.
	Memory Memory
	// Policy says when to cut before the line is reached. Nil means never.
	Policy Policy
	// Now is the clock that the policy is told; nil means the system's.
	Now func() time.Time
	// Hooks are asked before and told after a compaction.
	Hooks Hooks
	// Events, if not nil, is told what users may want to see. It must not block.
	Events func(Event)
	// Recount, if not nil, counts a compacted conversation once more, for meters
	// that only estimate.
	Recount func(context.Context, Conversation) (int, error)
	// Cost, if not nil, returns the price in dollars of a call, and whether it is
	// known.
	Cost func(model string, u Usage) (float64, bool)
	// CacheLife, if not nil, returns how long a model's prompt cache keeps a prefix
	// that is not used; nil means five minutes. The accounts need it.
	CacheLife func(model string) time.Duration
}

// Marks are fractions of the limit.
type Marks struct {
	// High is where rungs must act; 0 means 1.
	High float64
	// Low is what they aim at; 0 means High. Where little can be removed they aim
	// no lower than half-way between that and the limit.
	Low float64
	// Soft is where a checkpoint that must wait for a model is begun, while
	// requests go on; 0 means that it is begun when it is needed.
	Soft float64
	// Room is how much of what the limit leaves above system and tools is to be free
	// after a cut, as far as that needs no checkpoint and no whole turn: for
	// conversations that go on, each of whose cuts makes a provider read anew what
	// stands behind it. 0 means that Low says how far to go.
	Room float64
}

// Task is a conversation to fit, with what holds for it alone.
type Task struct {
	Conversation Conversation
	// Line replaces the keeper's own; nil means that it holds.
	Line *Line
	// Pins beside those of the keeper.
	Pins []Pin
	// Keep lists messages that must survive, by index; tool results in them may be
	// cut. So do results whose calls are not in the conversation because the
	// provider has them.
	Keep []int
	// Raw returns the bytes of message i, which must not change, for messages that
	// are archived whole. Nil means that what they say is archived in a form of our
	// own.
	Raw func(i int) []byte
	// Scope says whose conversation it is.
	Scope Scope
	// Archive and Memory replace the keeper's own; nil means that those hold.
	Archive Archive
	Memory  Memory
	// Chain returns the identity of every prefix: entry i stands for the first i
	// messages. Nil means that it follows from what the messages say. The keeper mixes
	// the scope in.
	Chain func() []Digest
	// Encode writes a draft as a request body. Nil means that there is none.
	Encode func(*Draft) ([]byte, error)
	// Parse reads a list of messages in the form that Raw returns them in. Nil means
	// our own form.
	Parse func(list []byte) ([]Message, error)
	// Offer are tools that are added with the first cut that leaves a reference, so
	// that the model can read what was taken out. Once a request of a conversation had
	// them, every later one has them. Those that the conversation has by name are not
	// added, nor are they where there is no room for them.
	Offer []Tool
	// OfferAlways adds them from the first request on.
	OfferAlways bool
	// Check is asked after each rung whether the draft can still be sent; the
	// edits of a rung that it refuses are undone. Nil means that only the rules
	// that all APIs share are checked.
	Check func(*Draft) error

	prefixes, links []Digest
	scopeKey        string
}

// Keeper keeps conversations under their load line. It is safe for concurrent use.
type Keeper struct {
	options   Options
	facts     *facts
	lookers   []Looker
	compactor Compactor
	decisions recent.Map[scoped, *sticky]
	lengths   lengths
	tallies   recent.Map[scoped, tally]
	states    recent.Map[scoped, policyMemo]
	flights   flights
	books     books
}

// New returns a keeper.
func New(o *Options) (*Keeper, error) {
	if o == nil || o.Meter == nil {
		return nil, &Error{Op: "new keeper", Err: fmt.Errorf("no meter: %w", ErrInvalid), Hint: "use package preset, or set Options.Meter"}
	}
	k := &Keeper{options: *o, facts: &facts{}, lookers: o.lookers(), compactor: o.compactor()}
	k.facts.Limit = factLimit
	k.decisions.Limit, k.tallies.Limit, k.states.Limit = recentDecisions, recentTallies, recentStates
	k.books.conversations.Limit, k.books.calls.Limit, k.books.models.Limit = recentAccounts, recentCalls, recentModels
	if k.options.Marks.High == 0 {
		k.options.Marks.High = 1
	}
	if k.options.Marks.Low == 0 {
		k.options.Marks.Low = k.options.Marks.High
	}
	if m := k.options.Marks; m.Low < 0 || m.Low > m.High || m.High > 1 {
		return nil, &Error{Op: "new keeper", Err: fmt.Errorf("marks %v and %v: %w", m.Low, m.High, ErrInvalid), Hint: "want 0 < low ≤ high ≤ 1"}
	}
	if m := k.options.Marks; m.Soft < 0 || m.Soft > m.High {
		return nil, &Error{Op: "new keeper", Err: fmt.Errorf("soft mark %v: %w", m.Soft, ErrInvalid), Hint: "want 0 ≤ soft ≤ high"}
	}
	if m := k.options.Marks; m.Room < 0 || m.Room >= 1 {
		return nil, &Error{Op: "new keeper", Err: fmt.Errorf("room %v: %w", m.Room, ErrInvalid), Hint: "want 0 ≤ room < 1"}
	}
	if o.Window == 0 && o.Limits == nil {
		return nil, &Error{Op: "new keeper", Err: fmt.Errorf("no window: %w", ErrInvalid), Hint: "set Options.Window or Options.Limits"}
	}
	return k, nil
}

// Fit makes the conversation fit and stores what was taken out. Under its line the
// conversation stays as it is. The error is an [OverloadError] if it cannot be made
// to fit.
func (k *Keeper) Fit(ctx context.Context, c Conversation) (*Plan, error) {
	return k.FitTask(ctx, Task{Conversation: c})
}

// Plan returns what Fit would do. It has no side effects.
func (k *Keeper) Plan(ctx context.Context, c Conversation) (*Plan, error) {
	return k.PlanTask(ctx, Task{Conversation: c})
}

// FitTask is Fit with conditions.
func (k *Keeper) FitTask(ctx context.Context, t Task) (*Plan, error) {
	l, err := k.walk(ctx, &t, walkOptions{archive: k.archiveOf(&t)})
	if err == nil {
		err = l.commit(ctx)
	}
	l.land()
	if err != nil {
		return k.without(ctx, &t, walkOptions{}, err)
	}
	k.prepare(&t, l)
	return l.plan, nil
}

// PlanTask is Plan with conditions.
func (k *Keeper) PlanTask(ctx context.Context, t Task) (*Plan, error) {
	l, err := k.walk(ctx, &t, walkOptions{archive: k.archiveOf(&t), dry: true})
	if err != nil {
		return k.without(ctx, &t, walkOptions{dry: true}, err)
	}
	return l.plan, nil
}

// without walks once more if the archive failed, and does without it and without
// compaction, which could not be undone.
func (k *Keeper) without(ctx context.Context, t *Task, o walkOptions, err error) (*Plan, error) {
	var archive *ArchiveError
	if !errors.As(err, &archive) || ctx.Err() != nil {
		return nil, err
	}
	o.noCompaction = true
	l, err := k.walk(ctx, t, o)
	if err != nil {
		return nil, err
	}
	l.plan.Degraded = archive.Error()
	return l.plan, nil
}

func (k *Keeper) archiveOf(t *Task) Archive {
	if t.Archive != nil {
		return t.Archive
	}
	return k.options.Archive
}

// Line returns the line for a conversation.
func (k *Keeper) Line(c Conversation) (Line, error) {
	if c.Model == "" {
		c.Model = k.options.Model
	}
	line := Line{Window: k.options.Window}
	if line.Window == 0 {
		found, err := k.options.Limits(c)
		if err != nil {
			return Line{}, &Error{Op: "fit", Err: err, Hint: "name a known model, or set a window"}
		}
		line = found
	} else {
		line.Reserve = ReserveFor(line.Window, c.MaxOutput)
	}
	if reserve, set := k.Reserve(); set {
		line.Reserve = reserve
	}
	return line, nil
}

// Reserve returns what the options keep free for answers, and whether they say so.
func (k *Keeper) Reserve() (tokens int, set bool) {
	return max(0, k.options.Reserve), k.options.Reserve != 0
}

// ReserveFor returns what to keep free of a window for an answer of at most
// maxOutput tokens, 0 if that is unknown: the answer, but never more than half the
// window, because clients ask for more than they need; else a sixteenth, at most
// 8,192.
func ReserveFor(window, maxOutput int) int {
	if maxOutput > 0 {
		return min(maxOutput, window/2)
	}
	return min(window/16, 8192)
}

// walkOptions say how a ladder is walked.
type walkOptions struct {
	archive Archive
	// dry means that nothing outside may notice.
	dry bool
	// noCompaction leaves compactors out.
	noCompaction bool
}

// walk weighs the conversation and applies what rungs it needs.
func (k *Keeper) walk(ctx context.Context, t *Task, o walkOptions) (*ladder, error) {
	l, err := k.ladder(t, o)
	if err != nil {
		return nil, err
	}
	defer k.facts.remember(t.Conversation.Messages, l.seen.notes)
	recalled := l.recall(ctx)
	if l.quick(recalled) {
		return l, nil
	}
	over := l.plan.Before.Total > l.high
	if !over && recalled == nil && len(k.options.Arrival) == 0 && k.options.Policy == nil && !t.OfferAlways {
		return l, nil
	}
	if err := l.start(over); err != nil {
		return nil, err
	}
	climbed := false
	defer func() {
		if !climbed { // by an error or a mistake: nobody may wait for this walk any more
			l.land()
		}
	}()
	l.replay(recalled)
	if err := l.climb(ctx); err != nil {
		return nil, err
	}
	climbed = true
	return l, nil
}

// ladder weighs the conversation and says where it should be.
func (k *Keeper) ladder(t *Task, o walkOptions) (*ladder, error) {
	if t.Conversation.Model == "" {
		t.Conversation.Model = k.options.Model
	}
	t.Conversation.Model = strings.Clone(t.Conversation.Model) // what is remembered must not hold the request
	line, err := k.lineOf(t)
	if err != nil {
		return nil, err
	}
	goal := int(k.options.Marks.Low * float64(line.Limit()))
	load, seen := k.weigh(t.Conversation, goal)
	plan := &Plan{
		Line: line, Goal: goal, Before: load, After: load,
		Edits: []Edit{}, Rungs: []RungReport{}, draft: seen.draft,
	}
	plan.draft.weighed = load.Messages
	return &ladder{k: k, task: t, plan: plan, options: o, seen: seen, high: int(k.options.Marks.High * float64(line.Limit()))}, nil
}

func (k *Keeper) lineOf(t *Task) (Line, error) {
	if t.Line != nil {
		return *t.Line, nil
	}
	return k.Line(t.Conversation)
}
