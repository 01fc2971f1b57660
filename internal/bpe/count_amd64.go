//go:build amd64 && !purego

package bpe

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

var hasBMI = cpu.X86.HasBMI1

// countKnownBMI is countKnownPortable in instructions that not all processors have.
//
//go:noescape
func countKnownBMI(words *[1 << wordBits]wordEntry, text unsafe.Pointer, ends uint64, missed *[64]uint16) (total, misses int)

func (w *worker) countKnown(text unsafe.Pointer, ends uint64) (total, misses int) {
	if hasBMI {
		return countKnownBMI(&w.words, text, ends, &w.missed)
	}
	return w.countKnownPortable(text, ends)
}
