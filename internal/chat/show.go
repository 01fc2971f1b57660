package chat

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/fit"
)

// share is something that takes space.
type share struct {
	what   string
	tokens int
}

// context shows what takes the space of a participant, largest first.
func (e *Engine) context(ctx context.Context, name string, tell func(Event)) error {
	s := e.snapshot()
	name = strings.TrimPrefix(name, "@")
	if name == "" {
		name = e.addressed(s)[0]
	}
	all := e.Participants()
	at := slices.IndexFunc(all, func(p Participant) bool { return p.Name == name })
	if at < 0 {
		return wrong("context", "those who take part: "+list(e.names()), "no participant is called %q", name)
	}
	plan, v, err := e.plan(ctx, all[at], s, -1)
	if err != nil {
		return refuse(all[at], err)
	}
	tell(Notice{Kind: NoticeText, Participant: name, Text: report(all[at], s, plan, v, e.options.Marks)})
	return nil
}

func report(p Participant, s state, plan *plimsoll.Plan, v view, marks fit.Watermarks) string {
	load := plan.Before
	g := gaugeOf(p, plan, v, marks)
	lines := []string{fmt.Sprintf("%s (%s): %s", p.Name, p.Model, g.String())}
	shares := []share{{"system prompt", load.System}, {"tools", load.Tools}, {"framing", load.Framing}}
	perTurn := make([]int, len(s.turns))
	for i, m := range load.Messages {
		if turn := v.turnOf(i, len(load.Messages)); turn < 0 {
			shares[0].tokens += m.Tokens
		} else {
			perTurn[turn] += m.Tokens
		}
	}
	for i, n := range perTurn {
		shares = append(shares, share{describeTurn(i, s.turns[i]), n})
	}
	slices.SortStableFunc(shares, func(a, b share) int { return cmp.Compare(b.tokens, a.tokens) })
	for _, sh := range shares {
		if sh.tokens > 0 {
			lines = append(lines, fmt.Sprintf("%10s  %s", Tokens(sh.tokens, load.Exact), sh.what))
		}
	}
	return strings.Join(lines, "\n")
}

func describeTurn(i int, t Turn) string {
	if t.Checkpoint != nil {
		text := fmt.Sprintf("summary of %s", plural(t.Checkpoint.Turns, "turn"))
		if t.Checkpoint.Ref != "" {
			text += ", ref " + t.Checkpoint.Ref
		}
		return text
	}
	text := fmt.Sprintf("turn %d: %s", i+1, shortened(t.Question, titleRunes))
	for _, a := range t.Attached {
		text += " +" + a.Name
	}
	if t.Pinned {
		text += " (pinned)"
	}
	return text
}

// expand shows lines of what was taken out. Lines count from 1.
func (e *Engine) expand(ctx context.Context, arguments string, tell func(Event)) error {
	fields := strings.Fields(arguments)
	if len(fields) < 1 || len(fields) > 3 {
		return wrong("expand", "write /expand REF, or /expand REF FIRST LAST for some lines", "%q is no reference", arguments)
	}
	r := expand.Read{Ref: fields[0]}
	for i, text := range fields[1:] {
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 {
			return wrong("expand", "lines count from 1", "%q is no line", text)
		}
		if i == 0 {
			r.Offset = n - 1
		} else {
			r.Limit = max(1, n-r.Offset)
		}
	}
	if err := e.stored("expand"); err != nil {
		return err
	}
	answer, err := r.Answer(ctx, e.tenant, expand.Limits{})
	return e.tellStored("expand", answer.Text, err, tell)
}

// grep searches what was taken out.
func (e *Engine) grep(ctx context.Context, arguments string, tell func(Event)) error {
	ref, pattern, _ := strings.Cut(arguments, " ")
	if pattern = strings.TrimSpace(pattern); pattern == "" {
		return wrong("grep", "write /grep REF PATTERN", "there is nothing to look for")
	}
	if err := e.stored("grep"); err != nil {
		return err
	}
	var out strings.Builder
	err := expand.Grep{Ref: ref, Pattern: pattern, Regex: true}.Matches(ctx, &out, e.tenant, expand.Limits{})
	return e.tellStored("grep", out.String(), err, tell)
}

func (e *Engine) stored(command string) error {
	if e.tenant == nil {
		return &plimsoll.Error{
			Op: "/" + command, Code: plimsoll.CodeUnsupported, Err: fmt.Errorf("there is no store: %w", plimsoll.ErrUnsupported),
			Hint: "start the chat with --store",
		}
	}
	return nil
}

func (e *Engine) tellStored(command, text string, err error, tell func(Event)) error {
	if err != nil {
		return &plimsoll.Error{Op: "/" + command, Code: plimsoll.CodeOf(err), Err: err, Hint: "references stand in summaries, and in what /context shows"}
	}
	tell(Notice{Kind: NoticeData, Text: strings.TrimRight(text, "\n")})
	return nil
}
