package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
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

// plan says what would become of a request. It is asked of the transport that would
// send it, so that the plan is what is done. Nothing is sent.
func (e *Engine) plan(ctx context.Context, p Participant, s state, asking int) (*plimsoll.Plan, view, error) {
	r, v, err := e.draw(p, s, asking)
	if err != nil {
		return nil, v, err
	}
	var box exchangeBox
	req, err := e.newRequest(context.WithValue(ctx, boxKey{}, &box), p, s, r.Body())
	if err != nil {
		return nil, v, err
	}
	req.Header.Set(transport.HeaderDryRun, "true")
	resp, err := e.transport.RoundTrip(req)
	if err != nil {
		return nil, v, err
	}
	defer resp.Body.Close()
	if x := box.get(); x.Decision == transport.Refused && x.Err != nil {
		return nil, v, x.Err
	}
	var plan plimsoll.Plan
	if err := json.NewDecoder(resp.Body).Decode(&plan); err != nil {
		return nil, v, fmt.Errorf("read the plan: %w", err)
	}
	return &plan, v, nil
}

// refresh reads the gauges again. What cannot be weighed has none.
func (e *Engine) refresh(ctx context.Context) {
	s := e.snapshot()
	var all []Gauge
	for _, p := range e.Participants() {
		plan, v, err := e.plan(ctx, p, s, -1)
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
			g := gaugeOf(p, plan, v, e.options.Marks)
			g.Vocabulary = e.vocabulary(p.Model)
			all = append(all, g)
		}
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.gauges = all
}

// vocabulary is the model's own by which its texts are counted; empty if there is none.
func (e *Engine) vocabulary(model string) string {
	if e.options.Counter == nil {
		return ""
	}
	info, err := e.options.Counter(model)
	if err != nil || !info.Exact {
		return ""
	}
	return info.Encoding
}

// tellEstimates says once of each participant that its tokens are estimated, and what
// is wrong with its vocabulary.
func (e *Engine) tellEstimates(tell func(Event)) {
	for _, g := range e.Gauges() {
		e.mu.Lock()
		known := e.told[g.Participant+" "+g.Model]
		e.told[g.Participant+" "+g.Model] = true
		e.mu.Unlock()
		if g.Exact || known {
			continue
		}
		if e.options.Counter != nil {
			if _, err := e.options.Counter(g.Model); err != nil {
				tell(Notice{Kind: NoticeWarning, Participant: g.Participant, Text: fmt.Sprintf("%v; %s", err, plimsoll.HintOf(err))})
			}
		}
		text := fmt.Sprintf("the tokens of %s (%s) are estimated; figures with ≈ may be off, and API errors may occur", g.Participant, g.Model)
		if g.Vocabulary != "" {
			text = fmt.Sprintf("the texts of %s (%s) are counted exactly, by the vocabulary %s, and what its API puts around them is estimated; figures with ≈ may be off a little, and API errors may occur", g.Participant, g.Model, g.Vocabulary)
		}
		tell(Notice{Kind: NoticeEstimate, Participant: g.Participant, Text: text})
	}
}

// going says what a plan takes out that was there before; empty if nothing.
func going(plan *plimsoll.Plan, v view) string {
	// The load is compared with what was sent before, as the turns are.
	replayed, before := 0, plan.Before
	for _, r := range plan.Rungs {
		if r.Replayed {
			replayed += r.Edits
			before.Total -= r.Saved
		}
	}
	dropped, summed, cleared := map[int]bool{}, map[int]bool{}, 0
	for _, edit := range plan.Edits[min(replayed, len(plan.Edits)):] {
		turn := v.turnOf(edit.Message, len(plan.Before.Messages))
		switch {
		case edit.Kind == plimsoll.EditDrop && edit.Rung == "compact":
			summed[turn] = true
		case edit.Kind == plimsoll.EditDrop:
			dropped[turn] = true
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
	return fmt.Sprintf("%s: %s → %s tokens", strings.Join(parts, ", "), count(before), count(plan.After))
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
