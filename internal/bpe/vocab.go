package bpe

import (
	"compress/gzip"
	_ "embed"
	"encoding/binary"
	"io"
	"strings"
)

// The embedded vocabularies, as internal/genvocab writes them.
var (
	//go:embed vocab/r50k_base.bin
	r50kPlanes string
	//go:embed vocab/p50k_base.bin
	p50kPlanes string
	//go:embed vocab/cl100k_base.bin
	cl100kPlanes string
	//go:embed vocab/o200k_base.bin
	o200kPlanes string
)

// idBits is the width of a token id; the tables pack ids into words with it.
const idBits = 18

const idMask = 1<<idBits - 1

// vocab is an unpacked vocabulary: token id has the bytes blob[offset[id]:offset[id+1]] and, from 256 on, is the
// merge of the two halves pair[id]. A hole in the numbering has no bytes.
type vocab struct {
	pair   []uint64
	offset []uint32
	blob   []byte
}

// makePair packs two adjacent tokens into one word.
func makePair(left, right uint32) uint64 { return uint64(left) | uint64(right)<<32 }

func leftOf(pair uint64) uint32  { return uint32(pair) }
func rightOf(pair uint64) uint32 { return uint32(pair >> 32) }

// unpack reads an embedded vocabulary, which internal/genvocab describes, and returns its merges and the single bytes
// in the order of their ids. It is part of the program, so that damage to it is a bug and panics.
func unpack(packed string) (pairs []uint64, singles []byte) {
	rest := packed[260:]
	n := int(binary.LittleEndian.Uint32([]byte(packed[256:260])))
	zr, err := gzip.NewReader(strings.NewReader(rest[2*n:]))
	if err != nil {
		panic("bpe: embedded vocabulary: " + err.Error())
	}
	planes := make([]byte, 4*n)
	if _, err := io.ReadFull(zr, planes); err != nil {
		panic("bpe: embedded vocabulary: " + err.Error())
	}
	return joinPlanes(rest[:2*n], planes), []byte(packed[:256])
}

// joinPlanes puts the low, middle and high bytes of each half together. Single bytes are pairs of themselves, like
// holes.
func joinPlanes(low string, planes []byte) []uint64 {
	n := len(low) / 2
	pairs := make([]uint64, 256+n)
	for id := range 256 {
		pairs[id] = makePair(uint32(id), uint32(id))
	}
	l0, l1, l2 := low[:n], planes[:n], planes[n:2*n]
	r0, r1, r2 := low[n:2*n], planes[2*n:3*n], planes[3*n:4*n]
	for i := range n {
		left := uint32(l0[i]) | uint32(l1[i])<<8 | uint32(l2[i])<<16
		right := uint32(r0[i]) | uint32(r1[i])<<8 | uint32(r2[i])<<16
		pairs[256+i] = makePair(left, right)
	}
	return pairs
}

// spell fills in the bytes of every token. Both halves of a token have smaller ids, so one pass is enough.
func (v *vocab) spell(singles []byte) {
	v.offset = make([]uint32, len(v.pair)+1)
	v.blob = make([]byte, bytesPerToken*len(v.pair))
	copy(v.blob, singles)
	at := uint32(0)
	for id, pair := range v.pair {
		v.offset[id] = at
		if id < 256 {
			at++
		} else if left, right := leftOf(pair), rightOf(pair); left != uint32(id) {
			at = v.copyWords(v.copyWords(at, left), right)
		}
	}
	v.offset[len(v.pair)] = at
}

// bytesPerToken is more than tokens have on average. There is also room for what is copied or read beyond the last one.
const bytesPerToken = 8

// copyWords spells a token at an offset and up to seven more bytes, which the next one overwrites. It returns the end of
// the token.
func (v *vocab) copyWords(to, id uint32) uint32 {
	from, end := v.offset[id], v.offset[id+1]
	for at := to; from < end; from, at = from+8, at+8 {
		*(*[8]byte)(v.blob[at:]) = *(*[8]byte)(v.blob[from:])
	}
	return to + end - v.offset[id]
}

// lenOf returns the length of a token in bytes.
func (v *vocab) lenOf(id uint32) int { return int(v.offset[id+1] - v.offset[id]) }

func (v *vocab) size() int { return len(v.pair) }

// bytes returns the spelling of a token, which the caller must not change.
func (v *vocab) bytes(id uint32) []byte { return v.blob[v.offset[id]:v.offset[id+1]] }
