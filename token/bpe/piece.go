package bpe

// bpe encodes one piece. The result is valid until the next call.
//
// It takes the longest token at each position that may follow the token before it. If there is none, the position is
// dead: it goes back one token and tries that one's shorter prefixes, and never comes to the dead position again.
// Byte-pair encoding has exactly one sequence of tokens in which every neighbour may follow its predecessor, so what
// is found is that one. Every position dies at most once, so the time is linear in the length of the piece.
func (w *worker) bpe(piece string) []uint32 {
	if len(piece) < 64 {
		return w.bpeShort(piece)
	}
	return w.bpeLong(piece)
}

// bpeShort is bpe for pieces whose dead positions fit a word.
func (w *worker) bpeShort(piece string) []uint32 {
	var dead uint64
	stack, pos := w.stack[:0], 0
	id := w.longest(piece)
	for {
		end := pos + w.lenOf(id)
		if dead>>(uint(end)&63)&1 == 0 && w.fits(stack, id) {
			stack = append(stack, id)
			if end == len(piece) {
				return stack
			}
			pos = end
			id = w.longest(piece[pos:])
			continue
		}
		if shorter := w.prefixOf(id); shorter != id {
			id = shorter
			continue
		}
		dead |= 1 << (uint(pos) & 63)
		id = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		pos -= w.lenOf(id)
	}
}

// bpeLong is bpe for pieces of any length.
func (w *worker) bpeLong(piece string) []uint32 {
	if cap(w.stack) > keepIDs {
		w.stack = make([]uint32, 0, 256)
	}
	dead := w.freshDead(len(piece) + 1)
	stack, pos := w.stack[:0], 0
	id := w.longest(piece)
	for {
		end := pos + w.lenOf(id)
		if dead[end>>6]>>(uint(end)&63)&1 == 0 && w.fits(stack, id) {
			stack = append(stack, id)
			if end == len(piece) {
				w.stack = stack
				return stack
			}
			pos = end
			id = w.longest(piece[pos:])
			continue
		}
		if shorter := w.prefixOf(id); shorter != id {
			id = shorter
			continue
		}
		dead[pos>>6] |= 1 << (uint(pos) & 63)
		id = stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		pos -= w.lenOf(id)
	}
}

// freshDead returns cleared marks for n positions.
func (w *worker) freshDead(n int) []uint64 {
	words := n/64 + 1
	if words <= keepIDs/64 {
		if w.dead == nil {
			w.dead = make([]uint64, keepIDs/64)
		}
		clear(w.dead[:words])
		return w.dead[:words]
	}
	return make([]uint64, words)
}

// fits reports whether id may stand on top of the stack. Answers are remembered, because the same neighbours come
// again and again.
func (w *worker) fits(stack []uint32, id uint32) bool {
	if len(stack) == 0 {
		return true
	}
	left := stack[len(stack)-1]
	key := (uint64(left)<<idBits | uint64(id)) + 1
	slot := &w.follows[key*hashFactor>>(64-followBits)]
	if *slot>>1 == key {
		return *slot&1 != 0
	}
	may := w.mayFollow(left, id)
	*slot = key << 1
	if may {
		*slot |= 1
	}
	return may
}
