package bpe

import (
	"compress/gzip"
	_ "embed"
	"io"
	"strings"
)

// The embedded vocabularies, as internal/genvocab writes them.
var (
	//go:embed vocab/r50k_base.gz
	r50kPlanes string
	//go:embed vocab/p50k_base.gz
	p50kPlanes string
	//go:embed vocab/cl100k_base.gz
	cl100kPlanes string
	//go:embed vocab/o200k_base.gz
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

// unpack reads the planes of an embedded vocabulary. They are part of the program, so that damage to them is a bug
// and panics.
func unpack(planes string) vocab {
	zr, err := gzip.NewReader(strings.NewReader(planes))
	if err != nil {
		panic("bpe: embedded vocabulary: " + err.Error())
	}
	raw, err := io.ReadAll(zr)
	if err != nil || len(raw)%6 != 256%6 {
		panic("bpe: embedded vocabulary is damaged")
	}
	v := vocab{pair: joinPlanes(raw[:256], raw[256:])}
	v.spell(raw[:256])
	return v
}

// joinPlanes puts the bytes of each id together. Single bytes are pairs of themselves, like holes.
func joinPlanes(singles, planes []byte) []uint64 {
	n := len(planes) / 6
	pairs := make([]uint64, 256+n)
	for id := range singles {
		pairs[id] = makePair(uint32(id), uint32(id))
	}
	l0, l1, l2 := planes[:n], planes[n:2*n], planes[2*n:3*n]
	r0, r1, r2 := planes[3*n:4*n], planes[4*n:5*n], planes[5*n:6*n]
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
	v.blob = make([]byte, 0, 8*len(v.pair))
	for id, pair := range v.pair {
		switch {
		case id < 256:
			v.blob = append(v.blob, singles[id])
		case leftOf(pair) != uint32(id):
			v.blob = append(v.blob, v.bytes(leftOf(pair))...)
			v.blob = append(v.blob, v.bytes(rightOf(pair))...)
		}
		v.offset[id+1] = uint32(len(v.blob))
	}
	// The last tokens, too, are read eight bytes at a time.
	v.blob = append(v.blob, make([]byte, 8)...)
}

// lenOf returns the length of a token in bytes.
func (v *vocab) lenOf(id uint32) int { return int(v.offset[id+1] - v.offset[id]) }

func (v *vocab) size() int { return len(v.pair) }

// bytes returns the spelling of a token, which the caller must not change.
func (v *vocab) bytes(id uint32) []byte { return v.blob[v.offset[id]:v.offset[id+1]] }
