//go:build amd64 && !purego

package bpe

import (
	"math/bits"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// vectorLen is from how many bytes on vector instructions pay for finding sure merges: they wait for what was just
// written.
const vectorLen = 24

// sure finds merges that are sure to happen, eight at a time.
type sure struct {
	// found has a bit for each of them.
	found [256 / 64]uint64

	// bytes has the bound of each position in a piece: what joins the bytes before it with earlier ones, or those behind
	// it with later ones, has at least this id, if it has three bytes. parts has those of the parts that start there, as
	// merges.
	bytes [1 + 256]uint32
	parts [256 + 1]uint32
}

// sureBytesAVX2 finds the first n bytes that startBytes would merge with the next ones, and the bounds.
//
//go:noescape
func sureBytesAVX2(s *sure, e *early, n int)

// surePartsAVX2 finds which of the first n merges of parts are sure to happen, for the same reason as those of bytes.
// Those of parts of three and more bytes never are: their bounds are not larger than their ids.
//
//go:noescape
func surePartsAVX2(s *sure, p *parts, n int)

// startASCII fills in the parts to start from for a piece whose characters are single bytes, with their merges. It
// returns their number, and how many are left after merges that it has done already.
func (w *worker) startASCII(piece string) (n, left int) {
	if len(piece) < vectorLen || !hasAVX2 {
		n = w.startBytes(piece)
		w.link(n)
		return n, n
	}
	n = w.startSure(w.early.read(w.tables, piece))
	w.link(n)
	return n, n - w.mergeSure(n)
}

// startSure does the work of startBytes for a piece of some length that was read.
func (w *worker) startSure(length int) (n int) {
	p, e, s, taken := &w.parts, &w.early, &w.sure, uint64(0)
	sureBytesAVX2(s, e, length-1)
	s.found[(length-1)/64] &= 1<<((length-1)%64) - 1
	for first := 0; first < length; first += 64 {
		found := s.found[first/64]
		starts := ^(found<<1 | taken)
		if rest := length - first; rest < 64 {
			starts &= 1<<rest - 1
		}
		for ; starts != 0; starts &= starts - 1 {
			bit := bits.TrailingZeros64(starts)
			at := (first + bit) & 0xff
			single, double := w.byteID[e.text[at]], e.rank[at+1]
			p.id[n&0xff] = single ^ (single^double)&-uint32(found>>bit&1)
			s.parts[n&0xff] = s.bytes[at] << 8
			n++
		}
		taken = found >> 63
	}
	return n
}

// mergeSure does the merges of the n parts that are sure to happen, none of which waits for another, and returns their
// number.
func (w *worker) mergeSure(n int) (done int) {
	p, s := &w.parts, &w.sure
	surePartsAVX2(s, p, n)
	s.found[n/64] &= 1<<(n%64) - 1
	for first := 0; first < n; first += 64 {
		found := s.found[first/64]
		done += bits.OnesCount64(found)
		for ; found != 0; found &= found - 1 {
			at := uint8(first + bits.TrailingZeros64(found))
			w.mergeAt(at, p.merge[at]>>8)
		}
	}
	return done
}

// smallestAVX2 is smallestPortable with the vector instructions of newer processors.
//
//go:noescape
func smallestAVX2(merges *[256]uint32, n int) uint32

func (p *parts) smallest(n int) uint32 {
	if hasAVX2 && n > 2*blockLen {
		return smallestAVX2(&p.merge, n)
	}
	return p.smallestPortable(n)
}
