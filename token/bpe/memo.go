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
	largeIDs  = 15
)

// seed teaches a small memo the tokens of the vocabulary themselves, so that the first text already finds most of its
// words. Frequent tokens have small ids and win a contested place.
func (t *tables) seed(memo *[1 << smallBits]smallEntry) {
	for id := min(t.size(), 2*len(memo)) - 1; id >= 0; id-- {
		if n := t.lenOf(uint32(id)); n > 0 && n <= 8 {
			key := loadKey(unsafe.Pointer(&t.blob[t.offset[id]]), 0, n)
			memo[smallSlot(key)] = smallEntry{key, uint64(n) | 1<<smallCountShift | uint64(id)<<smallIDShift}
		}
	}
}

func smallSlot(key uint64) uint64 { return key * hashFactor >> (64 - smallBits) }

func makeSmall(key uint64, n int, ids []uint32) smallEntry {
	value := uint64(n) | uint64(len(ids))<<smallCountShift
	for i, id := range ids[:min(len(ids), smallIDs)] {
		value |= uint64(id) << (smallIDShift + i*idBits)
	}
	return smallEntry{key, value}
}

// fillSmall encodes a piece of up to eight bytes and remembers it. The ids are valid until the next piece.
func (w *worker) fillSmall(text unsafe.Pointer, n int) []uint32 {
	key := loadKey(text, 0, n)
	ids := w.mergeAll(pieceAt(text, n), w.stack[:0])
	w.small[smallSlot(key)] = makeSmall(key, n, ids)
	return ids
}

// findMedium returns the number of tokens of a piece of 9 to 16 bytes, which it encodes if it must, and their ids as
// far as they are remembered. The ids are valid until the next piece.
func (w *worker) findMedium(text unsafe.Pointer, n int) (count int, ids []uint32) {
	hash := pieceHash(text, n)
	entry := &w.medium[hash>>(64-mediumBits)]
	first, last := load64(text, 0), load64(text, n-8)
	if entry.first == first && entry.last == last && int(entry.len) == n {
		return int(entry.count), entry.ids[:min(entry.count, mediumIDs)]
	}
	ids = w.mergeAll(pieceAt(text, n), w.stack[:0])
	entry.first, entry.last, entry.len, entry.count = first, last, uint8(n), uint8(len(ids))
	copy(entry.ids[:], ids)
	return len(ids), ids
}

// findLarge is findMedium for a piece of 17 to 64 bytes.
func (w *worker) findLarge(text unsafe.Pointer, n int) (count int, ids []uint32) {
	hash := pieceHash(text, n)
	entry := &w.large[hash>>(64-largeBits)]
	piece := pieceAt(text, n)
	if int(entry.len) == n && string(entry.text[:n]) == piece {
		return int(entry.count), entry.ids[:min(entry.count, largeIDs)]
	}
	ids = w.mergeAll(piece, w.stack[:0])
	entry.len, entry.count = uint8(n), uint8(len(ids))
	copy(entry.text[:], piece)
	copy(entry.ids[:], ids)
	return len(ids), ids
}

// pieceHash spreads the bytes of a piece of 9 to 64 bytes over 64 bits, of which the highest are the best. Bytes in the
// middle of a long piece do not matter to it.
func pieceHash(text unsafe.Pointer, n int) uint64 {
	hash := load64(text, 0)*hashFactor ^ load64(text, n-8)
	if n > 16 {
		hash = hash*hashFactor ^ load64(text, 8)
		hash = hash*hashFactor ^ load64(text, n-16)
	}
	return hash * hashFactor
}

// loadKey reads the first min(n, 8) bytes of a piece into a word padded with zeros. Eight bytes must be readable.
func loadKey(text unsafe.Pointer, offset, n int) uint64 { return load64(text, offset) & keyMask[n&127] }

// keyMask has the bits of the first bytes of a word, at most eight, for each length of a piece.
var keyMask = func() (masks [128]uint64) {
	for n := range masks {
		masks[n] = 1<<(8*min(n, 8)) - 1
	}
	return masks
}()

// pieceAt views n bytes of a text as a string.
func pieceAt(text unsafe.Pointer, n int) string { return unsafe.String((*byte)(text), n) }
