package plimsoll

import (
	"cmp"
	"slices"
	"sync"
	"sync/atomic"
)

// Onlooker is a [Meter] that lets others look at what it weighs while it has it at hand.
// Texts are unescaped to be weighed, and who must look through them as well need not do
// that again.
type Onlooker interface {
	Meter
	// WeighShowing is Weigh. It goes from the newest message to the oldest, and from
	// where those behind weigh about as much as beyond it shows the calls and results of
	// the messages that it must read: each with its place, a result with its content
	// beside it. Calls may be shown sooner. What is shown is good until show returns. Show
	// is called from several goroutines.
	WeighShowing(c Conversation, beyond int, show func(at PartRef, p Part, content []Part)) Load
}

// Looker is a rung that asks of calls and results what takes a look at the whole text.
type Looker interface {
	Rung
	// Look notes what the rung will ask [FactOf] of a part, if it will. It is called from
	// several goroutines.
	Look(Sight)
}

// Sight is a call or a result that was shown.
type Sight struct {
	// Part is the call or the result, and Content what the result holds, whole. Nobody may
	// keep texts of theirs.
	Part    Part
	Content []Part

	part  int
	notes *notes
}

// Note remembers what [FactOf] would find out about the part.
func Note[T any](s Sight, q Question[T], fact T) {
	s.notes.add(noted{s.part, q.is, fact})
}

// notes are what was found out about one message while it was weighed. Messages are weighed
// by several goroutines, which would be in each other's way if they wrote down all that they
// find at one place. Most messages have one thing to be found; some have thousands of
// results, so that more is sorted by parts.
type notes struct {
	first noted
	more  []noted
}

type noted struct {
	part     int
	question *question
	fact     any
}

func (n *notes) add(is noted) {
	if n.first.question == nil {
		n.first = is
		return
	}
	at := len(n.more)
	if at > 0 && n.more[at-1].part > is.part {
		at = n.place(is.part)
	}
	n.more = slices.Insert(n.more, at, is)
}

// place returns where the notes about a part begin among more.
func (n *notes) place(part int) int {
	at, _ := slices.BinarySearchFunc(n.more, part, func(is noted, part int) int { return cmp.Compare(is.part, part) })
	return at
}

// find returns what was found out about a part.
func (n *notes) find(part int, q *question) (fact any, known bool) {
	if n.first.question == q && n.first.part == part {
		return n.first.fact, true
	}
	if len(n.more) == 0 {
		return nil, false
	}
	for i := n.place(part); i < len(n.more) && n.more[i].part == part; i++ {
		if n.more[i].question == q {
			return n.more[i].fact, true
		}
	}
	return nil, false
}

// lookers are the rungs that look at calls and results.
func (o *Options) lookers() (all []Looker) {
	for _, r := range o.Rungs {
		if l, ok := r.(Looker); ok {
			all = append(all, l)
		}
	}
	return all
}

// weigh weighs a conversation that is to come down to a goal if it is over its line. Rungs
// look at what is older than what two thirds of the goal leave room for: where outputs are
// taken, calls stay, and a mark for each. The draft of the conversation comes with the load.
func (k *Keeper) weigh(c Conversation, goal int) (Load, *album) {
	meter, shows := k.options.Meter.(Onlooker)
	if !shows || len(k.lookers) == 0 {
		return k.options.Meter.Weigh(c), &album{draft: NewDraft(c, k.options.Meter)}
	}
	a := &album{}
	load := meter.WeighShowing(c, goal*2/3, func(at PartRef, p Part, content []Part) {
		if c.Messages.At(at.Message).Digest == (Digest{}) {
			return
		}
		a.open(c, meter)
		for _, l := range k.lookers {
			l.Look(Sight{Part: p, Content: content, part: at.Part, notes: &a.notes[at.Message]})
		}
	})
	if a.draft == nil {
		a.draft = NewDraft(c, meter)
	}
	return load, a
}

// album is what was seen of a conversation while it was weighed.
type album struct {
	first sync.Once
	notes []notes
	// draft is made ready for edits by the first goroutine that has something to show: it
	// will be asked for, and others go on weighing meanwhile.
	begun atomic.Bool
	draft *Draft
}

func (a *album) open(c Conversation, meter Meter) {
	a.first.Do(func() { a.notes = make([]notes, c.Messages.Len()) })
	if !a.begun.Load() && a.begun.CompareAndSwap(false, true) {
		a.draft = NewDraft(c, meter)
		a.draft.structure()
		a.draft.slots()
	}
}
