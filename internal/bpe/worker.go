package bpe

import (
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/plimsoll/plimsoll/internal/split"
)

// worker is what one call needs for itself: memos of the pieces seen before and scratch space. A worker serves one
// goroutine at a time and keeps its memos for the next call.
type worker struct {
	// The only pointer comes first: what follows is nothing to the garbage collector. The groups of words start with a
	// cache line.
	setting
	_ [64 - unsafe.Sizeof(setting{})]byte

	// words remembers short pieces, ids has the ids of each. largeAt remembers longer ones, with their texts and ids in
	// large.
	words   [1 << wordBits]wordEntry
	ids     [1 << wordBits]idsEntry
	largeAt [1 << largeAtBits]largeEntry
	large   [1 << largeBits]uint32

	// follows remembers answers of mayFollow as left, right and the answer in one word.
	follows [1 << followBits]uint64

	// pairs remembers what pairs of tokens merge into, as left, right and merged token in one word.
	pairs [1 << pairBits]uint64

	// wideStart remembers what characters of three bytes start as.
	wideStart [1 << 16]characterStart

	// stack holds the tokens of the piece being encoded, chunk those of the part of it that is being merged in parts.
	stack [maxStack + maxParts]uint32
	chunk [maxParts]uint32
	parts parts
	early early
	sure  sure

	// likely lists the parts that linkSparse looks for merges of.
	likely [256]uint8

	// missed lists the pieces of a window that the first look at the memo did not answer.
	missed [64]uint16

	// tail is a copy of the end of a text, so that words can be loaded from it without reading past the text.
	tail [tailLen + wordLen]byte
}

// setting is the part of a worker that is not memory.
type setting struct {
	*tables
	pattern split.Pattern

	// turn spreads what happens to words now and then.
	turn uint32

	// largeUsed is how much of large is in use.
	largeUsed uint32
}

const (
	wordBits   = 17
	groupBits  = 2
	groupLen   = 1 << groupBits
	largeBits  = 19
	followBits = 14
	pairBits   = 15

	largeAtBits = 15

	// tailLen is the longest rest of a text that is copied before it is read: a window and the words that may start at
	// its last byte.
	tailLen = 64 + wordLen
)

// pool hands out workers. A few are kept for good, because a warm memo is worth more than its memory; those of a
// program that counts in more goroutines at once are left to the garbage collector when they are idle.
type pool struct {
	kept [4]atomic.Pointer[worker]
	more sync.Pool
}

func (p *pool) get(e *Encoding) *worker {
	for i := range p.kept {
		if p.kept[i].Load() == nil {
			continue
		}
		if w := p.kept[i].Swap(nil); w != nil {
			return w
		}
	}
	if w, ok := p.more.Get().(*worker); ok {
		return w
	}
	return newWorker(e)
}

func newWorker(e *Encoding) *worker {
	w := &worker{setting: setting{tables: e.tables, pattern: e.pattern}}
	w.seed()
	return w
}

func (p *pool) put(w *worker) {
	for i := range p.kept {
		if p.kept[i].CompareAndSwap(nil, w) {
			return
		}
	}
	p.more.Put(w)
}

// copyTail moves the last bytes of a text to where a word can be loaded from any of them.
func (w *worker) copyTail(text string) string {
	n := copy(w.tail[:tailLen], text)
	clear(w.tail[n:])
	return unsafe.String(&w.tail[0], n)
}
