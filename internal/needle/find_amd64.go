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
func findAVX2(text *byte, t *nibbleTables, all *marks, n int)

func (s *Set) find(text string, all []marks) {
	if hasAVX2 {
		findAVX2(unsafe.StringData(text), &s.tables, unsafe.SliceData(all), len(all))
		return
	}
	s.findPortable(text, all)
}
