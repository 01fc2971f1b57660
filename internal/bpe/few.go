package bpe

// fewBytes is the length of the pieces that mergeFew takes.
const fewBytes = 4

// mergeFew is mergeAll for a piece of 1 to fewBytes bytes, without a list of parts: in keys and blobs most pieces that
// are new are as short as that.
func (w *worker) mergeFew(piece string, dst []uint32) []uint32 {
	a := w.byteID[piece[0]]
	if len(piece) == 1 {
		return append(dst, a)
	}
	b := w.byteID[piece[1]]
	ab := w.duo[duoSlot(piece[0], piece[1])]
	if len(piece) == 2 {
		if ab != none {
			return append(dst, ab)
		}
		return append(dst, a, b)
	}
	c := w.byteID[piece[2]]
	bc := w.duo[duoSlot(piece[1], piece[2])]
	if len(piece) == 3 {
		return w.mergeThree(a, b, c, ab, bc, dst)
	}
	d := w.byteID[piece[3]]
	cd := w.duo[duoSlot(piece[2], piece[3])]
	switch first := min(ab, bc, cd); {
	case first == none:
		return append(dst, a, b, c, d)
	case first == ab:
		return w.mergeThree(ab, c, d, w.mergeWide(ab, c), cd, dst)
	case first == bc:
		return w.mergeThree(a, bc, d, w.mergeWide(a, bc), w.mergeWide(bc, d), dst)
	}
	return w.mergeThree(a, b, cd, ab, w.mergeWide(b, cd), dst)
}

// mergeThree appends what three tokens merge into, given what the first two do and what the last two do.
func (w *worker) mergeThree(a, b, c, ab, bc uint32, dst []uint32) []uint32 {
	left, right := ab, c
	switch {
	case bc < ab:
		left, right = a, bc
	case ab == none:
		return append(dst, a, b, c)
	}
	if all := w.mergeWide(left, right); all != none {
		return append(dst, all)
	}
	return append(dst, left, right)
}
