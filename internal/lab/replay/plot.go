package replay

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
)

// colours is how many the page's style has.
const colours = 10

// The size of a plot and of the room around it, in the units of its drawing.
const (
	plotWidth  = 720.0
	plotHeight = 300.0
	roomLeft   = 64.0
	roomBelow  = 40.0
	roomAbove  = 14.0
	roomRight  = 110.0
)

// axis maps values to places.
type axis struct {
	low, high  float64
	from, till float64
}

func (a axis) place(v float64) float64 {
	if a.high == a.low {
		return (a.from + a.till) / 2
	}
	return a.from + (v-a.low)/(a.high-a.low)*(a.till-a.from)
}

// tick is a mark on an axis.
type tick struct {
	At   float64
	Text string
}

// ticks returns marks at round values, about so many.
func (a axis) ticks(about int, text func(float64) string) []tick {
	step := roundStep((a.high - a.low) / float64(about))
	var all []tick
	for v := math.Ceil(a.low/step) * step; v <= a.high+step/1e6; v += step {
		all = append(all, tick{a.place(v), text(v)})
	}
	return all
}

// roundStep is 1, 2 or 5 times a power of ten.
func roundStep(step float64) float64 {
	if step <= 0 {
		return 1
	}
	power := math.Pow(10, math.Floor(math.Log10(step)))
	for _, m := range []float64{1, 2, 5} {
		if step <= m*power {
			return m * power
		}
	}
	return 10 * power
}

// frame is what all plots have.
type frame struct {
	Width, Height            float64
	Left, Right, Top, Bottom float64
	X, Y                     []tick
}

func newFrame() frame {
	return frame{
		Width: plotWidth, Height: plotHeight,
		Left: roomLeft, Right: plotWidth - roomRight, Top: roomAbove, Bottom: plotHeight - roomBelow,
	}
}

// scatter has cost against something that a policy keeps, a dot for each policy.
type scatter struct {
	frame
	Title, Meaning string
	Dots           []dot
}

// dot is a policy in a plot.
type dot struct {
	X, Y   float64
	TextY  float64
	Name   string
	Colour int
}

// scatters are cost against reach, and against what survives cuts as far as there is any.
func (r *Report) scatters() []scatter {
	all := []scatter{
		r.scatter("Cost against reach", "what calls used", func(p PolicyResult) *float64 { return &p.Reach }),
		r.scatter("Cost against identifiers that survive a cut", "what later calls used and only the removed part had", func(p PolicyResult) *float64 { return p.SurvivalIDs }),
		r.scatter("Cost against words in reach", "what answers said and only removed messages had", func(p PolicyResult) *float64 { return p.ReachWords }),
		r.scatter("Cost against words that survive a cut", "what later messages said and only the removed part had", func(p PolicyResult) *float64 { return p.SurvivalWords }),
	}
	return slices.DeleteFunc(all, func(s scatter) bool { return len(s.Dots) == 0 })
}

func (r *Report) scatter(title, meaning string, kept func(PolicyResult) *float64) scatter {
	s := scatter{frame: newFrame(), Title: title, Meaning: meaning}
	x := axis{low: math.Inf(1), high: math.Inf(-1), from: s.Left, till: s.Right}
	y := axis{low: math.Inf(1), high: 1, from: s.Bottom, till: s.Top}
	for _, name := range r.Order {
		res := r.Policies[name]
		if v := kept(res); v != nil {
			x.low, x.high = min(x.low, res.CostVsNone), max(x.high, res.CostVsNone)
			y.low = min(y.low, *v)
		}
	}
	if math.IsInf(x.low, 1) {
		return s
	}
	x.low, x.high = x.low-0.05, x.high+0.05
	y.low = max(0, y.low-0.01)
	s.X = x.ticks(8, func(v float64) string { return fmt.Sprintf("%.2f", v) })
	s.Y = y.ticks(6, func(v float64) string { return fmt.Sprintf("%.1f %%", 100*v) })
	for i, name := range r.Order {
		res := r.Policies[name]
		v := kept(res)
		if v == nil {
			continue
		}
		d := dot{X: x.place(res.CostVsNone), Y: y.place(*v), Name: name, Colour: i % colours}
		d.TextY = d.Y + 4
		for _, other := range s.Dots {
			if math.Abs(other.TextY-d.TextY) < 12 && math.Abs(other.X-d.X) < 90 {
				d.TextY = other.TextY + 12
			}
		}
		s.Dots = append(s.Dots, d)
	}
	return s
}

// course is how the load of one session went under each policy.
type course struct {
	frame
	Session string
	Calls   int
	Tokens  int
	Lines   []curve
}

// curve is a policy's load over the calls.
type curve struct {
	Name   string
	Colour int
	Points string
	Cuts   []dot
	// EndX and TextY are where its name stands.
	EndX, TextY float64
}

func (r *Report) course(p *Played) course {
	c := course{frame: newFrame(), Session: p.ID, Calls: p.Calls, Tokens: p.Tokens}
	x := axis{high: 1, from: c.Left, till: c.Right}
	y := axis{high: 1, from: c.Bottom, till: c.Top}
	for _, o := range p.outcomes {
		x.high = max(x.high, float64(len(o.loads)-1))
		for _, load := range o.loads {
			y.high = max(y.high, float64(load))
		}
	}
	if p.window > 0 { // what could not be sent would hide the rest
		y.high = min(y.high, float64(p.window))
	}
	c.X = x.ticks(8, func(v float64) string { return fmt.Sprintf("%.0f", v) })
	c.Y = y.ticks(6, func(v float64) string { return fmt.Sprintf("%.0fk", v/1000) })
	for i, name := range r.Order {
		if len(p.outcomes[i].loads) > 0 {
			c.Lines = append(c.Lines, lineOf(p.outcomes[i], name, i%colours, x, y))
		}
	}
	spread(c.Lines, c.Bottom)
	return c
}

// textHeight is how far apart names must stand to be read.
const textHeight = 12

// spread moves names apart that would stand on each other, and none below the bottom.
func spread(lines []curve, bottom float64) {
	byHeight := make([]*curve, len(lines))
	for i := range lines {
		byHeight[i] = &lines[i]
	}
	slices.SortStableFunc(byHeight, func(a, b *curve) int { return cmp.Compare(a.TextY, b.TextY) })
	for i := 1; i < len(byHeight); i++ {
		byHeight[i].TextY = max(byHeight[i].TextY, byHeight[i-1].TextY+textHeight)
	}
	for _, l := range slices.Backward(byHeight) {
		l.TextY = min(l.TextY, bottom)
		bottom = l.TextY - textHeight
	}
}

func lineOf(o *Outcome, name string, colour int, x, y axis) curve {
	l := curve{Name: name, Colour: colour}
	var points strings.Builder
	for i, load := range o.loads {
		l.EndX, l.TextY = x.place(float64(i)), y.place(min(float64(load), y.high))
		fmt.Fprintf(&points, "%.1f,%.1f ", l.EndX, l.TextY)
	}
	l.Points = strings.TrimSpace(points.String())
	if len(o.cutAt) <= maxCutMarks {
		for _, i := range o.cutAt {
			l.Cuts = append(l.Cuts, dot{X: x.place(float64(i)), Y: y.place(min(float64(o.loads[i]), y.high)), Name: name, Colour: colour})
		}
	}
	return l
}

// maxCutMarks is how many cuts are marked; a policy that cuts all the time would
// cover everything else.
const maxCutMarks = 80
