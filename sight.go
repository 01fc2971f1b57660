package plimsoll

import "sync"

// Onlooker is a [Meter] that lets others look at what it weighs while it has it at hand.
// Texts are unescaped to be weighed, and who must look through them as well need not do
// that again.
type Onlooker interface {
	Meter
	// WeighShowing is Weigh. It goes from the newest message to the oldest, and from
	// where those behind weigh about as much as beyond it shows the calls and results of
	// the messages that it must read: each with its place, a result with its content
	// beside it. What is shown is good until show returns. Show is called from several
	// goroutines.
	WeighShowing(c Conversation, beyond int, show func(at PartRef, p Part, content []Part)) Load
}

// Reweigher is a [Meter] that need not look at a whole conversation again of which a few
// messages have changed.
type Reweigher interface {
	Meter
	// Reweigh is Weigh for a conversation that was weighed lately as original. Only the
	// messages that are listed differ, and none of them by its calls.
	Reweigh(original, c Conversation, changed []int) Load
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
	// Part is the call, or the result without its content, and Content that. Nobody may
	// keep texts of theirs.
	Part    Part
	Content []Part

	at      PartRef
	message Digest
	facts   *facts
}

// Note remembers what [FactOf] would find out about the part.
func Note[T any](s Sight, q Question[T], fact T) {
	s.facts.Put(factKey{s.message, s.at.Part, q.is}, fact)
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
// taken, calls stay, and a mark for each.
func (k *Keeper) weigh(c Conversation, goal int) Load {
	meter, shows := k.options.Meter.(Onlooker)
	if !shows || len(k.lookers) == 0 {
		return k.options.Meter.Weigh(c)
	}
	var first sync.Once
	return meter.WeighShowing(c, goal*2/3, func(at PartRef, p Part, content []Part) {
		first.Do(func() { k.facts.Expect(c.Messages.Len()) })
		s := Sight{Part: p, Content: content, at: at, message: c.Messages.At(at.Message).Digest, facts: k.facts}
		if s.message == (Digest{}) {
			return
		}
		for _, l := range k.lookers {
			l.Look(s)
		}
	})
}
