package chat

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// tools are what participants may use.
func (e *Engine) tools() []plimsoll.Tool {
	if e.options.Tools == nil {
		return nil
	}
	return e.options.Tools.Tools()
}

// draw writes what a participant would be sent.
func (e *Engine) draw(p Participant, s state, asking int) (*wire.Request, view, error) {
	v := see(p, e.Participants(), s, asking)
	r, err := write(p, v.system, e.tools(), v.messages)
	return r, v, err
}

// task is the task of fitting a request, as the transport will do it.
func (e *Engine) task(k *plimsoll.Keeper, p Participant, r *wire.Request, s state) (plimsoll.Task, error) {
	t := dialects.Task(r)
	t.Conversation.Model = p.Model
	for _, pattern := range pinsOf(s.turns) {
		t.Pins = append(t.Pins, plimsoll.Pin{Match: regexp.MustCompile(pattern)})
	}
	if e.tenant != nil {
		id := e.tenant.ID()
		t.Scope, t.Archive, t.Memory = hex.EncodeToString(id[:]), e.tenant, e.tenant.Memory()
		if e.offers(p) {
			t.Offer, t.OfferAlways = expand.Tools(), e.options.Expand == transport.ExpandAlways
		}
	}
	line, err := e.line(k, p, t.Conversation, s.settings.Limit)
	t.Line = &line
	return t, err
}

// offers reports whether the transport offers tools that read what was taken out: not
// to models that may not know tools at all.
func (e *Engine) offers(p Participant) bool {
	switch e.options.Expand {
	case transport.ExpandOff, transport.ExpandMCP:
		return false
	}
	u, err := url.Parse(p.URL)
	return err == nil && official(u.Host) || len(e.tools()) > 0
}

// line is where a request must be, by the same rules as the transport's.
func (e *Engine) line(k *plimsoll.Keeper, p Participant, c plimsoll.Conversation, limit int) (plimsoll.Line, error) {
	line := plimsoll.Line{Window: limit, Reserve: plimsoll.ReserveFor(limit, 0)}
	if c.MaxOutput > 0 {
		line.Reserve = min(c.MaxOutput, limit/4)
	}
	if limit == 0 {
		known, err := k.Line(c)
		if err != nil {
			return known, err
		}
		line = known
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	if told, ok := e.learned[p.URL+" "+p.Model]; ok && told.Limit() < line.Limit() {
		line = told
	}
	return line, nil
}

// learn remembers the line that a server has taught the transport.
func (e *Engine) learn(p Participant, x transport.Exchange) {
	if !x.Rescued {
		return
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.learned[p.URL+" "+p.Model] = x.Line
}

// pinRunes is how much of a message is compared to know it again.
const pinRunes = 160

// pinsOf are patterns that find the messages of pinned turns.
func pinsOf(turns []Turn) []string {
	var all []string
	add := func(text string) {
		line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
		if runes := []rune(line); len(runes) > pinRunes {
			line = string(runes[:pinRunes])
		}
		line = strings.TrimFunc(line, func(r rune) bool { return r < ' ' })
		if line != "" && !strings.ContainsFunc(line, func(r rune) bool { return r < ' ' || r == 0x7f }) {
			all = append(all, regexp.QuoteMeta(line))
		}
	}
	for _, t := range turns {
		if !t.Pinned {
			continue
		}
		add(t.Question)
		for _, r := range t.Replies {
			add(r.Text)
		}
	}
	return all
}

// plan says what would become of a request.
func (e *Engine) plan(ctx context.Context, p Participant, s state, asking int) (*plimsoll.Plan, view, error) {
	k, err := e.options.Keeper(s.settings.Method)
	if err != nil {
		return nil, view{}, err
	}
	r, v, err := e.draw(p, s, asking)
	if err != nil {
		return nil, v, err
	}
	t, err := e.task(k, p, r, s)
	if err != nil {
		return nil, v, err
	}
	plan, err := k.PlanTask(ctx, t)
	return plan, v, err
}

// refresh reads the gauges anew. What cannot be weighed has none.
func (e *Engine) refresh(ctx context.Context) {
	s := e.snapshot()
	var all []Gauge
	for _, p := range e.Participants() {
		plan, _, err := e.plan(ctx, p, s, -1)
		var over *plimsoll.OverloadError
		if errors.As(err, &over) {
			// What cannot be made to fit is shown as it is.
			free := s
			free.settings.Limit = unbounded
			if plan, _, err = e.plan(ctx, p, free, -1); err == nil {
				plan.Line = over.Line
			}
		}
		if err == nil {
			all = append(all, gaugeOf(p, plan, e.options.Marks))
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gauges = all
}

// tellEstimates says once of each participant that its tokens are estimated.
func (e *Engine) tellEstimates(tell func(Event)) {
	for _, g := range e.Gauges() {
		e.mu.Lock()
		known := e.told[g.Participant+" "+g.Model]
		e.told[g.Participant+" "+g.Model] = true
		e.mu.Unlock()
		if !g.Exact && !known {
			tell(Notice{
				Kind: NoticeEstimate, Participant: g.Participant,
				Text: fmt.Sprintf("the tokens of %s (%s) are estimated; figures with ≈ may be off", g.Participant, g.Model),
			})
		}
	}
}

// going says what a plan takes out that was there before; empty if nothing.
func going(plan *plimsoll.Plan, v view) string {
	replayed := 0
	for _, r := range plan.Rungs {
		if r.Replayed {
			replayed += r.Edits
		}
	}
	dropped, summed, cleared := map[int]bool{}, map[int]bool{}, 0
	for i, edit := range plan.Edits {
		switch {
		case i < replayed || edit.Message < 0:
		case edit.Kind == plimsoll.EditDrop && edit.Rung == "compact" && edit.Message < len(v.turns):
			summed[v.turns[edit.Message]] = true
		case edit.Kind == plimsoll.EditDrop && edit.Message < len(v.turns):
			dropped[v.turns[edit.Message]] = true
		case edit.Kind == plimsoll.EditReplace || edit.Kind == plimsoll.EditRemove:
			cleared++
		}
	}
	var parts []string
	if n := len(dropped); n > 0 {
		parts = append(parts, plural(n, "turn")+" will go")
	}
	if n := len(summed); n > 0 {
		parts = append(parts, plural(n, "turn")+" will become a summary")
	}
	if cleared > 0 {
		parts = append(parts, plural(cleared, "tool output")+" will be shortened")
	}
	if len(parts) == 0 {
		return ""
	}
	return fmt.Sprintf("%s: %s → %s tokens", strings.Join(parts, ", "), count(plan.Before), count(plan.After))
}

// count writes a load, marked if it is an estimate.
func count(l plimsoll.Load) string { return Tokens(l.Total, l.Exact) }

// Tokens writes a number of tokens for people: in groups, marked if it is an estimate.
func Tokens(n int, exact bool) string {
	digits := []byte(fmt.Sprint(max(n, -n)))
	var groups []string
	for len(digits) > 3 {
		groups = append(groups, string(digits[len(digits)-3:]))
		digits = digits[:len(digits)-3]
	}
	groups = append(groups, string(digits))
	slices.Reverse(groups)
	text := strings.Join(groups, ",")
	if n < 0 {
		text = "-" + text
	}
	if !exact {
		text = "≈" + text
	}
	return text
}

func plural(n int, noun string) string {
	if n == 1 {
		return "1 " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}
