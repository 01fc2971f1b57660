package chat

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// methodOf is the method as keepers know it: that of the settings has no name.
func methodOf(word string) string {
	if word == "auto" {
		return ""
	}
	return word
}

// method shows or chooses how old turns go.
func (e *Engine) method(word string, tell func(Event)) error {
	set := e.snapshot().settings
	if word == "" {
		word = set.Method
		if word == "" {
			word = "auto"
		}
		done(tell, "method: %s", word)
		return nil
	}
	if !slices.Contains(Methods, word) {
		return wrong("method", "choose one of "+strings.Join(Methods, ", "), "there is no method %q", word)
	}
	set.Method = methodOf(word)
	if _, err := e.options.Keeper(set.Method); err != nil {
		return err
	}
	if err := e.change(set); err != nil {
		return err
	}
	done(tell, "method: %s", word)
	return nil
}

// limit shows or sets the limit of every model.
func (e *Engine) limit(text string, tell func(Event)) error {
	set := e.snapshot().settings
	switch n, err := strconv.Atoi(strings.ReplaceAll(text, ",", "")); {
	case text == "":
		for _, g := range e.Gauges() {
			done(tell, "%s: %s", g.Participant, g.String())
		}
		return nil
	case text == "off":
		set.Limit = 0
	case err != nil || n < 1:
		return wrong("limit", "name a number of tokens, or off", "%q is no limit", text)
	default:
		set.Limit = n
	}
	if err := e.change(set); err != nil {
		return err
	}
	if set.Limit == 0 {
		done(tell, "limit: that of each model")
	} else {
		done(tell, "limit: %s tokens", Tokens(set.Limit, true))
	}
	return nil
}

// system shows, sets or removes the system prompt. One that alone exceeds a limit is
// refused.
func (e *Engine) system(ctx context.Context, text string, tell func(Event)) error {
	s := e.snapshot()
	if text == "" {
		if s.settings.System == "" {
			done(tell, "there is no system prompt; /system TEXT sets one")
		} else {
			tell(Notice{Kind: NoticeData, Text: s.settings.System})
		}
		return nil
	}
	if text == "-" {
		text = ""
	}
	s.settings.System = text
	s.turns = nil
	for _, p := range e.Participants() {
		if _, _, err := e.plan(ctx, p, s, -1); err != nil {
			return refuse(p, err)
		}
	}
	set := e.snapshot().settings
	set.System = text
	if err := e.change(set); err != nil {
		return err
	}
	if text == "" {
		done(tell, "the system prompt is removed")
	} else {
		done(tell, "the system prompt is set")
	}
	return nil
}

// model shows who takes part, adds one or lets one go.
func (e *Engine) model(ctx context.Context, spec string, tell func(Event)) error {
	if spec == "" {
		var lines []string
		for _, p := range e.Participants() {
			lines = append(lines, fmt.Sprintf("@%s  %s:%s  %s", p.Name, p.API, p.Model, p.URL))
		}
		tell(Notice{Kind: NoticeText, Text: strings.Join(lines, "\n")})
		return nil
	}
	all := e.Participants()
	if name, ok := strings.CutPrefix(spec, "-"); ok {
		at := slices.IndexFunc(all, func(p Participant) bool { return p.Name == name })
		if at < 0 || len(all) == 1 {
			return wrong("model", "those who take part: "+list(e.names()), "%q cannot go", name)
		}
		if err := e.admit(slices.Delete(all, at, at+1)); err != nil {
			return err
		}
		done(tell, "%s is gone; what it said stays", name)
		return nil
	}
	p, err := e.options.Parse(spec)
	if err != nil {
		return err
	}
	if err := e.unnamed(ctx, p); err != nil {
		return err
	}
	format := "%s (%s) joins"
	if at := slices.IndexFunc(all, func(q Participant) bool { return q.Name == p.Name }); at >= 0 {
		all[at], format = p, "%s (%s) replaces the one before"
	} else {
		all = append(all, p)
	}
	if err := e.admit(all); err != nil {
		return err
	}
	done(tell, format, p.Name, p.Model)
	return nil
}

// admit sets who takes part, and writes it down.
func (e *Engine) admit(all []Participant) error {
	e.mu.Lock()
	err := e.join(all)
	set := e.state.settings
	e.mu.Unlock()
	if err != nil {
		return err
	}
	return e.change(set)
}

// retry asks the newest message again: the named one, else those whose reply is
// missing, else all who were asked.
func (e *Engine) retry(ctx context.Context, name string, tell func(Event)) error {
	s := e.snapshot()
	index := len(s.turns) - 1
	if index < 0 || s.turns[index].Checkpoint != nil {
		return wrong("retry", "write a message", "nothing was asked")
	}
	t := s.turns[index]
	to := t.To
	if name = strings.TrimPrefix(name, "@"); name != "" {
		if !slices.Contains(e.names(), name) {
			return wrong("retry", "those who take part: "+list(e.names()), "no participant is called %q", name)
		}
		to = []string{name}
	} else if failed := failures(t); len(failed) > 0 {
		to = failed
	}
	ready, refused := e.weigh(ctx, s, index, to, tell)
	if len(ready) == 0 {
		if len(refused) == 0 {
			return wrong("retry", "those who take part: "+list(e.names()), "%s left the chat", strings.Join(to, ", "))
		}
		return refusal(refused)
	}
	tell(Asked{Turn: countTurns(s.turns), Text: t.Question, To: to})
	for _, f := range refused {
		tell(f)
	}
	e.askAll(ctx, index, ready, tell)
	return nil
}

// failures names those whose reply is missing or not whole.
func failures(t Turn) []string {
	var names []string
	for _, name := range t.To {
		if r := t.reply(name); r == nil || r.Failure != "" {
			names = append(names, name)
		}
	}
	return names
}

// sessions lists what can be continued.
func (e *Engine) sessions(tell func(Event)) error {
	all, err := Sessions(e.options.Sessions)
	if err != nil {
		return &plimsoll.Error{Op: "/sessions", Err: err}
	}
	if len(all) == 0 {
		done(tell, "no sessions are kept")
		return nil
	}
	tell(Notice{Kind: NoticeText, Text: ListSessions(all)})
	return nil
}

// ListSessions writes sessions for people, one a line.
func ListSessions(all []SessionInfo) string {
	var lines []string
	for _, s := range all {
		lines = append(lines, fmt.Sprintf("%s  %s  %9s  %s", s.ID, s.Changed.Format("2006-01-02 15:04"), plural(s.Turns, "turn"), s.Title))
	}
	return strings.Join(lines, "\n")
}
