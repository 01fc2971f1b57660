package hf

import (
	"hash/maphash"
	"strconv"
)

// noToken stands where there is no id.
const noToken = ^uint32(0)

// vocab holds the strings of all tokens in one block of memory, by id.
type vocab struct {
	text  []byte
	spans []span // by id; the zero span means that the id is not used
	used  int
}

type span struct{ start, end uint32 }

// get returns the string of a token in the form of the file.
func (v *vocab) get(id uint32) ([]byte, bool) {
	if int64(id) >= int64(len(v.spans)) || v.spans[id] == (span{}) {
		return nil, false
	}
	return v.text[v.spans[id].start:v.spans[id].end], true
}

// put stores a token. An id that comes twice keeps the later string, as in Hugging Face's own reader.
func (v *vocab) put(id uint32, token []byte) {
	for int(id) >= len(v.spans) {
		v.spans = append(v.spans, span{})
	}
	if v.spans[id] == (span{}) {
		v.used++
	}
	// The block starts with one spare byte, so that an empty token differs from the zero span.
	if len(v.text) == 0 {
		v.text = append(v.text, 0)
	}
	start := uint32(len(v.text))
	v.text = append(v.text, token...)
	v.spans[id] = span{start, uint32(len(v.text))}
}

// index finds ids by string. It is open addressing over ids with a hash tag in front, because
// resolving half a million merges asks it three times each.
type index struct {
	seed  maphash.Seed
	slots []uint64 // hash tag in the upper half, id+1 in the lower; 0 is free
	mask  uint64
}

func newIndex(n int) *index {
	size := 16
	for size < 2*n {
		size *= 2
	}
	return &index{seed: maphash.MakeSeed(), slots: make([]uint64, size), mask: uint64(size - 1)}
}

// find returns the id whose string in v is key.
func (x *index) find(v *vocab, key []byte) (uint32, bool) {
	h := maphash.Bytes(x.seed, key)
	for i := h; ; i++ {
		slot := x.slots[i&x.mask]
		if slot == 0 {
			return 0, false
		}
		if slot>>32 != h>>32 {
			continue
		}
		id := uint32(slot) - 1
		if s := v.spans[id]; string(v.text[s.start:s.end]) == string(key) {
			return id, true
		}
	}
}

// add enters the string that v holds for id. An earlier entry for the same string is replaced.
func (x *index) add(v *vocab, id uint32) {
	s := v.spans[id]
	key := v.text[s.start:s.end]
	h := maphash.Bytes(x.seed, key)
	entry := h>>32<<32 | uint64(id+1)
	for i := h; ; i++ {
		slot := &x.slots[i&x.mask]
		if *slot == 0 {
			*slot = entry
			return
		}
		if *slot>>32 != h>>32 {
			continue
		}
		if o := v.spans[uint32(*slot)-1]; string(v.text[o.start:o.end]) == string(key) {
			*slot = entry
			return
		}
	}
}

// fallbackIDs returns the ids of the byte tokens <0x00> to <0xFF>, noToken where one is missing.
func fallbackIDs(v *vocab, x *index) (ids [256]uint32) {
	for b := range ids {
		id, ok := x.find(v, fallbackName(byte(b)))
		if !ok {
			id = noToken
		}
		ids[b] = id
	}
	return ids
}

func fallbackName(b byte) []byte {
	const hex = "0123456789ABCDEF"
	return []byte{'<', '0', 'x', hex[b>>4], hex[b&15], '>'}
}

// parseFallback is the inverse of fallbackName. Like Hugging Face it takes either case of hex digits.
func parseFallback(token []byte) (byte, bool) {
	if len(token) != 6 || string(token[:3]) != "<0x" || token[5] != '>' {
		return 0, false
	}
	n, err := strconv.ParseUint(string(token[3:5]), 16, 8)
	return byte(n), err == nil
}
