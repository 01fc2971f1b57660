package dashboard

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"
)

// The plane that charts are drawn on. It is stretched to whatever room there is, so
// only lines that keep their width are drawn on it, and no letters.
const (
	planeWidth  = 1000
	planeHeight = 400
)

// chart is a drawing with its scale.
type chart struct {
	// Scale is written beside it, from the top down; First and Last below it.
	Scale       []string
	First, Last string
	// Label says in a sentence what is seen.
	Label string
	// Paths of the areas and lines, as SVG has them.
	Cut, Sent, SentLine, UncutLine, Limit, Window string
	Marks                                         []mark
	// Limited says that there is a line.
	Limited bool
}

// mark is something that happened at a request.
type mark struct {
	Kind, Path, Dot, Title string
}

// niceTop is the least round number that is not below a value and has four round parts.
func niceTop(value float64) float64 {
	if value <= 0 {
		return 4
	}
	unit := math.Pow(10, math.Floor(math.Log10(value)))
	for _, step := range []float64{1, 1.2, 1.6, 2, 2.4, 3.2, 4, 6, 8, 10} {
		if step*unit >= value {
			return step * unit
		}
	}
	return 10 * unit
}

// scaleOf are the words beside a chart, from the top down.
func scaleOf(top float64, write func(float64) string) []string {
	words := make([]string, 5)
	for i := range words {
		words[i] = write(top * float64(4-i) / 4)
	}
	return words
}

// onAxis writes a number of tokens in as few digits as it has.
func onAxis(v float64) string {
	text := short(int64(v))
	number := strings.TrimRight(text, "kMG")
	unit := text[len(number):]
	if strings.Contains(number, ".") {
		number = strings.TrimRight(strings.TrimRight(number, "0"), ".")
	}
	return number + unit
}

// plane turns figures into places on a drawing.
type plane struct {
	count int
	top   float64
}

func (p plane) x(i int) float64 {
	if p.count < 2 {
		return planeWidth / 2
	}
	return planeWidth * float64(i) / float64(p.count-1)
}

func (p plane) y(value float64) float64 {
	return planeHeight * (1 - min(1, max(0, value/p.top)))
}

// line is a path through values.
func (p plane) line(values []float64) string {
	var b strings.Builder
	for i, v := range values {
		verb := "L"
		if i == 0 {
			verb = "M"
		}
		fmt.Fprintf(&b, "%s%.1f %.1f", verb, p.x(i), p.y(v))
	}
	if len(values) == 1 {
		return fmt.Sprintf("M0 %.1fH%d", p.y(values[0]), planeWidth)
	}
	return b.String()
}

// band is the area between two rows of values.
func (p plane) band(low, high []float64) string {
	if len(high) == 0 {
		return ""
	}
	if len(high) == 1 {
		return fmt.Sprintf("M0 %.1fH%dV%.1fH0Z", p.y(high[0]), planeWidth, p.y(low[0]))
	}
	var b strings.Builder
	b.WriteString(p.line(high))
	for i := len(low) - 1; i >= 0; i-- {
		fmt.Fprintf(&b, "L%.1f %.1f", p.x(i), p.y(low[i]))
	}
	return b.String() + "Z"
}

// mark is a line up to a value, with a dot on it.
func (p plane) mark(i int, value float64, kind, title string) mark {
	x, y := p.x(i), p.y(value)
	return mark{kind, fmt.Sprintf("M%.1f %dV%.1f", x, planeHeight, y), fmt.Sprintf("M%.1f %.1fh0.01", x, y), title}
}

// loadChart draws the loads of a conversation against its line.
func loadChart(requests []request) *chart {
	var kept []request
	for _, r := range requests {
		if r.Before > 0 {
			kept = append(kept, r)
		}
	}
	if len(kept) == 0 {
		return nil
	}
	var sent, uncut, limit, zero []float64
	most, limited := 0.0, true
	for _, r := range kept {
		after := r.After
		if !r.sent() {
			after = r.Before
		}
		sent, uncut = append(sent, float64(after)), append(uncut, float64(r.Before))
		limit, zero = append(limit, float64(r.Limit)), append(zero, 0)
		most = max(most, float64(r.Before), float64(after), float64(r.Limit)*1.05)
		limited = limited && r.Limit > 0
	}
	p := plane{len(kept), niceTop(most)}
	first, last := kept[0], kept[len(kept)-1]
	c := &chart{
		Scale: scaleOf(p.top, onAxis),
		First: fmt.Sprintf("request %d", first.N), Last: fmt.Sprintf("request %d", last.N),
		Cut: p.band(sent, uncut), Sent: p.band(zero, sent), SentLine: p.line(sent), UncutLine: p.line(uncut), Limited: limited,
		Label: fmt.Sprintf("Load of %d requests: the last one came with %s tokens and was sent with %s", len(kept), grouped(last.Before), grouped(last.After)),
	}
	if limited {
		c.Limit = p.line(limit)
		c.Label += fmt.Sprintf("; the load line is at %s", grouped(last.Limit))
	}
	for i, r := range kept {
		if kind, title := r.mark(); kind != "" {
			c.Marks = append(c.Marks, p.mark(i, max(sent[i], p.top/100), kind, title))
		}
	}
	return c
}

// mark says what is marked at a request.
func (r request) mark() (kind, title string) {
	switch {
	case r.Decision == "refuse":
		return "refused", fmt.Sprintf("request %d was refused", r.N)
	case r.Rescued:
		return "rescued", fmt.Sprintf("request %d: an overflow was caught", r.N)
	case r.New > 0:
		return "cut", fmt.Sprintf("request %d: %d new cuts", r.N, r.New)
	}
	return "", ""
}

// costChart draws what was paid against what would have been.
func costChart(costs []cost, now time.Time) *chart {
	if len(costs) == 0 || costs[len(costs)-1].Uncut == 0 {
		return nil
	}
	var paid, uncut, zero []float64
	for _, c := range costs {
		paid, uncut, zero = append(paid, c.Paid.USD()), append(uncut, c.Uncut.USD()), append(zero, 0)
	}
	last := costs[len(costs)-1]
	p := plane{len(costs), niceTop(max(last.Paid.USD(), last.Uncut.USD()))}
	return &chart{
		Scale: scaleOf(p.top, func(v float64) string { return amount(v, p.top) }), First: ago(now, costs[0].At), Last: ago(now, last.At),
		Cut: p.band(paid, uncut), Sent: p.band(zero, paid), SentLine: p.line(paid), UncutLine: p.line(uncut),
		Label: fmt.Sprintf("Cost: %s were paid, without cuts it would have been %s", last.Paid, last.Uncut),
	}
}

// amount writes an amount on a scale, with the digits that the scale needs.
func amount(usd, top float64) string {
	digits := 2
	if top < 1 {
		digits = 4
	}
	return "$" + strconv.FormatFloat(usd, 'f', digits, 64)
}
