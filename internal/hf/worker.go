package hf

import (
	"runtime"
	"sync"
)

// worker walks over text for one call at a time: it owns the memo and all scratch memory.
type worker struct {
	t      *tables
	memo   *memo
	merger merger
	norm   [2][]byte
	prep   [2][]byte

	counting bool
	n        int
	ids      []uint32
}

// workers lends workers out, so that concurrent calls share tables but no memory that is written. A
// call that panics does not give its worker back.
type workers struct {
	mu   sync.Mutex
	idle []*worker
}

// maxBuffer bounds the text buffers that an idle worker keeps.
const maxBuffer = 1 << 20

func (p *workers) get(t *tables) *worker {
	p.mu.Lock()
	defer p.mu.Unlock()
	if n := len(p.idle); n > 0 {
		w := p.idle[n-1]
		p.idle = p.idle[:n-1]
		return w
	}
	return &worker{t: t, memo: newMemo()}
}

// put takes a worker back. No more than two per processor are kept.
func (p *workers) put(w *worker) {
	w.ids = nil
	w.merger.release()
	for i := range 2 {
		if cap(w.norm[i]) > maxBuffer {
			w.norm[i] = nil
		}
		if cap(w.prep[i]) > maxBuffer {
			w.prep[i] = nil
		}
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.idle) < 2*runtime.GOMAXPROCS(0) {
		p.idle = append(p.idle, w)
	}
}

// walk tokenises text from end to end.
func (w *worker) walk(text string, special bool) {
	w.t.raw.each(text, special, func(part string, start int) {
		part = normalize(w.t.normalizers, part, &w.norm)
		w.t.normalized.each(part, special, func(part string, inner int) {
			part = w.t.pre.prepare(part, start == 0 && inner == 0, &w.prep)
			w.cut(part, w.t.pre.stages)
		}, w.emit)
	}, w.emit)
}

func (w *worker) emit(id uint32) {
	if w.counting {
		w.n++
		return
	}
	w.ids = append(w.ids, id)
}

func (w *worker) emitAll(ids []uint32) {
	if w.counting {
		w.n += len(ids)
		return
	}
	w.ids = append(w.ids, ids...)
}

// leaf takes a piece that no stage cuts further.
func (w *worker) leaf(p string) {
	m := w.t.model
	if m.whole != nil {
		if id, ok := m.whole[p]; ok {
			w.emit(id)
			return
		}
	}
	if m.joints == nil {
		w.merge(p)
		return
	}
	for from := 0; from < len(p); {
		end := m.joints.next(p, from)
		w.merge(p[from:end])
		from = end
	}
}

// piece emits the tokens of a piece from a split. Most are words that the memo knows; longer ones
// are looked at more closely.
func (w *worker) piece(p string) {
	if len(p) > shortBytes {
		w.leaf(p)
		return
	}
	lo, hi := shortKey(p)
	e := w.memo.shortSlot(lo, hi, len(p))
	if e.lo == lo && e.hi == hi && int(e.size) == len(p) {
		w.emitAll(e.ids[:e.n])
		return
	}
	if m := w.t.model; m.whole != nil {
		if id, ok := m.whole[p]; ok {
			*e = shortEntry{lo: lo, hi: hi, size: uint8(len(p)), n: 1, ids: [shortIDs]uint32{id}}
			w.emit(id)
			return
		}
	}
	w.mergeShort(p, e, lo, hi, uint8(len(p)))
}

// merge emits the tokens of text that has been cut as far as it can be.
func (w *worker) merge(p string) {
	switch {
	case len(p) > longBytes:
		w.emitAll(w.merger.tokens(w.t.model, p))
	case len(p) > shortBytes:
		w.mergeLong(p)
	default:
		size := uint8(len(p))
		if w.t.model.whole != nil {
			size |= partOfPiece
		}
		lo, hi := shortKey(p)
		e := w.memo.shortSlot(lo, hi, int(size))
		if e.lo == lo && e.hi == hi && e.size == size {
			w.emitAll(e.ids[:e.n])
			return
		}
		w.mergeShort(p, e, lo, hi, size)
	}
}

func (w *worker) mergeShort(p string, e *shortEntry, lo, hi uint64, size uint8) {
	ids := w.merger.tokens(w.t.model, p)
	if len(ids) <= shortIDs {
		*e = shortEntry{lo: lo, hi: hi, size: size, n: uint8(len(ids))}
		copy(e.ids[:], ids)
	}
	w.emitAll(ids)
}

func (w *worker) mergeLong(p string) {
	e := w.memo.longSlot(p)
	if int(e.size) == len(p) && string(e.key[:len(p)]) == p {
		w.emitAll(e.ids[:e.n])
		return
	}
	ids := w.merger.tokens(w.t.model, p)
	if len(ids) <= longIDs {
		e.size, e.n = uint8(len(p)), uint8(len(ids))
		copy(e.key[:], p)
		copy(e.ids[:], ids)
	}
	w.emitAll(ids)
}
