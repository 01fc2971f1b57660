package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

var tenant = store.TenantID{1, 2, 3}

// writeOne writes an object of one chunk.
func writeOne(ctx context.Context, db store.Backend, id string, data []byte) error {
	c := store.Chunk{ID: sha256.Sum256(data), Data: data, Size: len(data)}
	now := time.Now()
	return db.Write(ctx, tenant, []store.Chunk{c},
		&store.Object{ID: id, Kind: store.KindText, Bytes: int64(c.Size), Stored: int64(c.Size), Created: now, Used: now},
		[]store.Extent{{Chunk: c.ID, Size: c.Size}})
}

// traces returns the files of a store that hold the text, with how often.
func traces(t *testing.T, path, text string) map[string]int {
	t.Helper()
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) == 0 {
		t.Fatalf("no files of %s: %v", path, err)
	}
	found := map[string]int{}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		if n := bytes.Count(data, []byte(text)); n > 0 {
			found[filepath.Base(name)] = n
		}
	}
	return found
}

const marker = "e9c1b7 do not leave this behind "

// filled returns n bytes that carry a mark of their own all over.
func filled(mark string, n int) []byte {
	return bytes.Repeat([]byte(mark), n/len(mark)+1)[:n]
}

// TestNothingIsLeftOfWhatWasDeletedAndSwept writes and deletes at random, beside much
// that stays, and looks after each sweep for what has been deleted until then.
func TestNothingIsLeftOfWhatWasDeletedAndSwept(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name        string
		size, steps int
	}{
		{"content smaller than a page", 1500, 300 / min(slow, 3)},
		{"content of a few pages", 30_000, 150 / min(slow, 3)},
		{"large content", 1_200_000, 12},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			db := open(t, path, nil)
			random := rand.New(rand.NewPCG(1, uint64(c.size)))
			live, dead := map[int]string{}, []string{}
			for step := range c.steps {
				n := random.IntN(1 + c.steps/4)
				if mark, ok := live[n]; ok {
					remove(t, db, n)
					delete(live, n)
					dead = append(dead, mark)
				} else {
					live[n] = fmt.Sprintf("<%08x>", random.Uint32())
					add(t, db, n, filled(live[n], 20+random.IntN(c.size)))
				}
				if step%(c.steps/6) == 0 {
					sweep(t, db)
					noTraces(t, path, dead)
				}
			}
			for n, mark := range live {
				if len(traces(t, path, mark)) == 0 {
					t.Fatalf("%s cannot be found while it is stored", mark)
				}
				remove(t, db, n)
				dead = append(dead, mark)
			}
			sweep(t, db)
			noTraces(t, path, dead)
			if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
				t.Errorf("check: %v, %v", broken, err)
			}
			if err := db.Close(); err != nil {
				t.Fatal(err)
			}
			noTraces(t, path, dead)
		})
	}
}

// add writes an object and a decision.
func add(t *testing.T, db store.Backend, n int, content []byte) {
	t.Helper()
	if err := writeOne(t.Context(), db, fmt.Sprint("object ", n), content); err != nil {
		t.Fatal(err)
	}
	d := store.Decision{Key: plimsoll.Digest{byte(n), byte(n >> 8)}, Body: content[:len(content)/2], Refs: []string{fmt.Sprint("object ", n)}}
	if err := db.PutDecision(t.Context(), tenant, d); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, db store.Backend, n int) {
	t.Helper()
	if got, err := db.Delete(t.Context(), tenant, []string{fmt.Sprint("object ", n)}); err != nil || got != 1 {
		t.Fatal(got, err)
	}
	if got, err := db.DeleteDecisions(t.Context(), tenant, []plimsoll.Digest{{byte(n), byte(n >> 8)}}); err != nil || got != 1 {
		t.Fatal(got, err)
	}
}

func noTraces(t *testing.T, path string, marks []string) {
	t.Helper()
	for _, mark := range marks {
		if found := traces(t, path, mark); len(found) > 0 {
			t.Fatalf("%s was deleted, and is left in %v", mark, found)
		}
	}
}

func sweep(t *testing.T, db store.Backend) store.Swept {
	t.Helper()
	swept, err := db.Sweep(t.Context(), time.Now().Add(time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	return swept
}

func TestSweepingGivesSpaceBack(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	size := func() int64 {
		t.Helper()
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size()
	}
	sweep(t, db)
	before := size()
	var ids []string
	for i := range 40 {
		ids = append(ids, fmt.Sprint(i))
		if err := writeOne(t.Context(), db, ids[i], filled(fmt.Sprint(i, marker), 200_000)); err != nil {
			t.Fatal(err)
		}
	}
	sweep(t, db)
	if full := size(); full < before+40*200_000 {
		t.Fatalf("the file has %d bytes, want more than was written", full)
	}
	if _, err := db.Delete(t.Context(), tenant, ids); err != nil {
		t.Fatal(err)
	}
	if got, want := sweep(t, db), (store.Swept{Chunks: 40, Bytes: 40 * 200_000}); got != want {
		t.Errorf("swept %+v, want %+v", got, want)
	}
	if after := size(); after > before+32*4096 {
		t.Errorf("the file has %d bytes after the sweep, and had %d before anything was written", after, before)
	}
	if info, err := os.Stat(path + "-wal"); err != nil || info.Size() != 0 {
		t.Errorf("the log is not empty: %v, %v", info, err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
}
