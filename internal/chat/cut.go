package chat

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/summary/remote"
)

// compress replaces old turns by a checkpoint that all participants see.
func (e *Engine) compress(ctx context.Context, focus string, tell func(Event)) error {
	s := e.snapshot()
	k, err := e.compactor(s)
	if err != nil {
		return err
	}
	p, line, err := e.tightest(ctx, s)
	if err != nil {
		return err
	}
	t, turnOf := e.sharedTask(p, line, s)
	o := fit.CompactOptions{Force: true}
	if focus != "" {
		o.Directives = []string{"Pay special attention to: " + focus}
	}
	made, err := k.Compact(ctx, t, o)
	if err != nil {
		return refuseCompression(err)
	}
	exact := made.Plan.Before.Exact
	if made.Checkpoint == nil || made.Status != fit.Compressed {
		tell(Notice{Kind: NoticeCompressed, Text: fmt.Sprintf("nothing was compressed (%s): %s", made.Status, reasonOf(made))})
		return nil
	}
	turns := checkpointed(s.turns, made, turnOf)
	if err := e.commit(record{Kind: recordTurns, What: "compression", Turns: turns}); err != nil {
		return err
	}
	by := made.Checkpoint.By
	if made.Cost > 0 {
		by += fmt.Sprintf(" for $%.4f", made.Cost)
	}
	text := fmt.Sprintf("compressed: %s → %s tokens, by %s; /undo takes it back", Tokens(made.Before, exact), Tokens(made.After, exact), by)
	if ref := turns[0].Checkpoint.Ref; ref != "" {
		text += "; the old turns can be read with /expand " + ref
	}
	tell(Notice{Kind: NoticeCompressed, Text: text})
	for _, note := range made.Checkpoint.Notes {
		tell(Notice{Kind: NoticeWarning, Text: note})
	}
	return nil
}

// compactor is a keeper that compacts, also where the method in force does not: a
// person who asks for a summary gets one.
func (e *Engine) compactor(s state) (*fit.Keeper, error) {
	if s.settings.Method == "window" {
		return e.options.Keeper("hybrid")
	}
	return e.options.Keeper(s.settings.Method)
}

func reasonOf(made *fit.Compaction) string {
	if made.Reason != "" {
		return made.Reason
	}
	return "there is nothing old enough"
}

func refuseCompression(err error) error {
	if errors.Is(err, plimsoll.ErrUnsupported) {
		return &plimsoll.Error{Op: "/compress", Code: plimsoll.CodeUnsupported, Err: err, Hint: "choose /method auto, summary or hybrid"}
	}
	return &plimsoll.Error{Op: "/compress", Err: err}
}

// tightest returns the participant with the least room, and its line.
func (e *Engine) tightest(ctx context.Context, s state) (found Participant, least plimsoll.Line, err error) {
	for i, p := range e.Participants() {
		line, err := e.line(ctx, p, s)
		if err != nil {
			return p, line, err
		}
		if i == 0 || line.Limit() < least.Limit() {
			found, least = p, line
		}
	}
	return found, least, nil
}

// line is where the participant's requests must be.
func (e *Engine) line(ctx context.Context, p Participant, s state) (plimsoll.Line, error) {
	plan, _, err := e.plan(ctx, p, s, -1)
	var over *plimsoll.OverloadError
	switch {
	case errors.As(err, &over):
		return over.Line, nil
	case err != nil:
		return plimsoll.Line{}, err
	}
	return plan.Line, nil
}

// shared is the history as no participant sees it: a turn is a message and one answer,
// which has everybody's replies. It says which turn each message is of.
func (e *Engine) shared(p Participant, s state) (plimsoll.Conversation, []int) {
	var v view
	several := len(e.Participants()) > 1
	for i, t := range s.turns {
		if t.Checkpoint != nil {
			for _, m := range t.Checkpoint.Messages {
				v.add(i, plimsoll.Say(m.Role, m.Text))
			}
			continue
		}
		asked := t
		asked.To = []string{p.Name}
		v.add(i, question(p, asked, false))
		var replies []string
		for _, r := range t.Replies {
			switch text := strings.TrimSpace(r.Text); {
			case text == "":
			case several:
				replies = append(replies, "["+r.Participant+"] "+text)
			default:
				replies = append(replies, text)
			}
		}
		if len(replies) > 0 {
			v.add(i, plimsoll.Say(plimsoll.Assistant, strings.Join(replies, "\n\n")))
		}
	}
	c := plimsoll.Conversation{Dialect: p.Dialect, Model: p.Model, Messages: plimsoll.ListOf(v.messages...)}
	if system := s.settings.System; system != "" {
		c.Messages = plimsoll.ListOf(append([]plimsoll.Message{plimsoll.Say(plimsoll.System, system)}, v.messages...)...)
		v.turns = append([]int{-1}, v.turns...)
	}
	return c, v.turns
}

// sharedTask is the task of compacting the shared history. It says which turn each
// message is of.
func (e *Engine) sharedTask(p Participant, line plimsoll.Line, s state) (fit.Task, []int) {
	c, turnOf := e.shared(p, s)
	client := preset.Client{Tenant: "chat"}
	if e.tenant != nil {
		client.Archive, client.Memory = e.tenant, e.tenant.Memory()
	}
	t := preset.ConversationTask(c, client)
	t.Line = &line
	if server := e.server(p); server != nil {
		t.Ask = server.Send
		t.Recount = func(ctx context.Context, body []byte) (int, error) { return server.Count(ctx, p.Model, body) }
	}
	t.Encode = func(d *plimsoll.Draft) ([]byte, error) { return encode(p, d) }
	if line.Window == 0 || line.Window >= unbounded {
		// The user asks for it though no limit is known: as if the window were small.
		t.Line = &plimsoll.Line{Window: defaultWindow}
	}
	for i, turn := range turnOf {
		if turn >= 0 && s.turns[turn].Pinned {
			t.Pins = append(t.Pins, fit.Pin{Index: &i})
		}
	}
	return t, turnOf
}

// server asks the participant's server for summaries and counts; nil if it has no address
// that can be used.
func (e *Engine) server(p Participant) *remote.Summarizer {
	server, err := remote.New(remote.Options{
		Dialect: p.Dialect, BaseURL: p.URL, Key: remote.Key(p.Key),
		Client: &http.Client{Transport: e.options.Base, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }},
	})
	if err != nil {
		return nil
	}
	return server
}

// encode writes a shared history as a request of the participant's API.
func encode(p Participant, d *plimsoll.Draft) ([]byte, error) {
	var system []string
	var messages []plimsoll.Message
	for _, m := range d.Result().Messages.All() {
		if m.Role.Instructs() {
			system = append(system, m.Text())
		} else {
			messages = append(messages, m)
		}
	}
	r, err := write(p, strings.Join(system, "\n\n"), nil, messages)
	if err != nil {
		return nil, err
	}
	return r.Body(), nil
}

// defaultWindow is taken for one that is not known.
const defaultWindow = 32_000

// checkpointed returns the turns with a checkpoint instead of the old ones. Pinned
// turns stay behind it.
func checkpointed(turns []Turn, made *fit.Compaction, turnOf []int) []Turn {
	draft, old := made.Plan.Draft, made.Checkpoint.Old
	first := len(turns)
	for m := old.End; m < len(turnOf); m++ {
		if turnOf[m] >= 0 {
			first = turnOf[m]
			break
		}
	}
	kept := map[int]bool{}
	for _, m := range made.Checkpoint.Kept {
		kept[turnOf[m]] = turns[turnOf[m]].Pinned
	}
	cp := &Checkpoint{Turns: countTurns(turns[:first])}
	if made.Checkpoint.Ref != nil {
		cp.Ref = made.Checkpoint.Ref.ID
	}
	add := func(m plimsoll.Message) { cp.Messages = append(cp.Messages, CheckpointMessage{m.Role, m.Text()}) }
	inserted := draft.Inserted()
	for m := old.Start; m <= old.End; m++ {
		for _, in := range inserted {
			if in.Before == m {
				add(in.Message)
			}
		}
		if m < old.End && slices.Contains(made.Checkpoint.Kept, m) && !kept[turnOf[m]] && turnOf[m] < first {
			if message, stands := draft.Message(m); stands {
				add(message)
			}
		}
	}
	out := []Turn{{Checkpoint: cp}}
	for i, t := range turns[:first] {
		if kept[i] {
			out = append(out, t)
			cp.Turns--
		}
	}
	return append(out, turns[first:]...)
}

// prune drops the oldest turns.
func (e *Engine) prune(ctx context.Context, arguments string, tell func(Event)) error {
	s := e.snapshot()
	n, err := strconv.Atoi(arguments)
	switch {
	case arguments == "":
		if n, err = e.excess(ctx, s); err != nil {
			return err
		}
		if n == 0 {
			done(tell, "everything fits; /prune N drops the oldest N turns")
			return nil
		}
	case err != nil || n < 1:
		return wrong("prune", "name how many turns are to go", "%q is no number of turns", arguments)
	}
	var turns, dropped []Turn
	for i, t := range s.turns {
		if len(dropped) < n && !t.Pinned && i < len(s.turns)-1 {
			dropped = append(dropped, t)
			continue
		}
		turns = append(turns, t)
	}
	if len(dropped) == 0 {
		return wrong("prune", "the newest turn always stays", "there is nothing to drop")
	}
	if err := e.commit(record{Kind: recordTurns, What: "pruning", Turns: turns}); err != nil {
		return err
	}
	done(tell, "%s dropped, %d left; /undo takes it back", plural(countTurns(dropped), "turn"), countTurns(turns))
	return nil
}

// excess is how many of the oldest turns do not fit for the one with the least room.
func (e *Engine) excess(ctx context.Context, s state) (int, error) {
	s.settings.Method = "window"
	most := 0
	for _, p := range e.Participants() {
		plan, v, err := e.plan(ctx, p, s, -1)
		if err != nil {
			return 0, refuse(p, err)
		}
		gone := map[int]bool{}
		for _, edit := range plan.Edits {
			if edit.Kind == plimsoll.EditDrop {
				gone[v.turnOf(edit.Message, len(plan.Before.Messages))] = true
			}
		}
		most = max(most, len(gone))
	}
	return most, nil
}

// undo takes the newest change back.
func (e *Engine) undo(ctx context.Context, tell func(Event)) error {
	s := e.snapshot()
	if len(s.undo) == 0 {
		return wrong("undo", "it takes back /compress, /prune, /edit, /load and /clear; what is cut by itself is sent again where /limit allows it", "there is nothing to take back")
	}
	last := s.undo[len(s.undo)-1]
	if last.what == "compression" {
		e.forget(ctx, last, s)
	}
	if err := e.commit(record{Kind: recordUndo}); err != nil {
		return err
	}
	done(tell, "the %s is taken back; the conversation has %s again", last.what, plural(countTurns(e.Turns()), "turn"))
	return nil
}

// forget makes the keeper forget a checkpoint, so that the next one is a new one. That
// it knows none is no failure.
func (e *Engine) forget(ctx context.Context, last change, s state) {
	k, err := e.compactor(s)
	if err != nil || len(s.turns) == 0 || s.turns[0].Checkpoint == nil || s.turns[0].Checkpoint.Ref == "" {
		return
	}
	before := s
	before.turns = last.before
	p, line, err := e.tightest(ctx, before)
	if err != nil {
		return
	}
	t, _ := e.sharedTask(p, line, before)
	_, _ = k.Undo(ctx, t, s.turns[0].Checkpoint.Ref)
}

// clear begins a new conversation.
func (e *Engine) clear(tell func(Event)) error {
	if len(e.snapshot().turns) == 0 {
		return wrong("clear", "write a message", "there is nothing to clear")
	}
	if err := e.commit(record{Kind: recordTurns, What: "clearing", Turns: []Turn{}}); err != nil {
		return err
	}
	done(tell, "a new conversation begins; /undo brings the old one back")
	return nil
}

// pin keeps a turn out of cuts.
func (e *Engine) pin(arguments string, tell func(Event)) error {
	s := e.snapshot()
	if arguments == "off" {
		for i, t := range s.turns {
			if t.Pinned {
				if err := e.commit(record{Kind: recordPin, Index: i, Turn: &Turn{}}); err != nil {
					return err
				}
			}
		}
		done(tell, "nothing is pinned")
		return nil
	}
	i, err := turnIndex("pin", arguments, s.turns)
	if err != nil {
		return err
	}
	if err := e.commit(record{Kind: recordPin, Index: i, Turn: &Turn{Pinned: true}}); err != nil {
		return err
	}
	done(tell, "turn %d stays whatever is cut: %s", i+1, shortened(s.turns[i].Question, titleRunes))
	return nil
}

// turnIndex reads the number of a turn; nothing means the newest.
func turnIndex(command, text string, turns []Turn) (int, error) {
	n, err := len(turns), error(nil)
	if text != "" {
		n, err = strconv.Atoi(text)
	}
	if err != nil || n < 1 || n > len(turns) || turns[n-1].Checkpoint != nil {
		return 0, wrong(command, fmt.Sprintf("name one of the %d that /context lists", len(turns)), "there is no turn %q", text)
	}
	return n - 1, nil
}
