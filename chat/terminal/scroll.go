package terminal

// scrollback is what was said, as lines of the screen's width. It is looked at
// through a window that stays at the end unless the person moves it.
type scrollback struct {
	entries []*entry
	// up is how many lines there are below the window.
	up int
	// total is the number of lines when it was last drawn.
	total int
}

func (b *scrollback) add(e *entry) { b.entries = append(b.entries, e) }

// visible returns the lines of a window of the given height; fewer if there are not
// as many. Whoever looks back keeps looking at the same lines while others are added.
func (b *scrollback) visible(height int, draw func(*entry) []string) []string {
	total := 0
	for _, e := range b.entries {
		total += len(draw(e))
	}
	if b.up > 0 {
		b.up += total - b.total
	}
	b.total = total
	b.up = max(0, min(b.up, total-height))
	end := total - b.up
	start := max(0, end-height)
	lines := make([]string, 0, height)
	at := 0
	for _, e := range b.entries {
		drawn := draw(e)
		if from, to := max(start-at, 0), min(end-at, len(drawn)); from < to {
			lines = append(lines, drawn[from:to]...)
		}
		at += len(drawn)
	}
	return lines
}

// scroll moves the window up by lines, or down if they are negative.
func (b *scrollback) scroll(lines int) { b.up = max(0, min(b.up+lines, b.total)) }

func (b *scrollback) top()    { b.up = b.total }
func (b *scrollback) bottom() { b.up = 0 }
