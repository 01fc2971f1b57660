package store

import "math/bits"

// chunker finds where chunks end by what they contain, so that an insertion into a
// long text changes the chunk that it falls into and hardly another.
type chunker struct {
	min, mean, max int
	// strict is harder to meet than loose: chunks before the mean length are rare,
	// behind it they become frequent, and so lengths stay close to the mean.
	strict, loose uint64
}

func newCutter(mean int) chunker {
	n := bits.Len(uint(mean)) - 1
	return chunker{min: mean / 4, mean: mean, max: mean * 4, strict: topBits(n + 1), loose: topBits(n - 1)}
}

// topBits returns a mask of the n highest bits, the ones that the most bytes bear on.
func topBits(n int) uint64 { return ^uint64(0) << (64 - n) }

// window is how many bytes bear on a hash.
const window = 64

// cut returns the length of the first chunk of data. Unless data is the end of a
// text it must have as many bytes as a chunk can have.
func (c *chunker) cut(data []byte) int {
	if len(data) <= c.min {
		return len(data)
	}
	end := min(len(data), c.max)
	mean := min(end, c.mean)
	at := c.min
	var h uint64
	for _, b := range data[max(0, at-window):at] {
		h = h<<1 + gear[b]
	}
	for i, b := range data[at:mean] {
		h = h<<1 + gear[b]
		if h&c.strict == 0 {
			return at + i + 1
		}
	}
	for i, b := range data[mean:end] {
		h = h<<1 + gear[b]
		if h&c.loose == 0 {
			return mean + i + 1
		}
	}
	return end
}

// gear gives every byte a number that looks random. It must never change: chunks of
// old and new contents would no longer be the same.
var gear = makeGear()

func makeGear() (table [256]uint64) {
	state := uint64(0x706c696d736f6c6c)
	for i := range table {
		state += 0x9e3779b97f4a7c15
		z := state
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		table[i] = z ^ z>>31
	}
	return table
}
