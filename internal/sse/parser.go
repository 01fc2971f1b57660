package sse

import "bytes"

// mark is the byte order mark, which may stand before the first line only.
const mark = "\xef\xbb\xbf"

// ample is the capacity in bytes up to which buffers are kept for later events;
// a stream that once had a large event must not hold its memory while it idles.
const ample = 64 << 10

// parser finds events in a window of the stream that its owner extends at the end
// and shortens at the front. It looks at each byte once for each kind of line end,
// however the window grows.
type parser struct {
	max int
	// bare says that each line is an event and has no field names.
	bare bool
	// offset is the position of the window's first byte in the stream.
	offset int64
	window []byte

	block int // first byte of the event being read
	line  int // first byte of the line being read
	lf    int // no LF stands between line and lf
	cr    int // no CR stands between line and cr

	begun   bool // the byte order mark has been dealt with
	bareCR  bool // the line before ended in CR alone
	maybeLF bool // an LF here belongs to the CR that ended the event before

	// dropped counts the bytes of an event that is too large and has left the
	// window; broken says that the line being read has lost its beginning.
	dropped int64
	broken  bool

	name     string
	lines    int    // data lines so far
	from, to int    // the first of them
	joined   []byte // all of them, once there are two
}

// next gives the next event, or the error that stands for it. It reports false if
// the window holds no complete one; final says that the window will not grow.
func (p *parser) next(final bool) (Event, bool, error) {
	if !p.begun && !p.begin(final) {
		return Event{}, false, nil
	}
	p.takeLF()
	for {
		end, after, ok := p.lineEnd(final)
		if !ok {
			break
		}
		from, blank := p.line, p.blankAt(end)
		p.line, p.broken = after, false
		if !blank {
			p.field(from, end)
		}
		if blank || p.bare {
			return p.finish(false)
		}
	}
	if final {
		return p.rest()
	}
	p.drop()
	return Event{}, false, nil
}

// begin steps over a byte order mark. It reports false as long as there may be one.
func (p *parser) begin(final bool) bool {
	if n := len(p.window); n < len(mark) && string(p.window) == mark[:n] && !final {
		return false
	}
	if bytes.HasPrefix(p.window, []byte(mark)) {
		p.line = len(mark)
	}
	p.begun = true
	return true
}

func (p *parser) takeLF() {
	if !p.maybeLF || p.line == len(p.window) {
		return
	}
	p.maybeLF = false
	if p.window[p.line] == '\n' {
		p.line++
		p.bareCR = false
	}
}

// lineEnd finds where the line ends and where the next one begins.
func (p *parser) lineEnd(final bool) (end, after int, ok bool) {
	p.lf = seek(p.window, max(p.lf, p.line), '\n')
	p.cr = seek(p.window, max(p.cr, p.line), '\r')
	if p.lf < p.cr {
		p.bareCR = false
		return p.lf, p.lf + 1, true
	}
	after = p.cr + 1
	switch {
	case p.cr == len(p.window):
		return 0, 0, false
	case p.bareCR && p.blankAt(p.cr):
		p.maybeLF = true
	case after < len(p.window):
		p.bareCR = p.window[after] != '\n'
		if !p.bareCR {
			after++
		}
	case final:
		p.bareCR = true
	default:
		return 0, 0, false
	}
	return p.cr, after, true
}

func (p *parser) blankAt(end int) bool { return end == p.line && !p.broken }

// seek gives the position of the first c in b at or behind from, else the length
// of b.
func seek(b []byte, from int, c byte) int {
	if from < len(b) && b[from] == c {
		return from
	}
	if i := bytes.IndexByte(b[from:], c); i >= 0 {
		return from + i
	}
	return len(b)
}

// field takes in a line that is not blank.
func (p *parser) field(from, end int) {
	if p.dropped > 0 || end-p.block > p.max {
		return
	}
	line := p.window[from:end]
	if p.bare {
		p.data(line, end)
		return
	}
	name, value := line, line[len(line):]
	if colon := bytes.IndexByte(line, ':'); colon >= 0 {
		name, value = line[:colon], line[colon+1:]
		if len(value) > 0 && value[0] == ' ' {
			value = value[1:]
		}
	}
	switch string(name) {
	case "data":
		p.data(value, end)
	case "event":
		p.name = string(value)
	}
}

// data adds a data line. One line stays where it is; only several are copied.
func (p *parser) data(value []byte, end int) {
	p.lines++
	switch p.lines {
	case 1:
		p.from, p.to = end-len(value), end
		return
	case 2:
		p.joined = append(p.joined[:0], p.window[p.from:p.to]...)
	}
	p.joined = append(p.joined, '\n')
	p.joined = append(p.joined, value...)
}

// finish hands over the event that ends where the next line begins.
func (p *parser) finish(cut bool) (Event, bool, error) {
	size := p.dropped + int64(p.line-p.block)
	if size > int64(p.max) {
		err := &TooLargeError{Offset: p.offset + int64(p.block) - p.dropped, Size: size, Limit: p.max}
		p.reset()
		return Event{}, true, err
	}
	e := Event{Name: p.name, Cut: cut, Raw: p.window[p.block:p.line:p.line]}
	switch p.lines {
	case 0:
	case 1:
		e.Data = p.window[p.from:p.to:p.to]
	default:
		e.Data = p.joined[:len(p.joined):len(p.joined)]
	}
	p.reset()
	return e, true, nil
}

func (p *parser) reset() {
	p.block, p.dropped, p.broken = p.line, 0, false
	p.name, p.lines = "", 0
}

// rest hands over what follows the last blank line at the end of the stream.
func (p *parser) rest() (Event, bool, error) {
	end := len(p.window)
	if p.dropped == 0 && p.block == end {
		return Event{}, false, nil
	}
	// An LF at the start of a block is the second half of the line end before it, so
	// one that stands alone means that nothing is missing.
	cut := string(p.window[p.block:]) != "\n"
	if p.line < end {
		p.field(p.line, end)
		p.line = end
	}
	return p.finish(cut)
}

// drop gives up the bytes of an event that is too large already. A CR at the end
// stays, because the line end is not known yet.
func (p *parser) drop() {
	end := len(p.window)
	if p.dropped == 0 && end-p.block <= p.max {
		return
	}
	end = min(end, p.cr)
	p.broken = p.broken || end > p.line
	p.dropped += int64(end - p.block)
	p.block, p.line = end, end
}

// shift tells the parser that the window now begins with the event being read, at
// a new place in memory.
func (p *parser) shift(window []byte) {
	n := p.block
	p.window = window
	p.offset += int64(n)
	p.block, p.line = 0, p.line-n
	p.lf, p.cr = max(p.lf-n, 0), max(p.cr-n, 0)
	p.from, p.to = p.from-n, p.to-n
	if p.lines < 2 && cap(p.joined) > ample {
		p.joined = nil
	}
}
