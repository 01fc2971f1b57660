package sqlite

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// BenchmarkScaling measures calls in stores of different sizes; their times should be
// much the same.
func BenchmarkScaling(b *testing.B) {
	for _, size := range []int{1_000, 10_000, 100_000} {
		b.Run(fmt.Sprint(size, "objects"), func(b *testing.B) {
			db := open(b, filepath.Join(b.TempDir(), "store.db"), nil)
			defer db.Close()
			fill(b, db, size)
			b.Run("put", func(b *testing.B) { benchPut(b, db) })
			b.Run("get", func(b *testing.B) { benchGet(b, db, size) })
			b.Run("gc", func(b *testing.B) { benchGC(b, db) })
			b.Run("stats", func(b *testing.B) {
				for range b.N {
					_, err := db.Stats(b.Context(), nil)
					check(b, err)
				}
			})
		})
	}
}

// fill writes objects in large transactions, without waiting for the disk, every
// tenth with a decision that refers to it.
func fill(b *testing.B, db *backend, size int) {
	b.Helper()
	old := time.Now().Add(-time.Hour)
	const step = 1000
	check(b, db.use(b.Context(), "hurry", db.writer, func(s *handle) error { return s.run("PRAGMA synchronous = 0") }))
	for from := 0; from < size; from += step {
		check(b, db.write(b.Context(), "fill", func(s *handle) error {
			for i := from; i < from+step; i++ {
				c := benchChunk(i)
				o, extents := benchObject(fmt.Sprint("old ", i), c, old.Add(time.Duration(i)*time.Millisecond))
				if err := addChunk(s, tenant, &c, old.UnixMicro()); err != nil {
					return err
				}
				if err := addObject(s, tenant, o, extents); err != nil {
					return err
				}
			}
			return nil
		}))
	}
	for i := 0; i < size; i += 10 {
		d := store.Decision{Key: plimsoll.Digest{byte(i), byte(i >> 8), byte(i >> 16)}, Refs: []string{fmt.Sprint("old ", i)}, Used: old}
		check(b, db.PutDecision(b.Context(), tenant, d))
	}
	check(b, db.use(b.Context(), "no hurry", db.writer, func(s *handle) error { return s.run("PRAGMA synchronous = 2") }))
	_, err := db.Sweep(b.Context(), old)
	check(b, err)
}

func benchChunk(i int) store.Chunk {
	c := store.Chunk{Data: make([]byte, 2000), Size: 8000}
	random := rand.New(rand.NewPCG(uint64(i), 7))
	for n := range c.ID {
		c.ID[n] = byte(random.Uint32())
	}
	return c
}

func benchObject(id string, c store.Chunk, at time.Time) (*store.Object, []store.Extent) {
	return &store.Object{ID: id, Kind: store.KindText, Bytes: 8000, Lines: 100, Stored: 8000, Note: "read_file", Created: at, Used: at},
		[]store.Extent{{Chunk: c.ID, Size: 8000, Lines: 99}}
}

func benchPut(b *testing.B, db *backend) {
	for range b.N {
		n := rand.IntN(1 << 40)
		c := benchChunk(n)
		o, extents := benchObject(fmt.Sprint("new ", n), c, time.Now())
		check(b, db.Write(b.Context(), tenant, []store.Chunk{c}, o, extents))
	}
}

func benchGet(b *testing.B, db *backend, size int) {
	for range b.N {
		id := fmt.Sprint("old ", rand.IntN(size))
		_, err := db.Object(b.Context(), tenant, id)
		check(b, err)
		extents, err := db.ExtentsAtLine(b.Context(), tenant, id, 50, 4)
		check(b, err)
		_, err = db.Chunk(b.Context(), tenant, extents[0].Chunk)
		check(b, err)
	}
}

// benchGC writes fifty objects, takes as many out that are old, and sweeps.
func benchGC(b *testing.B, db *backend) {
	for range b.N {
		b.StopTimer()
		var made []store.Owned
		for range 50 {
			n := rand.IntN(1 << 40)
			c := benchChunk(n)
			o, extents := benchObject(fmt.Sprint("new ", n), c, time.UnixMicro(int64(n%1000)))
			check(b, db.Write(b.Context(), tenant, []store.Chunk{c}, o, extents))
			made = append(made, store.Owned{Tenant: tenant, Object: *o})
		}
		b.StartTimer()
		old, err := db.Expired(b.Context(), time.UnixMicro(1000), 100)
		check(b, err)
		n, err := db.Evict(b.Context(), old)
		check(b, err)
		if n != len(made) {
			b.Fatalf("evicted %d, want %d", n, len(made))
		}
		_, err = db.Sweep(b.Context(), time.Now().Add(time.Hour))
		check(b, err)
	}
}
