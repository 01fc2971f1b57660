//go:build !amd64 || purego

package bpe

import "unsafe"

func (w *worker) countKnown(text unsafe.Pointer, ends uint64) (total, misses int) {
	return w.countKnownPortable(text, ends)
}
