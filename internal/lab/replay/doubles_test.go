package replay

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit/rent"
	"github.com/plimsoll/plimsoll/token"
)

var noon = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

// anthropic are the prices that most tests pay.
var anthropic = rent.Prices{Read: 0.1, Write: 1.25, Output: 5, Life: 5 * time.Minute}

// voyage is an agent's session: each round reads a chart that names the next, and
// every seventh asks for a buoy that only the chart of ten rounds before names.
func voyage(rounds, words int) *Session {
	s := &Session{ID: "voyage", Model: "claude-sonnet-4-5", Dialect: plimsoll.Anthropic}
	add := func(m plimsoll.Message, at int) {
		e := entryOf(m)
		e.Time = noon.Add(time.Duration(at) * time.Minute)
		s.Entries = append(s.Entries, e)
	}
	add(plimsoll.Say(plimsoll.User, "Plot the course to Saltmere. Never cross the Lower Bar."), 0)
	for i := range rounds {
		ask := fmt.Sprintf(`{"path":"charts/sheet_%d.txt"}`, i)
		if i%7 == 6 && i >= 10 {
			ask = fmt.Sprintf(`{"mark":"buoy_%d"}`, i-10)
		}
		id := fmt.Sprint("toolu_", i)
		add(plimsoll.NewMessage(plimsoll.Assistant,
			plimsoll.Text{Text: "The next chart."}, plimsoll.ToolCall{ID: id, Name: "read", Arguments: ask}), i)
		text := fmt.Sprintf("see charts/sheet_%d.txt for buoy_%d\n", i+1, i) + strings.Repeat("depth and tide ", words/3)
		add(plimsoll.NewMessage(plimsoll.User,
			plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text})}), i)
	}
	add(plimsoll.Say(plimsoll.Assistant, "The course is plotted."), rounds)
	return s
}

func trackOf(t *testing.T, s *Session) *track {
	t.Helper()
	track := newTrack(s, token.NewMeter(nil))
	track.window, track.prices = 200_000, anthropic
	return track
}

func key(n byte) plimsoll.Digest { return plimsoll.Digest{n} }

func near(t *testing.T, what string, got, want float64) {
	t.Helper()
	if d := got - want; d > 1e-9 || d < -1e-9 {
		t.Errorf("%s: %v, want %v", what, got, want)
	}
}
