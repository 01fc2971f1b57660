package bpe

import "unicode/utf8"

// A sequence of tokens is the encoding of their bytes if each may follow the one before it. So a long piece can be
// encoded in chunks: where two chunks meet, only the tokens on both sides of the border must fit.
const (
	smallChunk = 64
	largeChunk = maxParts

	// freeFailures chunks of a piece may fail to fit, and another one for every so many bytes encoded. More than that
	// is no text that chunks are good for.
	freeFailures    = 64
	bytesPerFailure = 64

	// After so many chunks that fit, smaller ones are tried again: early in ordinary text, late in a run of one
	// character, whose tokens can be longer than a small chunk.
	minPatience = 4
	maxPatience = 128

	// maxStack is how many tokens of a piece are kept for going back when only their number is wanted.
	maxStack = 4096
)

// bpeLong appends the tokens of a piece of any length to dst. It works in chunks. If a chunk does not fit what is
// there, the last token goes and a larger chunk starts where it started. Text for which that does not help is left to
// backtracking, which is slower but linear whatever the text is. If only the number of tokens is wanted, the earlier
// ones are forgotten now and then; their number is returned.
func (w *worker) bpeLong(piece string, dst []uint32, countOnly bool) (ids []uint32, forgotten int) {
	stack, base, pos := dst, len(dst), 0
	small := smallestChunk(piece)
	size, calm, patience, failures := small, 0, minPatience, 0
	last, ids := "", w.chunk[:0]
	for {
		chunk := piece[pos:min(pos+size, len(piece))]
		// In a run of one character all chunks are the same.
		if chunk != last {
			last, ids = chunk, w.mergeAll(chunk, w.chunk[:0])
		}
		if top := len(stack) - 1; top >= base && !w.fits(stack[top], ids[0]) {
			failures++
			if failures > freeFailures+pos/bytesPerFailure || top == base && forgotten > 0 {
				return w.backtrack(piece, stack[:base]), 0
			}
			pos -= w.lenOf(stack[top])
			stack = stack[:top]
			if calm > 2 {
				patience = minPatience
			} else {
				patience = min(2*patience, maxPatience)
			}
			size, calm = min(2*size, largeChunk), 0
			continue
		}
		if pos+len(chunk) == len(piece) {
			return append(stack, ids...), forgotten
		}
		// The last two tokens of a chunk rarely stay what they are when the text goes on.
		keep := max(1, len(ids)-2)
		stack = append(stack, ids[:keep]...)
		pos += len(chunk)
		for _, id := range ids[keep:] {
			pos -= w.lenOf(id)
		}
		if calm++; calm > patience {
			size, calm = max(size/2, small), 0
		}
		if countOnly && len(stack) > maxStack {
			forgotten += len(stack) - maxStack/2
			stack = append(stack[:0], stack[len(stack)-maxStack/2:]...)
		}
	}
}

// smallestChunk returns the size of chunk to begin with, some dozens of parts. Characters of two and three bytes are
// mostly parts as a whole.
func smallestChunk(piece string) int {
	switch b := piece[charStart(piece, len(piece)/2)]; {
	case b >= 0xc0 && b < 0xe0:
		return 64
	case b >= 0xe0 && b < 0xf0:
		return 96
	}
	return smallChunk
}

// backtrack appends the tokens of a piece of any length to stack. It takes the longest token at each position that may
// follow the token before it. If there is none, the position is dead: it goes back one token and tries that one's
// shorter prefixes, and never comes to the dead position again. So the time is linear in the length of the piece.
func (w *worker) backtrack(piece string, stack []uint32) []uint32 {
	t := w.trie()
	dead := make([]uint64, len(piece)/64+1)
	base, pos := len(stack), 0
	id := t.longest(piece)
	for {
		end := pos + w.lenOf(id)
		if dead[end>>6]>>(uint(end)&63)&1 == 0 && (len(stack) == base || w.fits(stack[len(stack)-1], id)) {
			stack = append(stack, id)
			if end == len(piece) {
				return stack
			}
			pos = end
			id = t.longest(piece[pos:])
			continue
		}
		if shorter := t.prefix[id]; shorter != id {
			id = shorter
			continue
		}
		dead[pos>>6] |= 1 << (uint(pos) & 63)
		id = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		pos -= w.lenOf(id)
	}
}

// fits reports whether right may follow left. Answers are remembered, because the same neighbours come again and
// again.
func (w *worker) fits(left, right uint32) bool {
	key := (uint64(left)<<idBits | uint64(right)) + 1
	slot := &w.follows[key*hashFactor>>(64-followBits)]
	if *slot>>1 == key {
		return *slot&1 != 0
	}
	may := w.mayFollow(left, right)
	*slot = key << 1
	if may {
		*slot |= 1
	}
	return may
}

// charStart returns the start of the character that the byte at offset i is part of.
func charStart(text string, i int) int {
	for at := i; at >= 0 && i-at < utf8.UTFMax; at-- {
		if utf8.RuneStart(text[at]) {
			if _, width := utf8.DecodeRuneInString(text[at:]); at+width > i {
				return at
			}
			break
		}
	}
	return i
}
