package dashboard

import "fmt"

// The disc of a gauge: where its middle is, at which the load line crosses it, and its
// radius.
const (
	discMiddle = 75.0
	discRadius = 60.0
)

// gauge is the load of a conversation as a Plimsoll mark: a disc with the load line
// through its middle. Water that reaches the line is a load at its limit.
type gauge struct {
	// Key tells gauges on a page apart.
	Key string
	// Sent and Uncut are where the water stands, from the top.
	Sent, Uncut float64
	// Level is a word for how near the line is: "low", "near" or "over".
	Level string
	Label string
}

// gaugeOf draws a load. Without a limit there is no water.
func gaugeOf(key string, before, after, limit int) gauge {
	g := gauge{Key: key, Sent: discMiddle + discRadius, Uncut: discMiddle + discRadius, Level: "low", Label: "no limit is known"}
	if limit <= 0 {
		return g
	}
	share := float64(after) / float64(limit)
	g.Sent, g.Uncut = waterAt(share), waterAt(float64(before)/float64(limit))
	switch {
	case share > 1:
		g.Level = "over"
	case share > 0.9:
		g.Level = "near"
	}
	g.Label = fmt.Sprintf("%s of the load line: %s of %s tokens", percent(share), grouped(after), grouped(limit))
	if before > after {
		g.Label += fmt.Sprintf("; uncut it would be %s", percent(float64(before)/float64(limit)))
	}
	return g
}

// waterAt is the height of the water: at the bottom of the disc without any load, at its
// middle with a load at the limit, at its top with twice that.
func waterAt(share float64) float64 {
	return discMiddle + discRadius*(1-min(2, max(0, share)))
}
