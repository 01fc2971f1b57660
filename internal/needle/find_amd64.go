//go:build amd64 && !purego

package needle

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasAVX2 = cpu.X86.HasAVX2

// findAVX2 is findPortable for processors with AVX2.
//
//go:noescape
func findAVX2(text *byte, blocks int, halves *[len(Pattern{})][2][16]byte) (passed int, hits uint64)

func (s *Set) find(text string, blocks int) (passed int, hits uint64) {
	if hasAVX2 {
		return findAVX2(unsafe.StringData(text), blocks, &s.halves)
	}
	return s.findPortable(text, blocks)
}
