package chat

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"github.com/plimsoll/plimsoll"
)

// message sends what the person says to those whom it addresses.
func (e *Engine) message(ctx context.Context, line string, tell func(Event)) error {
	s := e.snapshot()
	to, text, err := address(line, e.names())
	if err != nil {
		return err
	}
	if to == nil {
		to = e.addressed(s)
	}
	e.mu.Lock()
	attached := e.attached
	e.mu.Unlock()
	if text == "" && len(attached) == 0 {
		return &plimsoll.Error{Op: "send", Code: plimsoll.CodeInvalid, Err: mistake{errors.New("there is nothing to send")}, Hint: "write something behind " + list(to)}
	}
	turn := Turn{Question: text, Attached: attached, To: to, At: e.options.Now()}
	index := len(s.turns)
	tentative := s
	tentative.turns = append(slices.Clip(s.turns), turn)
	ready, refused := e.weigh(ctx, tentative, index, to, tell)
	if len(ready) == 0 {
		return refusal(refused)
	}
	if err := e.commit(record{Kind: recordAsk, Turn: &turn}); err != nil {
		return err
	}
	e.mu.Lock()
	e.attached = nil
	e.mu.Unlock()
	tell(Asked{Turn: countTurns(tentative.turns), Text: text, To: to})
	for _, f := range refused {
		e.fail(index, f, tell)
	}
	e.askAll(ctx, index, ready, tell)
	return nil
}

func (e *Engine) names() []string {
	var names []string
	for _, p := range e.Participants() {
		names = append(names, p.Name)
	}
	return names
}

// addressed are those whom a message without an address is for: those asked
// last, at first the first participant.
func (e *Engine) addressed(s state) []string {
	names := e.names()
	for _, t := range slices.Backward(s.turns) {
		var to []string
		for _, name := range t.To {
			if slices.Contains(names, name) {
				to = append(to, name)
			}
		}
		if len(to) > 0 {
			return to
		}
	}
	return names[:1]
}

// weigh plans the request of each participant. It returns those who can be asked and
// how the others failed, and tells what will be taken out.
func (e *Engine) weigh(ctx context.Context, s state, asking int, to []string, tell func(Event)) (ready []Participant, refused []Failed) {
	for _, p := range e.Participants() {
		if !slices.Contains(to, p.Name) {
			continue
		}
		e.askContexts(ctx, true, p)
		plan, v, err := e.plan(ctx, p, s, asking)
		if err != nil {
			refused = append(refused, Failed{p.Name, refuse(p, err)})
			continue
		}
		if text := going(plan, v); text != "" {
			tell(Notice{Kind: NoticeGoing, Participant: p.Name, Text: text})
		}
		ready = append(ready, p)
	}
	return ready, refused
}

// refusal is the error of a message that no participant can get.
func refusal(refused []Failed) error {
	var all []error
	for _, f := range refused {
		all = append(all, f.Err)
	}
	if len(all) == 1 {
		return all[0]
	}
	return errors.Join(all...)
}

// refuse says why a message is not sent, with the numbers and what can be done.
func refuse(p Participant, err error) error {
	failed := &plimsoll.Error{Op: "not sent to " + p.Name, Code: plimsoll.CodeOf(err), Err: err, Hint: plimsoll.HintOf(err)}
	var over *plimsoll.OverloadError
	if !errors.As(err, &over) {
		return failed
	}
	failed.Err = over // without what the keeper was doing
	limit := over.Line.Limit()
	fixed := over.Of(plimsoll.FloorSystem) + over.Of(plimsoll.FloorTools) + over.Of(plimsoll.FloorFraming)
	switch {
	case fixed > limit:
		failed.Hint = fmt.Sprintf("shorten the system prompt with /system by %d tokens or more, or raise the limit with /limit", fixed-limit)
	case over.Of(plimsoll.FloorPinned) > 0 && over.Floor-over.Of(plimsoll.FloorPinned) <= limit:
		failed.Hint = "take pins off with /pin off, or raise the limit with /limit"
	case over.Floor > limit:
		failed.Hint = fmt.Sprintf("shorten the message by %d tokens or more, attach less, or raise the limit with /limit", over.Floor-limit)
	default:
		failed.Hint = "shorten the conversation with /compress, /prune or /edit, or raise the limit with /limit"
	}
	return failed
}

// askAll asks several participants at once. One that fails does not stop the others.
func (e *Engine) askAll(ctx context.Context, index int, all []Participant, tell func(Event)) {
	s := e.snapshot()
	var group sync.WaitGroup
	for _, p := range all {
		group.Go(func() {
			a := &answerer{e: e, p: p, state: s, index: index, tell: tell}
			a.run(ctx)
		})
	}
	group.Wait()
}

// fail notes that a participant was not asked.
func (e *Engine) fail(index int, f Failed, tell func(Event)) {
	r := Reply{Participant: f.Participant, Failure: f.Err.Error()}
	for _, p := range e.Participants() {
		if p.Name == f.Participant {
			r.Model, r.Dialect = p.Model, p.Dialect
		}
	}
	if err := e.commit(record{Kind: recordReply, Index: index, Reply: &r}); err != nil {
		f.Err = errors.Join(f.Err, err)
	}
	tell(f)
}
