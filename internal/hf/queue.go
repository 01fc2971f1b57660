package hf

import "math/bits"

// rankQueue hands out merges by rank, then by position. Most are put in with rising positions, so
// each rank has a plain list, and a bitmap over the ranks finds the lowest list that is not empty:
// a few steps without the unpredictable branches of a heap. What comes out of order goes to a
// heap, which keeps the worst case at O(n log n). A drained queue is ready for the next row.
type rankQueue struct {
	lists []rankList // by rank
	nodes []queued
	used  [3][]uint64 // bit per list, per word of the level before, and once more
	late  minHeap
}

// rankList holds the first and last entry as indices into nodes plus one; 0 is none.
type rankList struct{ first, last int32 }

type queued struct{ pos, next int32 }

// reset makes room for ranks below n.
func (q *rankQueue) reset(n int) {
	q.nodes = q.nodes[:0]
	if len(q.lists) >= n {
		return
	}
	q.lists = make([]rankList, n)
	for i := range q.used {
		n = (n + 63) / 64
		q.used[i] = make([]uint64, n)
	}
}

func (q *rankQueue) push(rank uint32, pos int32) {
	list := &q.lists[rank]
	node := int32(len(q.nodes) + 1)
	switch {
	case list.first == 0:
		list.first = node
		q.mark(rank)
	case q.nodes[list.last-1].pos < pos:
		q.nodes[list.last-1].next = node
	default:
		q.late.push(uint64(rank)<<32 | uint64(pos))
		return
	}
	list.last = node
	q.nodes = append(q.nodes, queued{pos: pos})
}

// pop removes the entry with the lowest rank, the leftmost of these.
func (q *rankQueue) pop() (rank uint32, pos int32, ok bool) {
	rank, ok = q.lowest()
	if !ok {
		return q.popLate()
	}
	list := &q.lists[rank]
	node := q.nodes[list.first-1]
	if len(q.late) > 0 && q.late[0] < uint64(rank)<<32|uint64(node.pos) {
		return q.popLate()
	}
	list.first = node.next
	if node.next == 0 {
		q.unmark(rank)
	}
	return rank, node.pos, true
}

func (q *rankQueue) popLate() (rank uint32, pos int32, ok bool) {
	if len(q.late) == 0 {
		return 0, 0, false
	}
	top := q.late.pop()
	return uint32(top >> 32), int32(uint32(top)), true
}

func (q *rankQueue) mark(rank uint32) {
	for i := range q.used {
		q.used[i][rank>>6] |= 1 << (rank & 63)
		rank >>= 6
	}
}

func (q *rankQueue) unmark(rank uint32) {
	for i := range q.used {
		word := &q.used[i][rank>>6]
		*word &^= 1 << (rank & 63)
		if *word != 0 {
			return
		}
		rank >>= 6
	}
}

// lowest descends from the coarsest level, which has a word per 262,144 ranks.
func (q *rankQueue) lowest() (uint32, bool) {
	for i, word := range q.used[2] {
		if word == 0 {
			continue
		}
		at := uint32(i<<6 + bits.TrailingZeros64(word))
		at = at<<6 + uint32(bits.TrailingZeros64(q.used[1][at]))
		at = at<<6 + uint32(bits.TrailingZeros64(q.used[0][at]))
		return at, true
	}
	return 0, false
}

// minHeap has four children per node: half the levels of a binary one, and the children of a node
// share a cache line.
type minHeap []uint64

func (h *minHeap) push(v uint64) {
	*h = append(*h, v)
	s := *h
	i := len(s) - 1
	for i > 0 {
		parent := (i - 1) / 4
		if s[parent] <= v {
			break
		}
		s[i] = s[parent]
		i = parent
	}
	s[i] = v
}

func (h *minHeap) pop() uint64 {
	s := *h
	top, v := s[0], s[len(s)-1]
	s = s[:len(s)-1]
	*h = s
	i := 0
	for first := 1; first < len(s); first = 4*i + 1 {
		least := first
		for c := first + 1; c < min(first+4, len(s)); c++ {
			if s[c] < s[least] {
				least = c
			}
		}
		if v <= s[least] {
			break
		}
		s[i] = s[least]
		i = least
	}
	if len(s) > 0 {
		s[i] = v
	}
	return top
}
