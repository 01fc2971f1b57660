package bpe

import "math/bits"

// trie finds the longest token at the start of a text and the next shorter one.
type trie struct {
	byteID [256]uint32

	// edges is one open-addressed table of (node, byte) -> node. The node of a token has the token's id as its number,
	// other nodes are numbered from firstInner on.
	edges []uint64
	shift uint8

	// prefix is for each token its longest proper prefix that is a token, itself for single bytes.
	prefix []uint32
}

const (
	firstInner = 1 << idBits
	nodeBits   = idBits + 1
	nodeMask   = 1<<nodeBits - 1
)

// newTrie adds the tokens by length: then every token that lies on the path of another is in place before it, and a
// node is a token from the start or never.
func newTrie(v *vocab) *trie {
	width := bits.Len(uint(4 * v.size()))
	t := &trie{edges: make([]uint64, 1<<width), shift: uint8(64 - width), prefix: make([]uint32, v.size())}
	inner := uint32(firstInner)
	for _, id := range v.byLength() {
		spelling := v.bytes(id)
		if len(spelling) == 1 {
			t.byteID[spelling[0]] = id
			t.prefix[id] = id
			continue
		}
		// The left half is a token, so the path to it exists.
		prefix := leftOf(v.pair[id])
		node := prefix
		rest := spelling[len(v.bytes(prefix)):]
		for _, b := range rest[:len(rest)-1] {
			next := t.follow(node, b)
			if next == 0 {
				next = inner
				inner++
				t.add(node, b, next)
			}
			if node = next; node < firstInner {
				prefix = node
			}
		}
		t.add(node, rest[len(rest)-1], id)
		t.prefix[id] = prefix
	}
	return t
}

// byLength returns the ids of all tokens, shortest first, without the holes of the numbering.
func (v *vocab) byLength() []uint32 {
	var start [257]int
	for id := range v.pair {
		start[len(v.bytes(uint32(id)))+1]++
	}
	holes := start[1]
	for i := 1; i < len(start); i++ {
		start[i] += start[i-1]
	}
	ids := make([]uint32, v.size())
	for id := range v.pair {
		n := len(v.bytes(uint32(id)))
		ids[start[n]] = uint32(id)
		start[n]++
	}
	return ids[holes:]
}

func edgeKey(node uint32, b byte) uint64 { return uint64(node)<<8 | uint64(b) }

func (t *trie) add(node uint32, b byte, child uint32) {
	key := edgeKey(node, b)
	slot := key * hashFactor >> t.shift
	for t.edges[slot] != 0 {
		slot = (slot + 1) & uint64(len(t.edges)-1)
	}
	t.edges[slot] = key<<nodeBits | uint64(child)
}

// follow returns the node that the edge b leads to, 0 if there is none. No edge leads to a single byte, of which one
// has the number 0.
func (t *trie) follow(node uint32, b byte) uint32 {
	key := edgeKey(node, b)
	slot := key * hashFactor >> t.shift
	for {
		entry := t.edges[slot]
		if entry == 0 {
			return 0
		}
		if entry>>nodeBits == key {
			return uint32(entry & nodeMask)
		}
		slot = (slot + 1) & uint64(len(t.edges)-1)
	}
}

// longest returns the longest token that text starts with. text must not be empty.
func (t *trie) longest(text string) uint32 {
	best := t.byteID[text[0]]
	node := best
	for i := 1; i < len(text); i++ {
		if node = t.follow(node, text[i]); node == 0 {
			break
		}
		if node < firstInner {
			best = node
		}
	}
	return best
}
