package bpe

import "slices"

// indexTrie builds the trie and, on the way, the longest prefix of each token. Tokens go in by length: then every
// token that lies on the path of another is in place before it, and a node is a token from the start or never.
func (t *tables) indexTrie() {
	size, shift := tableSize(2 * t.size())
	t.edges, t.edgeShift = make([]uint64, size), shift
	t.shape = make([]uint32, t.size())
	inner := uint32(firstInner)
	for _, id := range t.byLength() {
		spelling := t.bytes(id)
		if len(spelling) == 1 {
			t.byteID[spelling[0]] = id
			t.shape[id] = id | 1<<shapeShift
			continue
		}
		prefix := leftOf(t.pair[id])
		node, depth := prefix, t.lenOf(prefix)
		for ; depth < len(spelling)-1; depth++ {
			next := t.child(node, depth, spelling)
			if next == 0 {
				next = inner
				inner++
				t.addChild(node, depth, spelling, next)
			}
			if node = next; node < firstInner {
				prefix = node
			}
		}
		t.addChild(node, depth, spelling, id)
		t.shape[id] = prefix | uint32(len(spelling))<<shapeShift
	}
}

// byLength returns the ids of all tokens, shortest first.
func (t *tables) byLength() []uint32 {
	var start [257]int
	for id := range t.pair {
		start[len(t.bytes(uint32(id)))+1]++
	}
	holes := start[1]
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	ids := make([]uint32, t.size())
	for id := range t.pair {
		n := len(t.bytes(uint32(id)))
		ids[start[n]] = uint32(id)
		start[n]++
	}
	return slices.Delete(ids, 0, holes)
}

func edgeKey(node uint32, b byte) uint64 { return uint64(node)<<8 | uint64(b) }

// child returns the node below node, whose text is spelling[:depth], for the next byte, 0 if there is none.
func (t *tables) child(node uint32, depth int, spelling []byte) uint32 {
	if depth == 1 {
		return t.first[uint16(spelling[0])|uint16(spelling[1])<<8]
	}
	return t.follow(node, spelling[depth])
}

func (t *tables) addChild(node uint32, depth int, spelling []byte, child uint32) {
	if depth == 1 {
		t.first[uint16(spelling[0])|uint16(spelling[1])<<8] = child
		return
	}
	key := edgeKey(node, spelling[depth])
	slot := key * hashFactor >> t.edgeShift
	for t.edges[slot] != 0 {
		slot = (slot + 1) & uint64(len(t.edges)-1)
	}
	t.edges[slot] = key<<nodeBits | uint64(child)
}

// follow returns the node that the edge b leads to from a node of depth two or more, 0 if there is none.
func (t *tables) follow(node uint32, b byte) uint32 {
	key := edgeKey(node, b)
	slot := key * hashFactor >> t.edgeShift
	for {
		entry := t.edges[slot]
		if entry>>nodeBits == key {
			return uint32(entry & nodeMask)
		}
		if entry == 0 {
			return 0
		}
		slot = (slot + 1) & uint64(len(t.edges)-1)
	}
}

// longest returns the longest token that text starts with. text must not be empty.
func (t *tables) longest(text string) uint32 {
	best := t.byteID[text[0]]
	if len(text) == 1 {
		return best
	}
	node := t.first[uint16(text[0])|uint16(text[1])<<8]
	for i := 2; node != 0; i++ {
		if node < firstInner {
			best = node
		}
		if i >= len(text) {
			break
		}
		node = t.follow(node, text[i])
	}
	return best
}
