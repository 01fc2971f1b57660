package bpe

import (
	"runtime"
	"unsafe"
)

// warmLen is the length of text from which on it pays to warm a worker.
const warmLen = 1 << 18

// lineSize is what a processor fetches from memory at once.
const lineSize = 64

// warm brings the tables that a text asks all over the place into a near cache before the first long text. Reading them
// in order is many times faster than waiting for each line when it is asked for.
func (w *worker) warm(text string) {
	if w.isWarm || len(text) < warmLen {
		return
	}
	w.isWarm = true
	read := touch(w.words[:]) + touch(w.duo[:]) + touch(w.nearby[:]) + touch(w.pairs[:]) + touch(w.maybe[:])
	runtime.KeepAlive(read)
}

// touch reads a byte of each line of memory. The sum of them means nothing.
func touch[E any](memory []E) (sum byte) {
	start, size := unsafe.Pointer(unsafe.SliceData(memory)), len(memory)*int(unsafe.Sizeof(memory[0]))
	for at := 0; at < size; at += lineSize {
		sum += *(*byte)(unsafe.Add(start, at))
	}
	return sum
}
