package main

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/bar"
)

// progress shows on a terminal how far a compaction is, and keeps what summarisers
// said about it.
type progress struct {
	p     *process
	d     display
	shown bool
	notes []string
}

func newProgress(p *process, d display) *progress { return &progress{p: p, d: d} }

func (m *progress) event(e fit.Event) {
	switch e := e.(type) {
	case fit.ChatCompressed:
		for _, note := range e.Notes {
			if !strings.HasPrefix(note, "hook: ") { // they were reported when it happened
				m.notes = append(m.notes, note)
			}
		}
	case fit.CompressionProgress:
		m.step(e)
	}
}

func (m *progress) step(e fit.CompressionProgress) {
	if !isTerminal(m.p.stderr) {
		return
	}
	text := "summarising"
	if e.All > 1 {
		text += fmt.Sprintf(", %d of %s", e.Done, plural(e.All, "part"))
	}
	fmt.Fprint(m.p.stderr, "\r\x1b[K"+m.d.paint(bar.Clip(m.d.lang.Say(text), m.d.width-1), styleFaint))
	m.shown = true
}

// clear makes room for what is said next.
func (m *progress) clear() {
	if m.shown {
		fmt.Fprint(m.p.stderr, "\r\x1b[K")
	}
}
