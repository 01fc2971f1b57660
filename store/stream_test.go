package store_test

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/plimsoll/plimsoll/store"
)

// spill is a backend that keeps chunks in a file, so that what is left in memory is
// what the store itself needs.
type spill struct {
	*memory
	file  *os.File
	at    map[store.ChunkID]int64
	sizes map[store.ChunkID]int
	end   int64
	peak  *peak
}

func (s *spill) Write(ctx context.Context, tenant store.TenantID, chunks []store.Chunk, object *store.Object, extents []store.Extent) error {
	s.peak.look()
	bare := make([]store.Chunk, len(chunks))
	s.mu.Lock()
	for i, c := range chunks {
		if _, err := s.file.WriteAt(c.Data, s.end); err != nil {
			s.mu.Unlock()
			return err
		}
		s.at[c.ID], s.sizes[c.ID] = s.end, len(c.Data)
		s.end += int64(len(c.Data))
		bare[i] = store.Chunk{ID: c.ID, Size: c.Size}
	}
	s.mu.Unlock()
	return s.memory.Write(ctx, tenant, bare, object, extents)
}

func (s *spill) Chunk(ctx context.Context, tenant store.TenantID, id store.ChunkID) (store.Chunk, error) {
	c, err := s.memory.Chunk(ctx, tenant, id)
	if err != nil {
		return c, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.calls.chunksRead%64 == 0 {
		s.peak.look()
	}
	c.Data = make([]byte, s.sizes[id])
	_, err = s.file.ReadAt(c.Data, s.at[id])
	return c, err
}

// peak is the most that was in use on the heap at any look.
type peak struct{ most uint64 }

func (p *peak) look() {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	p.most = max(p.most, m.HeapAlloc)
}

// during returns how much more was in use while something was done than before.
func (p *peak) during(do func()) uint64 {
	p.most = 0
	p.look()
	before := p.most
	do()
	p.look()
	return p.most - before
}

// logReader writes numbered lines for ever. One in 10,000 has a needle.
type logReader struct {
	line int
	rest []byte
}

func (r *logReader) Read(p []byte) (int, error) {
	if len(r.rest) == 0 {
		r.line++
		word := "request"
		if r.line%10_000 == 0 {
			word = "needle"
		}
		r.rest = fmt.Appendf(r.rest[:0], "%09d level=info msg=%s id=%016x\n", r.line, word, uint64(r.line)*0x9e3779b97f4a7c15)
	}
	n := copy(p, r.rest)
	r.rest = r.rest[n:]
	return n, nil
}

// It runs alone: others would be counted too.
func TestO11_LongStreamsTakeConstantMemory(t *testing.T) {
	const most = 32 << 20
	size := int64(64 << 20)
	if raceEnabled {
		size = 12 << 20
	}
	file, err := os.Create(filepath.Join(t.TempDir(), "chunks"))
	must(t, err)
	defer file.Close()
	p := &peak{}
	b := &spill{memory: newMemory(), file: file, at: map[store.ChunkID]int64{}, sizes: map[store.ChunkID]int{}, peak: p}
	s, err := store.New(t.Context(), b, nil)
	must(t, err)
	tenant := s.Tenant("alice")
	var id string
	used := p.during(func() {
		ref, err := tenant.PutReader(t.Context(), io.LimitReader(&logReader{}, size), "")
		must(t, err)
		id = ref.ID
	})
	if used > most {
		t.Errorf("writing %d MiB took %d KiB", size>>20, used>>10)
	}
	t.Logf("writing %d MiB took %d KiB in %d writes", size>>20, used>>10, b.calls.writes)
	r, err := tenant.Open(t.Context(), id)
	must(t, err)
	defer r.Close()
	if r.Object().Bytes != size {
		t.Fatalf("got %+v", r.Object())
	}
	lines := int64(0)
	used = p.during(func() {
		for l, err := range r.Lines(t.Context(), 0) {
			if err != nil || l.Number != lines {
				t.Fatalf("line %d, %v, want %d", l.Number, err, lines)
			}
			lines++
		}
	})
	if used > most || lines != r.Object().Lines {
		t.Errorf("reading %d lines of %d took %d KiB", lines, r.Object().Lines, used>>10)
	}
	t.Logf("reading %d lines took %d KiB", lines, used>>10)
}
