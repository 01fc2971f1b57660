package bpe

import "unsafe"

// wordEntry remembers how many tokens a piece of up to sixteen bytes has. Its place in the table is the highest bits of
// a hash from which, given the last eight bytes, the first eight can be computed back: so those last bytes and the other
// bits of the hash are the piece. tag has, from the low end, the number of tokens (5 bits), two flags, the length of the
// piece (7 bits) and bits of the hash, including those that tell the places of one group apart.
type wordEntry struct{ last, tag uint64 }

const (
	wordLen       = 16
	wordCountMask = 1<<5 - 1
	wordLenShift  = 7

	// wordFull flags an entry whose ids are known too.
	wordFull = 1 << 5
	// wordUnused flags an entry that no text has asked for, as far as is known.
	wordUnused = 1 << 6
	// wordKeyMask is what an entry has in common with the key of its piece.
	wordKeyMask = -1 << wordLenShift & (1<<64 - 1)
)

// idsEntry has the first ids of a word, three in each half.
type idsEntry [2]uint64

const (
	idsPerHalf = 3
	wordIDs    = 2 * idsPerHalf
)

// wordKey is the place of a piece and its entry without the number of tokens.
type wordKey struct{ slot, last, tag uint64 }

// makeKey reads a piece of n bytes at an offset. Sixteen bytes must be readable. A longer piece gets a key that no
// entry has.
func makeKey(text unsafe.Pointer, offset, n int) wordKey {
	mask := &keyMasks[n&127]
	first, last := load64(text, offset)&mask.first, load64(text, offset+8)&mask.last
	hash := (first + last*lastFactor) * hashFactor
	return wordKey{hash >> (64 - wordBits), last, hash<<(wordBits-groupBits) | uint64(n)<<wordLenShift}
}

// lastFactor spreads the last eight bytes before the first ones are added to them.
const lastFactor = 0xd6e8feb86659fd93

// keyMasks has the bits of the first and of the last eight bytes of a piece for each length. Longer pieces have none, so
// that looking for them in vain does not wait for memory.
var keyMasks = func() (masks [128]struct{ first, last uint64 }) {
	for n := range wordLen + 1 {
		masks[n].first = 1<<(8*min(n, 8)) - 1
		masks[n].last = 1<<(8*max(n-8, 0)) - 1
	}
	return masks
}()

// largeEntry remembers the tokens of a piece of 17 to 64 bytes. At its place in large there is room for so many words:
// they have the text and behind it, if the entry is full, the ids.
type largeEntry struct {
	at               uint32
	room, len, count uint8
	full             bool
}

// seed teaches the memo of words the tokens of the vocabulary themselves, so that the first text already finds most of
// its words. Frequent tokens have small ids and come first; the largest vocabulary has more than there is room for.
func (w *worker) seed() {
	for id := range uint32(min(w.size(), len(w.words))) {
		n := w.lenOf(id)
		if n == 0 || n > wordLen {
			continue
		}
		key := makeKey(unsafe.Pointer(&w.blob[w.offset[id]]), 0, n)
		if way := w.freeWay(key.slot); way < groupLen {
			w.words[key.slot^way] = wordEntry{key.last, key.tag | wordUnused | 1}
		}
	}
}

// findWord returns the place in the memo of a piece of up to sixteen bytes, which it encodes if it must. The entries of
// a group, which share a cache line, are places for each other's pieces.
func (w *worker) findWord(text unsafe.Pointer, n int) (slot uint64) {
	key := makeKey(text, 0, n)
	w.turn++
	for way := range uint64(groupLen) {
		e := &w.words[key.slot^way]
		if e.last != key.last || e.tag&wordKeyMask != key.tag {
			continue
		}
		e.tag &^= wordUnused
		// A piece that comes often gets its first place sooner or later. Always moving it there would cost more.
		if way == 0 || w.turn%16 != 0 {
			return key.slot ^ way
		}
		w.swapWords(key.slot, key.slot^way)
		return key.slot
	}
	w.moveWord(key.slot^w.spareWay(key.slot), key.slot, w.words[key.slot])
	count := w.countMerged(pieceAt(text, n))
	w.words[key.slot] = wordEntry{key.last, key.tag | uint64(count)}
	return key.slot
}

// freeWay returns which place of a group is free, counted from a slot, or groupLen. There is no branch for each place,
// which would be mispredicted too often.
func (w *worker) freeWay(slot uint64) uint64 {
	way := uint64(groupLen)
	if w.words[slot^3].tag == 0 {
		way = 3
	}
	if w.words[slot^2].tag == 0 {
		way = 2
	}
	if w.words[slot^1].tag == 0 {
		way = 1
	}
	if w.words[slot].tag == 0 {
		way = 0
	}
	return way
}

// spareWay returns which place of a group, other than a slot, is to be given up: one that was not used, else each in
// turn.
func (w *worker) spareWay(slot uint64) uint64 {
	way := 1 + uint64(w.turn)%(groupLen-1)
	if w.words[slot^3].tag&wordUnused != 0 {
		way = 3
	}
	if w.words[slot^2].tag&wordUnused != 0 {
		way = 2
	}
	if w.words[slot^1].tag&wordUnused != 0 {
		way = 1
	}
	return way
}

// swapWords exchanges two entries of a group.
func (w *worker) swapWords(a, b uint64) {
	one, other, ids := w.words[a], w.words[b], idsEntry{}
	if one.tag&wordFull != 0 {
		ids = w.ids[a]
	}
	w.moveWord(a, b, other)
	w.words[b] = one
	if one.tag&wordFull != 0 {
		w.ids[b] = ids
	}
}

// moveWord copies the entry at from, with its ids if it has any. Who only counts never touches ids.
func (w *worker) moveWord(to, from uint64, entry wordEntry) {
	w.words[to] = entry
	if entry.tag&wordFull != 0 {
		w.ids[to] = w.ids[from]
	}
}

// packIDs packs the first ids of a word.
func packIDs(ids []uint32) (packed idsEntry) {
	for i, id := range ids[:min(len(ids), wordIDs)] {
		packed[i/idsPerHalf] |= uint64(id) << (i % idsPerHalf * idBits)
	}
	return packed
}

// countLarge returns the number of tokens of a piece of 17 to 64 bytes, which it encodes if it must.
func (w *worker) countLarge(text unsafe.Pointer, n int) int {
	entry, known := w.findLarge(text, n)
	if !known {
		w.keepLarge(entry, pieceAt(text, n), w.countMerged(pieceAt(text, n)), nil)
	}
	return int(entry.count)
}

// encodeLarge appends the ids of a piece of 17 to 64 bytes, for which dst must have room.
func (w *worker) encodeLarge(text unsafe.Pointer, n int, dst []uint32) []uint32 {
	entry, known := w.findLarge(text, n)
	if known && entry.full {
		at := entry.at + wordsFor(n)
		return append(dst, w.large[at:at+uint32(entry.count)]...)
	}
	before := len(dst)
	dst = w.mergeAll(pieceAt(text, n), dst)
	w.keepLarge(entry, pieceAt(text, n), len(dst)-before, dst[before:])
	return dst
}

// findLarge returns the entry for a piece of 17 to 64 bytes and whether it is the piece's already.
func (w *worker) findLarge(text unsafe.Pointer, n int) (entry *largeEntry, known bool) {
	entry = &w.largeAt[largeHash(text, n)>>(64-largeAtBits)]
	return entry, int(entry.len) == n && w.largeText(entry) == pieceAt(text, n)
}

// keepLarge gives an entry to a piece. Places are handed out one after the other, so that no more memory is touched than
// the pieces need; when there are no more, all are forgotten.
func (w *worker) keepLarge(entry *largeEntry, piece string, count int, ids []uint32) {
	words := wordsFor(len(piece)) + uint32(len(ids))
	if words > uint32(entry.room) {
		if w.largeUsed+words > uint32(len(w.large)) {
			clear(w.largeAt[:])
			w.largeUsed = 0
		}
		entry.at, entry.room = w.largeUsed, uint8(words)
		w.largeUsed += words
	}
	entry.len, entry.count, entry.full = uint8(len(piece)), uint8(count), len(ids) > 0
	copy(unsafe.Slice((*byte)(unsafe.Pointer(&w.large[entry.at])), len(piece)), piece)
	copy(w.large[entry.at+wordsFor(len(piece)):], ids)
}

// largeText returns the piece that an entry belongs to.
func (w *worker) largeText(entry *largeEntry) string {
	return pieceAt(unsafe.Pointer(&w.large[entry.at%(1<<largeBits)]), int(entry.len))
}

// wordsFor returns how many words of large a text takes. A quarter of a cache line at a time leaves room for another text
// that is a little longer.
func wordsFor(n int) uint32 { return (uint32(n) + 15) / 16 * 4 }

// largeHash spreads the bytes of a piece of 17 to 64 bytes over 64 bits, of which the highest are the best. Bytes in
// the middle of a long piece do not matter to it.
func largeHash(text unsafe.Pointer, n int) uint64 {
	hash := load64(text, 0)*hashFactor ^ load64(text, n-8)
	hash = hash*hashFactor ^ load64(text, 8)
	hash = hash*hashFactor ^ load64(text, n-16)
	return hash * hashFactor
}

// pieceAt views n bytes of a text as a string.
func pieceAt(text unsafe.Pointer, n int) string { return unsafe.String((*byte)(text), n) }
