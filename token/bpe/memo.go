package bpe

import "unsafe"

// smallEntry remembers the tokens of a piece of up to eight bytes: the bytes, zero-padded, and a word with, from the
// low end, the length (4 bits), the number of tokens (6 bits) and the first three ids.
type smallEntry struct{ key, value uint64 }

const (
	smallLenMask    = 1<<4 - 1
	smallCountShift = 4
	smallCountMask  = 1<<6 - 1
	smallIDShift    = 10
	smallIDs        = 3
)

// mediumEntry remembers the tokens of a piece of 9 to 16 bytes by its first and last eight bytes, which may overlap.
type mediumEntry struct {
	first, last uint64
	len, count  uint8
	ids         [mediumIDs]uint32
}

// largeEntry remembers the tokens of a piece of 17 to 64 bytes.
type largeEntry struct {
	text       [64]byte
	len, count uint8
	ids        [largeIDs]uint32
}

const (
	mediumIDs = 3
	largeIDs  = 11
)

// newSeed returns a small memo that knows the tokens of the vocabulary themselves, so that the first text already
// finds most of its words. Frequent tokens have small ids and win a contested place.
func newSeed(t *tables) *[1 << smallBits]smallEntry {
	seed := new([1 << smallBits]smallEntry)
	for id := t.size() - 1; id >= 0; id-- {
		n := t.lenOf(uint32(id))
		if n == 0 || n > 8 {
			continue
		}
		var word [8]byte
		copy(word[:], t.bytes(uint32(id)))
		key := load64(unsafe.Pointer(&word), 0)
		seed[smallSlot(key)] = makeSmall(key, n, []uint32{uint32(id)})
	}
	return seed
}

func smallSlot(key uint64) uint64 { return key * hashFactor >> (64 - smallBits) }

func makeSmall(key uint64, n int, ids []uint32) smallEntry {
	value := uint64(n) | uint64(len(ids))<<smallCountShift
	for i, id := range ids[:min(len(ids), smallIDs)] {
		value |= uint64(id) << (smallIDShift + i*idBits)
	}
	return smallEntry{key, value}
}

// fillSmall encodes a piece of up to eight bytes and remembers it.
func (w *worker) fillSmall(text unsafe.Pointer, n int) *smallEntry {
	key := loadKey(text, 0, n)
	entry := &w.small[smallSlot(key)]
	*entry = makeSmall(key, n, w.bpe(pieceAt(text, n)))
	return entry
}

// findMedium returns the entry of a piece of 9 to 16 bytes, which it encodes if it must.
func (w *worker) findMedium(text unsafe.Pointer, n int) *mediumEntry {
	first, last := load64(text, 0), load64(text, n-8)
	entry := &w.medium[(first*hashFactor^last)*hashFactor>>(64-mediumBits)]
	if entry.first != first || entry.last != last || int(entry.len) != n {
		ids := w.bpe(pieceAt(text, n))
		*entry = mediumEntry{first: first, last: last, len: uint8(n), count: uint8(len(ids))}
		copy(entry.ids[:], ids)
	}
	return entry
}

// findLarge returns the entry of a piece of 17 to 64 bytes, which it encodes if it must.
func (w *worker) findLarge(text unsafe.Pointer, n int) *largeEntry {
	hash := load64(text, 0)*hashFactor ^ load64(text, n-8)
	hash = hash*hashFactor ^ load64(text, 8)
	hash = hash*hashFactor ^ load64(text, n-16)
	entry := &w.large[hash*hashFactor>>(64-largeBits)]
	piece := pieceAt(text, n)
	if int(entry.len) != n || string(entry.text[:n]) != piece {
		ids := w.bpe(piece)
		entry.len, entry.count = uint8(n), uint8(len(ids))
		copy(entry.text[:], piece)
		copy(entry.ids[:], ids)
	}
	return entry
}

// load64 reads the eight bytes at text+offset, lowest first. All eight must be readable.
func load64(text unsafe.Pointer, offset int) uint64 {
	b := (*[8]byte)(unsafe.Add(text, offset))
	return uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24 |
		uint64(b[4])<<32 | uint64(b[5])<<40 | uint64(b[6])<<48 | uint64(b[7])<<56
}

// loadKey reads the first min(n, 8) bytes of a piece into a word padded with zeros. Eight bytes must be readable.
func loadKey(text unsafe.Pointer, offset, n int) uint64 {
	return load64(text, offset) & (^uint64(0) >> (uint(64-8*min(n, 8)) & 63))
}

// pieceAt views n bytes of a text as a string.
func pieceAt(text unsafe.Pointer, n int) string { return unsafe.String((*byte)(text), n) }
