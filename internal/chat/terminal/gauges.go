package terminal

import (
	"fmt"
	"strconv"
	"strings"

	"charm.land/lipgloss/v2"
	"github.com/charmbracelet/x/ansi"

	"github.com/plimsoll/plimsoll/internal/chat"
)

// drawGauges draws a line for each participant, in at most height lines.
func drawGauges(all []chat.Gauge, width, height int, t *theme) []string {
	if len(all) == 0 || height < 1 {
		return nil
	}
	if len(all) > height {
		return shortGauges(all, width, t)
	}
	names := 0
	for _, g := range all {
		names = max(names, ansi.StringWidth(line(g.Participant)))
	}
	names = min(names, max(4, width/4))
	bar, words := gaugeLayout(all, width-names-1, t)
	lines := make([]string, len(all))
	for i, g := range all {
		lines[i] = drawGauge(g, i, names, bar, words, width, t)
	}
	return lines
}

// gaugeLayout finds the most words that leave room for bars, and how long those are:
// alike for all, so that they can be compared. A length of 0 is none.
func gaugeLayout(all []chat.Gauge, room int, t *theme) (bar, words int) {
	const leastBar, mostBar = 10, 32
	for words = range len(gaugeFigures(all[0], t)) {
		bar = mostBar
		for _, g := range all {
			bar = min(bar, room-1-ansi.StringWidth(gaugeFigures(g, t)[words]))
		}
		if bar >= leastBar {
			return bar, words
		}
	}
	return 0, 0
}

// shortGauges puts all participants into one line.
func shortGauges(all []chat.Gauge, width int, t *theme) []string {
	parts := make([]string, len(all))
	for i, g := range all {
		parts[i] = t.name(i).Render(line(g.Participant)) + " " + t.levels[g.Level].Render(share(g)+levelMark(g.Level))
	}
	return []string{ansi.Truncate(strings.Join(parts, t.faint.Render(" · ")), width, "…")}
}

// drawGauge draws a name, a bar and figures.
func drawGauge(g chat.Gauge, index, names, bar, words, width int, t *theme) string {
	name := ansi.Truncate(line(g.Participant), names, "…")
	head := t.name(index).Render(name) + strings.Repeat(" ", names-ansi.StringWidth(name)+1)
	if bar == 0 {
		return ansi.Truncate(head+t.levels[g.Level].Render(share(g)+levelMark(g.Level)), width, "…")
	}
	return head + drawBar(g, bar, t) + " " + t.levels[g.Level].Render(gaugeFigures(g, t)[words])
}

// gaugeFigures are the same figures in ever fewer words, six times.
func gaugeFigures(g chat.Gauge, t *theme) []string {
	say := t.lang.Say
	about, exact := "", say("exact")
	if !g.Exact {
		about, exact = "≈", say("estimated")
		if g.Vocabulary != "" {
			exact = say("exact texts")
		}
		if g.Band > 0 {
			exact += " ±" + grouped(g.Band)
		}
	}
	if g.Unlimited {
		used := about + grouped(g.Used()) + " " + say("tokens")
		all := used + ", " + say("limit unknown") + ", " + exact
		return []string{all + gaugeParts(g, say), all + gaugeParts(g, say), all, used + ", " + exact, used, about + short(g.Used())}
	}
	parts := gaugeParts(g, say)
	of := about + grouped(g.Used()) + say(" of ") + grouped(g.Limit())
	if g.Cut > 0 {
		exact += " · " + say(grouped(g.Cut)+" cut")
	}
	of += " " + share(g)
	return []string{
		of + " " + exact + levelWords(g.Level, say) + parts,
		of + levelMark(g.Level) + " " + exact + parts,
		of + " " + exact + levelWords(g.Level, say),
		of + levelMark(g.Level) + " " + exact,
		of + levelMark(g.Level),
		about + share(g) + levelMark(g.Level),
	}
}

// gaugeParts names what takes the window, as far as it does.
func gaugeParts(g chat.Gauge, say func(string) string) string {
	var b strings.Builder
	for _, p := range []struct {
		name   string
		tokens int
	}{
		{"system", g.System},
		{"tools", g.Tools},
		{"history", g.History},
		{"free", g.Free},
		{"reserve", g.Reserve},
	} {
		if p.tokens != 0 {
			b.WriteString(" · " + say(p.name) + " " + short(p.tokens))
		}
	}
	return b.String()
}

// share is how much of the limit is used, rounded so that only what is full reads
// 100 %.
func share(g chat.Gauge) string {
	if g.Unlimited {
		return grouped(g.Used())
	}
	limit := g.Limit()
	if limit <= 0 {
		return "100 %"
	}
	percent := g.Used() * 100 / limit
	if percent == 0 && g.Used() > 0 {
		return "<1 %"
	}
	return strconv.Itoa(percent) + " %"
}

func levelWords(l chat.Level, say func(string) string) string {
	switch l {
	case chat.Soft:
		return " · " + say("soft mark reached")
	case chat.Hard:
		return " · " + say("HARD MARK REACHED")
	}
	return ""
}

// levelMark says the same where there is no room, and no need of colours.
func levelMark(l chat.Level) string { return strings.Repeat("!", int(l)) }

// drawBar draws the window: system, tools, history, what is free, the reserve.
func drawBar(g chat.Gauge, cells int, t *theme) string {
	if g.Unlimited || g.Window <= 0 {
		return t.free.Render("[" + strings.Repeat("?", cells-2) + "]")
	}
	inside := cells - 2
	var b strings.Builder
	used, drawn := 0, 0
	for _, s := range []struct {
		tokens int
		mark   string
		style  lipgloss.Style
	}{
		{g.System, "▒", t.system},
		{g.Tools, "▓", t.tools},
		{g.History, "█", t.levels[g.Level]},
		{max(0, g.Free), "·", t.free},
		{g.Reserve, "░", t.free},
	} {
		used += s.tokens
		to := min(inside, (used*inside+g.Window/2)/g.Window)
		b.WriteString(s.style.Render(strings.Repeat(s.mark, max(0, to-drawn))))
		drawn = max(drawn, to)
	}
	b.WriteString(strings.Repeat(" ", inside-drawn))
	return t.free.Render("[") + b.String() + t.free.Render("]")
}

// short writes a number in at most four characters and a sign, rounded down.
func short(n int) string {
	sign, size := "", n
	if n < 0 {
		sign, size = "-", -n
	}
	for _, unit := range []struct {
		tokens int
		name   string
	}{{1_000_000, "M"}, {1_000, "k"}} {
		switch {
		case size >= 10*unit.tokens:
			return sign + strconv.Itoa(size/unit.tokens) + unit.name
		case size >= unit.tokens:
			return fmt.Sprintf("%s%d.%d%s", sign, size/unit.tokens, size%unit.tokens*10/unit.tokens, unit.name)
		}
	}
	return strconv.Itoa(n)
}

// grouped writes a number with commas.
func grouped(n int) string {
	s := strconv.Itoa(n)
	sign := ""
	if n < 0 {
		sign, s = "-", s[1:]
	}
	for i := len(s) - 3; i > 0; i -= 3 {
		s = s[:i] + "," + s[i:]
	}
	return sign + s
}
