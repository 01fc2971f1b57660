// Package preset fills the options of a keeper for the usual cases: [Auto] for
// everybody, and one preset for each way of working that programs are known to
// expect. It joins what stands below it (rungs, meter, limits) and decides nothing
// by itself: a preset is a list that can be read off.
package preset

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// The names of the presets.
const (
	// NameAuto is the default: tool outputs first, then a checkpoint, whole turns
	// last.
	NameAuto = "auto"
	// NameCookbook keeps single messages, newest first, whatever belongs together.
	NameCookbook = "cookbook"
	// NameAgent keeps tool outputs within limits from the moment they arrive, and
	// replaces old turns by a summary and what must be retained.
	NameAgent = "agent"
	// NameMultichat drops whole turns, oldest first, and nothing else.
	NameMultichat = "multichat"
	// NameGemini replaces the older part by a snapshot, by an estimate of the load.
	NameGemini = "gemini"
)

// Names lists the presets.
func Names() []string {
	return []string{NameAuto, NameCookbook, NameAgent, NameMultichat, NameGemini}
}

// Marks returns the marks of a preset; those of an unknown preset are zero.
func Marks(name string) fit.Watermarks {
	switch name {
	case "", NameAuto:
		return fit.Watermarks{High: 1, First: 1, Low: 0.8, Soft: 0.75, Room: 0.75}
	case NameAgent, NameGemini:
		return fit.Watermarks{High: 1, Low: 0.8}
	case NameCookbook, NameMultichat:
		return fit.Watermarks{High: 1, Low: 1}
	}
	return fit.Watermarks{}
}

// Options say what a preset shall take from the caller. The zero value is ready to
// use.
type Options struct {
	// Model is meant where a conversation names none.
	Model string
	// Window in tokens; 0 means that of the model.
	Window int
	// Reserve is kept free for the answer; 0 is a value. Nil means none in [Gemini],
	// [Multichat] and [Cookbook], and what [fit.ReserveFor] says in the others.
	Reserve *int
	// Marks replace those of the preset where they are not 0.
	Marks fit.Watermarks
	// Pins choose messages that stay as they are.
	Pins []fit.Pin
	// Policy says when to cut: one of the four words, or empty for the preset's own,
	// which is rent in auto and threshold elsewhere. Alpha is how many times its
	// price the rent must reach; 0 means the rule's own. Prices replace those of the
	// registry.
	Policy string
	Alpha  float64
	Prices func(model string) rent.Prices
	// Method is one of the three words, or empty for the preset's own way.
	Method string
	// Rungs by name, in order; nil means those of the preset.
	Rungs []string
	// Outputs say what becomes of tool outputs.
	Outputs Outputs
	// Compaction says when and how old messages become a checkpoint.
	Compaction CompactionOptions
	// NoRecollection leaves out the recollections of [Auto]: passages of missing messages
	// before the newest question. A Method leaves them out, too.
	NoRecollection bool
	// Token options choose the counters.
	Token token.Options
	// BufferFactor is the margin on the estimate of [Multichat]; 0 means 1.2.
	BufferFactor float64
	// Counter counts for every model; nil means that each has its own.
	Counter plimsoll.Counter
	// Meter weighs; nil means one that fits the preset.
	Meter plimsoll.Meter
	// Limit returns the context limit of a model; nil means what the registry
	// knows.
	Limit func(name string) model.Limit
	// Archive keeps what is taken out; nil means that it cannot be had back.
	Archive fit.Archive
	// Memory keeps checkpoints for other processes; nil means that the keeper alone
	// remembers some.
	Memory fit.Memory
}

// Outputs are the limits for tool outputs; zero fields mean the rungs' own.
type Outputs struct {
	// Off leaves tool outputs alone.
	Off bool
	// Budget is what all of them may weigh together, in tokens, whatever the load
	// is; 0 means the preset's own, which is none in auto.
	Budget int
	// MaxBytes and MaxLine bound one of them.
	MaxBytes, MaxLine int
	// KeepNewest outputs are never cleared; 0 means 3 in auto and none in agent,
	// negative none.
	KeepNewest int
	// MinReclaim is what clearing must gain, in tokens.
	MinReclaim int
	// Paths say which tools read and write files.
	Paths *rung.Paths
}

// Named returns the options of a preset by its name; an empty name is [NameAuto].
func Named(name string, o *Options) (*fit.Options, error) {
	switch name {
	case "", NameAuto:
		return Auto(o)
	case NameCookbook:
		return Cookbook(o)
	case NameAgent:
		return Agent(o)
	case NameMultichat:
		return Multichat(o)
	case NameGemini:
		return Gemini(o)
	}
	return nil, &plimsoll.Error{
		Op: "preset " + name, Code: plimsoll.CodeInvalid, Err: fmt.Errorf("unknown: %w", plimsoll.ErrInvalid),
		Hint: "choose one of " + strings.Join(Names(), ", "),
	}
}

// Auto moves tool outputs out of the way, then removes old reasoning, then replaces
// old messages by a checkpoint, and at last drops whole turns and, inside a long agent
// loop, whole rounds. A conversation that the keeper has not seen before fills the limit.
// One that goes on is cut deep enough that the next cut need not follow soon.
func Auto(o *Options) (*fit.Options, error) {
	o = o.orEmpty()
	l := ladder{shrink: true, strict: true, keepTurns: o.turnsByMethod(), notes: true}
	k, err := o.keeper(NameAuto, []string{"view", "dedupe", "clear", "reasoning", "compact", "slide"}, l)
	if err != nil {
		return nil, err
	}
	k.Recollect = o.Method == "" && !o.NoRecollection
	k.Anchored = true
	if k.Meter == nil {
		k.Meter = o.best()
	}
	return k, nil
}

// Agent keeps tool outputs within limits whatever the load is. Each is stored when it
// arrives, and a large one becomes a view. When all together exceed their budget, the
// oldest become placeholders. From a fraction of the window on, everything but the newest turns
// becomes a summary behind what must be retained. What is over the line after that
// loses whole turns and rounds. Placeholders have the wording that agents of this kind
// know.
func Agent(o *Options) (*fit.Options, error) {
	o = o.orEmpty()
	l := ladder{shrink: true, strict: true, layout: rung.RetainAndSummary, early: true}
	k, err := o.keeper(NameAgent, []string{"compact", "slide"}, l)
	if err != nil {
		return nil, err
	}
	if out := o.Outputs; !out.Off {
		k.Arrival = append([]fit.Rung{
			&rung.View{MaxBytes: out.MaxBytes, MaxLine: out.MaxLine, All: true},
			&rung.Clear{Budget: out.Budget, KeepNewest: max(0, out.KeepNewest), MinReclaim: -1, Strict: true},
		}, k.Arrival...)
	}
	k.Anchored = true
	if k.Meter == nil {
		k.Meter = o.best()
	}
	return k, nil
}

// Gemini replaces all but the newest 0.3 of the characters by a snapshot, once the
// history is at least half of the window and a request would fill what is left of it.
// It counts by an estimate, knows a limit for every model, and keeps nothing free for
// the answer. What is over the line all the same loses whole turns and rounds.
func Gemini(o *Options) (*fit.Options, error) {
	o = o.orEmpty()
	if o.Limit == nil {
		with := *o
		with.Limit = (&model.Limits{Registry: o.Token.Registry, Gemini: true}).For
		o = &with
	}
	k, err := o.keeper(NameGemini, []string{"compact", "slide"}, ladder{layout: rung.SnapshotAndAnswer, early: true})
	if err != nil {
		return nil, err
	}
	k.Keep, k.CountsAgain = fit.KeepPending, true
	if o.Reserve == nil {
		k.Reserve = new(0)
	}
	o.estimate(k, token.Framing{}, estimator("gemini"))
	return k, nil
}

// Multichat drops whole turns, oldest first, and refuses a newest turn that does not
// fit. It counts as chat programs do that know OpenAI's vocabularies and estimate
// everything else with a margin.
func Multichat(o *Options) (*fit.Options, error) {
	o = o.orEmpty()
	k, err := o.keeper(NameMultichat, []string{"slide"}, ladder{wholeTurn: true, keepTurns: o.turnsByMethod()})
	if err != nil {
		return nil, err
	}
	k.Keep = fit.KeepTurn
	if o.Reserve == nil {
		k.Reserve = new(0)
	}
	o.estimate(k, token.Framing{Message: 3, TextOnly: true}, o.multichatCounter)
	return k, nil
}

// Cookbook keeps the first system message and the newest message, then whatever
// else fits, message by message from the newest to the oldest. If the API refuses what
// that leaves, whole turns and rounds go.
func Cookbook(o *Options) (*fit.Options, error) {
	o = o.orEmpty()
	if o.Method == MethodSummary || o.Method == MethodHybrid {
		return nil, &plimsoll.Error{
			Op: "method " + o.Method, Hint: "use the preset auto, agent, multichat or gemini",
			Err: fmt.Errorf("preset cookbook keeps or drops single messages: %w", plimsoll.ErrUnsupported),
		}
	}
	k, err := o.keeper(NameCookbook, []string{"trim"}, ladder{loose: true})
	if err != nil {
		return nil, err
	}
	if o.Rungs == nil {
		k.Rungs = append(k.Rungs, &rung.Slide{}) // for an API that refuses what single messages leave
	}
	k.Keep, k.Loose = fit.KeepMessage, true
	if o.Reserve == nil {
		k.Reserve = new(0)
	}
	o.estimate(k, token.Framing{Message: 4, TextOnly: true}, token.Tiktoken)
	return k, nil
}

func (o *Options) orEmpty() *Options {
	if o == nil {
		return &Options{}
	}
	return o
}

// keeper fills in what all presets share.
func (o *Options) keeper(preset string, own []string, l ladder) (*fit.Options, error) {
	names, err := o.names(own)
	if err != nil {
		return nil, err
	}
	arrival, rungs, err := o.build(names, l)
	if err != nil {
		return nil, err
	}
	registry := o.Token.Registry
	if registry == nil {
		registry = model.Default()
	}
	k := &fit.Options{
		Meter: o.Meter, Model: o.Model, Window: o.Window, Reserve: o.Reserve, Limits: o.lines(registry, l.strict),
		Marks: o.marks(preset), Pins: o.Pins, Arrival: arrival, Rungs: rungs, Archive: o.Archive, Memory: o.Memory,
		Cost: costs(registry), CacheLife: func(model string) time.Duration { return o.prices(registry)(model).Life },
	}
	policy := PolicyThreshold
	if preset == NameAuto {
		policy = PolicyRent
	}
	return k, o.policy(k, registry, policy)
}

// marks are those that are given, and else the preset's, which give way.
func (o *Options) marks(preset string) fit.Watermarks {
	marks, own := o.Marks, Marks(preset)
	if marks.High == 0 {
		marks.High = own.High
	}
	if marks.Low == 0 { // one that is given holds for the first cut too
		marks.Low = min(marks.High, own.Low)
		marks.First = cmp.Or(marks.First, min(marks.High, own.First))
		marks.Room = cmp.Or(marks.Room, own.Room)
	}
	if marks.Soft == 0 {
		marks.Soft = min(marks.High, own.Soft)
	}
	return marks
}
