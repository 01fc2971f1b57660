package store

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash"
	"io"
	"sync"

	"github.com/plimsoll/plimsoll"
)

// maxBatch is how many bytes of content are held and written at once.
const maxBatch = 4 << 20

// section is a stretch of an object at whose end a chunk ends.
type section struct {
	io.Reader
	// text says that its bytes and lines are those that the reference counts.
	text bool
}

// writer turns a stream into chunks and an object. It holds one batch of content.
type writer struct {
	tenant *Tenant
	cutter chunker
	object Object
	// namer hashes all content for the object's id; nil if the id is known.
	namer   hash.Hash
	extents []Extent
	// offset and line are where the next chunk begins in the object.
	offset, line int64

	// batch holds the content of chunks that are cut and, behind cut, the beginning
	// of the next one.
	batch  []byte
	cut    int
	pieces []piece
	// certain writes chunks even if they are there, so that they count as used.
	certain bool
}

// piece is a chunk in the batch.
type piece struct {
	content []byte
	id      ChunkID
	lines   int
	text    bool
}

func (t *Tenant) newWriter(kind Kind, note string) *writer {
	now := t.store.options.Now()
	return &writer{
		tenant: t, cutter: newCutter(t.store.options.ChunkSize),
		object: Object{Kind: kind, Note: plain(note), Lines: 1, Created: now, Used: now},
	}
}

// write stores the sections and then the object that they make.
func (w *writer) write(ctx context.Context, sections []section) (plimsoll.Ref, error) {
	for _, s := range sections {
		if err := w.section(ctx, s); err != nil {
			return plimsoll.Ref{}, err
		}
	}
	if err := w.commit(ctx); err != nil {
		return plimsoll.Ref{}, err
	}
	return plimsoll.Ref{ID: w.object.ID, Bytes: w.object.Bytes, Lines: w.object.Lines}, nil
}

func (w *writer) section(ctx context.Context, s section) error {
	for done := false; !done; {
		if err := w.room(ctx); err != nil {
			return err
		}
		n, err := io.ReadFull(s, w.batch[len(w.batch):cap(w.batch)])
		w.batch = w.batch[:len(w.batch)+n]
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			done = true
		case err != nil:
			return fmt.Errorf("read content: %w", err)
		}
		for rest := w.batch[w.cut:]; len(rest) >= w.cutter.max || done && len(rest) > 0; rest = w.batch[w.cut:] {
			n := w.cutter.cut(rest)
			w.pieces = append(w.pieces, piece{content: rest[:n:n], text: s.text})
			w.cut += n
		}
	}
	return nil
}

// room makes room in the batch: by growing while it is small, else by writing what
// is in it.
func (w *writer) room(ctx context.Context) error {
	if len(w.batch) < cap(w.batch) {
		return nil
	}
	limit := w.limit()
	if n := cap(w.batch); n < limit {
		w.grow(min(limit, max(4*n, 64<<10)))
		return nil
	}
	chunks, err := w.chunks(ctx)
	if err != nil {
		return err
	}
	if err := w.tenant.store.backend.Write(ctx, w.tenant.id, chunks, nil, nil); err != nil {
		return err
	}
	w.extend()
	w.batch = w.batch[:copy(w.batch[:cap(w.batch)], w.batch[w.cut:])]
	w.cut = 0
	return nil
}

// limit is how long the batch may become: short if chunks are, so that a batch has
// at most some hundred of them.
func (w *writer) limit() int { return min(maxBatch, 32*w.tenant.store.options.ChunkSize) }

// grow moves the batch. Pieces that are cut stay where they are; nothing writes there.
func (w *writer) grow(size int) {
	w.batch = append(make([]byte, 0, size), w.batch...)
}

// commit writes the last batch together with the object.
func (w *writer) commit(ctx context.Context) error {
	chunks, err := w.chunks(ctx)
	if err != nil {
		return err
	}
	last := w.pieces
	w.extend()
	w.object.Stored = w.offset
	if w.namer != nil {
		w.object.ID = named(w.namer)
		w.namer = nil
	}
	err = w.tenant.store.backend.Write(ctx, w.tenant.id, chunks, &w.object, w.extents)
	if errors.Is(err, ErrMissingChunk) && !w.certain {
		// A chunk that was there when we asked was swept since.
		w.certain, w.pieces = true, last
		if chunks, err = w.chunks(ctx); err == nil {
			err = w.tenant.store.backend.Write(ctx, w.tenant.id, chunks, &w.object, w.extents)
		}
	}
	return err
}

// chunks names the pieces of the batch and compresses those that are not there yet.
func (w *writer) chunks(ctx context.Context) ([]Chunk, error) {
	w.name()
	missing := w.distinct()
	if !w.certain && len(missing) > 0 {
		ids := make([]ChunkID, len(missing))
		for i, p := range missing {
			ids[i] = p.id
		}
		there, err := w.tenant.store.backend.HasChunks(ctx, w.tenant.id, ids)
		if err != nil {
			return nil, err
		}
		missing = without(missing, there)
	}
	chunks := make([]Chunk, len(missing))
	inParallel(len(missing), func(i int) {
		p := missing[i]
		chunks[i] = Chunk{ID: p.id, Data: w.tenant.store.codec.compress(p.content), Size: len(p.content)}
	})
	return chunks, ctx.Err()
}

// name hashes the pieces of the batch, each by itself and all together.
func (w *writer) name() {
	var whole sync.WaitGroup
	if w.namer != nil {
		whole.Go(func() {
			for i := range w.pieces {
				w.namer.Write(w.pieces[i].content)
			}
		})
	}
	inParallel(len(w.pieces), func(i int) {
		p := &w.pieces[i]
		p.id = w.tenant.key.chunkID(p.content)
		p.lines = bytes.Count(p.content, []byte{'\n'})
	})
	whole.Wait()
}

// distinct returns the pieces without those that were there before in the batch.
func (w *writer) distinct() []piece {
	seen := make(map[ChunkID]bool, len(w.pieces))
	var all []piece
	for _, p := range w.pieces {
		if !seen[p.id] {
			seen[p.id] = true
			all = append(all, p)
		}
	}
	return all
}

func without(pieces []piece, there []bool) []piece {
	var missing []piece
	for i, p := range pieces {
		if i >= len(there) || !there[i] {
			missing = append(missing, p)
		}
	}
	return missing
}

// extend adds the pieces of the batch to the object.
func (w *writer) extend() {
	for _, p := range w.pieces {
		e := Extent{Chunk: p.id, Offset: w.offset, Line: w.line, Size: len(p.content), Lines: p.lines}
		w.extents = append(w.extents, e)
		w.offset += int64(e.Size)
		w.line += int64(e.Lines)
		if p.text {
			w.object.Bytes = w.offset
			w.object.Lines = w.line + 1
		}
	}
	w.pieces = nil
}

// inParallel calls do for each number below n and waits.
func inParallel(n int, do func(int)) {
	if n == 1 {
		do(0)
		return
	}
	var group sync.WaitGroup
	next := make(chan int)
	for range min(n, parallel()) {
		group.Go(func() {
			for i := range next {
				do(i)
			}
		})
	}
	for i := range n {
		next <- i
	}
	close(next)
	group.Wait()
}
