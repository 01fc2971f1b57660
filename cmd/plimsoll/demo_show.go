package main

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/lab/demo"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
)

// show draws a demonstration while it is played.
type show struct {
	p *process
	d display
	// gauges are drawn on a terminal, json is printed at the end.
	gauges, json bool
	all          []demo.RequestResult
}

func (c *demoCmd) newShow(p *process, root *cli) *show {
	s := &show{p: p, d: newDisplay(p, nil, root.Color), json: c.JSON}
	s.gauges = isTerminal(p.stdout) && !c.Plain && !c.JSON
	if c.Plain {
		s.d.color = false
	}
	return s
}

// request draws one request as soon as it was answered.
func (s *show) request(r demo.RequestResult) {
	s.all = append(s.all, r)
	if s.json {
		return
	}
	if r.N == 1 {
		fmt.Fprintln(s.p.out, s.d.wrap(s.opening(r), 0)+"\n")
	}
	if s.gauges {
		fmt.Fprintln(s.p.out, s.line(r))
	} else {
		s.p.say("%s", s.sentence(r))
	}
	s.cuts(r)
	s.looks(r)
	if r.Refused != "" {
		s.say("refused: "+bar.Clean(r.Refused), styleAlarm)
	}
	if r.Warning != "" {
		s.say("warning: "+bar.Clean(r.Warning), styleAlarm)
	}
	_ = s.p.out.Flush() // what is wrong with the output is said in the end
}

func (s *show) opening(r demo.RequestResult) string {
	text := fmt.Sprintf("An agent works on the sources of plimsoll: %s, each with the whole history. The line is at %s tokens.", plural(r.Of, "request"), grouped(r.Limit))
	if s.gauges {
		sent, cut, line, _ := s.marks()
		text += fmt.Sprintf(" %s is sent, %s was cut, %s is the line.", sent, cut, line)
	}
	return text
}

// say prints a line about the request above it.
func (s *show) say(text, style string) {
	const indent = 7
	for line := range strings.Lines(s.d.wrap(strings.Repeat(" ", indent)+text, indent+2) + "\n") {
		fmt.Fprint(s.p.out, s.d.paint(strings.TrimRight(line, "\n"), style)+"\n")
	}
}

func (s *show) sentence(r demo.RequestResult) string {
	text := fmt.Sprintf("request %d of %d: %s tokens", r.N, r.Of, grouped(r.Uncut))
	if r.Refused != "" {
		return text + "; refused"
	}
	if r.Sent != r.Uncut {
		text += fmt.Sprintf(", sent as %s", grouped(r.Sent))
	}
	text += fmt.Sprintf("; %s cached; %s", percent(r.Usage.CacheRead, r.Usage.Prompt()), r.Decision)
	if r.Over {
		text += "; it would have overflowed"
	}
	return text + "; the model: " + bar.Clean(r.Does)
}

// The widths of what stands beside a gauge.
const (
	gaugeCells  = 44
	leastGauge  = 16
	besideGauge = 46
	numberCells = 9
)

// line draws a request on one line: its number, the gauge, what was sent, how much of
// it was cached, and what came of it.
func (s *show) line(r demo.RequestResult) string {
	cells := max(leastGauge, min(gaugeCells, s.d.width-besideGauge))
	line := bar.PadLeft(fmt.Sprintf("%d/%d", r.N, r.Of), 5) + " " + s.gauge(r, cells) +
		bar.PadLeft(grouped(r.Sent), numberCells) + bar.PadLeft(percentOf(r.Usage), 5)
	if room := s.d.width - bar.Cells(uncolored(line)) - 2; room > leastGauge {
		line += "  " + s.d.paint(bar.Clip(bar.Clean(r.Does), room), styleFaint)
	}
	return line
}

func percentOf(u plimsoll.Usage) string {
	return fmt.Sprintf("%.0f%%", 100*float64(u.CacheRead)/float64(max(1, u.Prompt())))
}

// uncolored takes the colours out of a text that colour wrote.
func uncolored(text string) string {
	var b strings.Builder
	for {
		before, rest, found := strings.Cut(text, "\x1b[")
		b.WriteString(before)
		if !found {
			return b.String()
		}
		_, text, _ = strings.Cut(rest, "m")
	}
}

// marks are what a gauge is made of: what was sent, what was cut, the line, and that
// there is more than can be shown.
func (s *show) marks() (sent, cut, line, more string) {
	if s.d.ascii {
		return "#", "-", "|", ">"
	}
	return "█", "░", "│", "»"
}

// lineAt is where the line stands in a gauge, as a share of it.
const lineAt = 0.4

// gauge draws what was sent and what was cut on a scale on which the line stands
// always at the same place.
func (s *show) gauge(r demo.RequestResult, cells int) string {
	sent, cut, line, more := s.marks()
	at := int(lineAt * float64(cells))
	scale := func(tokens int) int { return tokens * at / max(1, r.Limit) }
	var b strings.Builder
	for i := range cells {
		switch {
		case i < scale(r.Sent) || i == 0:
			b.WriteString(s.d.paint(sent, loadStyle(r)))
		case i == at:
			b.WriteString(line)
		case i == cells-1 && scale(r.Uncut) > cells:
			b.WriteString(s.d.paint(more, styleFaint))
		case i < scale(r.Uncut):
			b.WriteString(s.d.paint(cut, styleFaint))
		default:
			b.WriteByte(' ')
		}
	}
	return b.String()
}

// loadStyle is the colour of a load: it warns when it comes near to the line.
func loadStyle(r demo.RequestResult) string {
	switch share := float64(r.Sent) / float64(max(1, r.Limit)); {
	case share > 0.9:
		return "31"
	case share > 0.7:
		return "33"
	}
	return "32"
}

// cuts says what was cut and why.
func (s *show) cuts(r demo.RequestResult) {
	if !r.Cut() {
		return
	}
	saved := 0
	var how []string
	for _, rung := range r.Rungs {
		if rung.Replayed || rung.Edits == 0 || rung.Undone != "" {
			continue
		}
		saved += rung.Saved
		how = append(how, fmt.Sprintf("%s (%s)", rungWords(rung.Rung), rung.Rung))
	}
	why := "it costs less to cut now than to carry it on"
	if before := r.Sent + saved; before > r.Limit {
		why = fmt.Sprintf("%s tokens are over the line", grouped(before))
	}
	what := fmt.Sprintf("cut: %s, so %s: %s tokens less", why, strings.Join(how, ", then "), grouped(saved))
	if len(how) == 0 {
		what = "cut before this request, to make room for what the model read back"
	}
	s.say(what, styleStrong)
	const shown = 3
	for i, piece := range r.Pieces {
		text := s.d.lang.Say(pieceWords(piece))
		if i == shown {
			text = s.d.lang.Say(fmt.Sprintf("and %d more", len(r.Pieces)-i))
		}
		if text = "         " + text; s.d.known {
			text = bar.Clip(text, s.d.width)
		}
		fmt.Fprintln(s.p.out, text)
		if i == shown {
			break
		}
	}
}

// rungWords says what a rung did.
func rungWords(rung string) string {
	switch rung {
	case "view":
		return "long outputs are shortened"
	case "dedupe":
		return "outputs that came again are shown once"
	case "clear":
		return "old outputs become placeholders"
	case "reasoning":
		return "old thinking goes"
	case "compact":
		return "old messages become a checkpoint"
	case "slide":
		return "the oldest rounds go"
	case "offer":
		return "the model gets tools to read what was cut"
	}
	return "old messages go"
}

func pieceWords(piece demo.Piece) string {
	where := "gone"
	switch {
	case piece.Ref != "":
		where = "ref=" + piece.Ref
	case piece.Message:
		where = "with its message"
	}
	return fmt.Sprintf("%s  %s, %s bytes", where, bar.Clean(piece.What), grouped(piece.Bytes))
}

// looks says what the model had back.
func (s *show) looks(r demo.RequestResult) {
	for _, l := range r.Looks {
		as := "as recorded"
		if !l.Same {
			as = "NOT as recorded"
		}
		if l.Beside {
			as += ", beside a call of the client's own"
		}
		s.say(fmt.Sprintf("hidden from the client: the model calls %s for ref=%s (%s) and gets %s, %s", l.Tool, l.Ref, bar.Clean(l.What), plural(l.Lines, "line"), as), "36")
	}
}

// demoReport is a demonstration for programs.
type demoReport struct {
	Requests []demo.RequestResult `json:"requests"`
	Total    *demo.Report         `json:"total"`
}

// report prints what it came to.
func (s *show) report(r *demo.Report) {
	if s.json {
		_ = encodeJSON(s.p.out, demoReport{s.all, r}) // what is wrong with the output is said in the end
		return
	}
	width := s.d.width
	if !s.d.known {
		width = math.MaxInt
	}
	t := table{columns: []column{{words: true}, {right: true}, {floor: 24, drop: 1, words: true}}, rows: s.rows(r)}
	for _, line := range s.d.lines(t, width) {
		fmt.Fprintln(s.p.out, strings.TrimRight(line, " "))
	}
}

func (s *show) rows(r *demo.Report) [][]string {
	rows := [][]string{
		{"requests", grouped(r.Requests), fmt.Sprintf("%s, %s, %.1f s", r.Dialect, r.Model, r.Seconds)},
		{"would have overflowed without us", grouped(r.Over), fmt.Sprintf("the window has %s tokens", grouped(r.Window))},
		{"tokens uncut", grouped(r.Uncut), "the largest request " + grouped(r.LargestUncut)},
		{"tokens sent", grouped(r.Sent), "the largest request " + grouped(r.LargestSent)},
		{"cuts", grouped(r.Cuts), plural(r.Pieces, "output") + " in all"},
		{"references", grouped(r.Refs), allOf(r.Same, r.Refs, "byte for byte what was recorded")},
		{"read back by the model", grouped(r.Looks), allOf(r.SameLooks, r.Looks, "right, hidden from the client")},
		{"read from the prompt cache", fmt.Sprintf("%.1f %%", 100*r.Cached), "of what was sent"},
	}
	if r.Refused > 0 {
		refused := []string{"refused", grouped(r.Refused), "choose a larger window, or the preset auto, which can cut inside of the newest turn"}
		rows = slices.Insert(rows, 1, refused)
	}
	if !r.Priced {
		return rows
	}
	return append(rows, [][]string{
		{"would have cost", dollars(r.WouldCost), "uncut, in a window large enough"},
		{"did cost", dollars(r.Cost), ""},
		{"net saved", dollars(r.Net), fmt.Sprintf("%.0f %%, cache rewrites subtracted", 100*r.Net/max(r.WouldCost, 1e-9))},
	}...)
}

// allOf says how many of several are as they should be.
func allOf(n, all int, are string) string {
	if n == all {
		return "all " + are
	}
	return fmt.Sprintf("ONLY %s %s", grouped(n), are)
}

func dollars(usd float64) string { return account.Dollars(usd).String() }

// begin says where it can be watched.
func (s *show) begin(address string) {
	s.p.warn(fmt.Sprintf("dashboard on %s%s", address, dashboard.Root))
}

// stay prints the report, and how to ask the proxy, until a signal ends the process.
func (s *show) stay(ctx context.Context, address string, r *demo.Report) {
	s.report(r)
	_ = s.p.out.Flush() // as above
	s.p.warn(fmt.Sprintf("serving %s until it is told to end (Ctrl-C); look at %s%s, or try", address, address, dashboard.Root))
	fmt.Fprintf(s.p.stderr, `  curl -si %[1]s/v1/messages -H 'anthropic-version: 2023-06-01' -d '{"model":%[2]q,"max_tokens":100,"messages":[{"role":"user","content":"hello"}]}'
  curl -s %[1]s/plimsoll/v1/accounts/total
`, address, "claude-sonnet-4-5")
	<-ctx.Done()
}
