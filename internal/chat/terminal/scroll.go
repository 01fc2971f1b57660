package terminal

import "slices"

// scrollback is what was said. It is looked at through a window that stays at the end
// unless the person moves it; then it stays at the line that is at its top, whatever
// comes in below. Only what is looked at is drawn, so that a long session costs no
// more than a short one.
type scrollback struct {
	entries []*scrollEntry
	// draw returns the lines of an entry; at least one.
	draw func(*scrollEntry) []string
	// height of the window when it was last looked at.
	height int
	// anchor is the entry at the top of the window and offset the first line of it
	// that is seen; nil while the window is at the end.
	anchor *scrollEntry
	offset int
}

func (b *scrollback) add(e *scrollEntry) { b.entries = append(b.entries, e) }

// isBack reports whether the window is not at the end.
func (b *scrollback) isBack() bool { return b.anchor != nil }

// bottom moves the window to the end.
func (b *scrollback) bottom() { b.anchor = nil }

// top moves it to the beginning.
func (b *scrollback) top() {
	if len(b.entries) > 0 {
		b.anchor, b.offset = b.entries[0], 0
	}
}

// visible returns the lines of a window of the given height; fewer if there are not
// as many.
func (b *scrollback) visible(height int) []string {
	b.height = height
	if at := slices.Index(b.entries, b.anchor); b.anchor != nil && at >= 0 {
		b.offset = min(b.offset, len(b.draw(b.anchor))-1)
		if lines := b.from(at, b.offset, height+1); len(lines) > height {
			return lines[:height]
		}
	}
	b.anchor = nil
	at, offset := b.back(len(b.entries), 0, height)
	return b.from(at, offset, height)
}

// from collects lines from a place on.
func (b *scrollback) from(at, offset, most int) []string {
	var lines []string
	for _, e := range b.entries[at:] {
		if len(lines) >= most {
			break
		}
		lines = append(lines, b.draw(e)[offset:]...)
		offset = 0
	}
	return lines[:min(len(lines), most)]
}

// back finds the place so many lines in front of another one, or the beginning.
func (b *scrollback) back(at, offset, lines int) (int, int) {
	for offset < lines && at > 0 {
		lines -= offset
		at--
		offset = len(b.draw(b.entries[at]))
	}
	return at, max(0, offset-lines)
}

// scroll moves the window up by lines, or down if they are negative.
func (b *scrollback) scroll(lines int) {
	at, offset := slices.Index(b.entries, b.anchor), b.offset
	if b.anchor == nil || at < 0 {
		at, offset = b.back(len(b.entries), 0, b.height)
	}
	if len(b.entries) == 0 || b.anchor == nil && lines < 0 {
		return
	}
	at, offset = b.back(at, offset, max(0, lines))
	for down := max(0, -lines); down > 0 && at < len(b.entries); {
		step := min(down, len(b.draw(b.entries[at]))-offset)
		down -= step
		if offset += step; offset == len(b.draw(b.entries[at])) {
			at, offset = at+1, 0
		}
	}
	if at == len(b.entries) {
		b.bottom()
		return
	}
	b.anchor, b.offset = b.entries[at], offset
}
