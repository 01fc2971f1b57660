package plimsoll

import (
	"encoding/binary"
	"math/bits"
)

// Glimpse is what is known of texts without reading them again.
type Glimpse struct {
	// Bytes of all texts together.
	Bytes int
	// Print is the same for the same texts, and most often another for others.
	Print uint64
}

// Glimpse returns what is known of the texts of a result, as it stands now; false if
// there is something else in it, or if a text is deferred and nobody has read it. So
// those who weigh a conversation spare those who cut it most of the reading. It loads
// nothing.
func (d *Draft) Glimpse(at PartRef) (g Glimpse, known bool) {
	s := &d.slots()[at.Message]
	k := s.place(at.Part)
	if s.dropped || k < 0 {
		return Glimpse{}, false
	}
	result, ok := s.parts()[k].(ToolResult)
	if !ok {
		return Glimpse{}, false
	}
	for _, p := range result.Content.items {
		var seen uint64
		switch p := p.(type) {
		case *deferred:
			seen = p.seen.Load()
		case Text:
			seen = impression(p.Text)
		}
		if seen == 0 {
			return Glimpse{}, false
		}
		g.Bytes += int(seen & longestSeen)
		g.Print = bits.RotateLeft64(g.Print, 23) ^ seen
	}
	return g, true
}

// longestSeen is the longest text that can be remembered by its length, in a half of
// an impression.
const longestSeen = 1<<31 - 1

// impression is what is remembered of a text: its length, a bit that says that there
// is one, and something of its beginning, its middle and its end. It is 0 for a text
// that is too long.
func impression(text string) uint64 {
	const odd = 0x9e3779b97f4a7c15
	n := len(text)
	if n > longestSeen {
		return 0
	}
	var ends [24]byte
	copy(ends[:8], text)
	copy(ends[8:16], text[n/2:])
	copy(ends[16:], text[max(0, n-8):])
	sum := binary.LittleEndian.Uint64(ends[:]) * odd
	sum = (sum ^ binary.LittleEndian.Uint64(ends[8:])) * odd
	sum = (sum ^ binary.LittleEndian.Uint64(ends[16:])) * odd
	return sum&^(1<<32-1) | 1<<31 | uint64(n)
}
