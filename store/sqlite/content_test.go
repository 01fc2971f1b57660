package sqlite

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/store"
)

// TestNothingIsLeftOfContent deletes a text as users do, and looks for what was kept
// of it: pieces of its compressed chunks, and of the text itself.
func TestNothingIsLeftOfContent(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	s, err := store.New(t.Context(), db, &store.Options{ChunkSize: 16 << 10})
	check(t, err)
	defer s.Close()
	tenant := s.Tenant("somebody")
	kept, err := tenant.PutReader(t.Context(), strings.NewReader(lines("kept", 9000)), "")
	check(t, err)
	secret, err := tenant.PutReader(t.Context(), strings.NewReader(lines(marker, 9000)), "")
	check(t, err)

	tenants, err := db.Tenants(t.Context())
	check(t, err)
	extents, err := db.ExtentsAt(t.Context(), tenants[0], secret.ID, 0, 1000)
	check(t, err)
	pieces := []string{marker}
	for _, e := range extents {
		c, err := db.Chunk(t.Context(), tenants[0], e.Chunk)
		check(t, err)
		for at := 0; at+24 <= len(c.Data); at += 500 {
			pieces = append(pieces, string(c.Data[at:at+24]))
		}
	}
	found := 0
	for _, piece := range pieces {
		found += len(traces(t, path, piece))
	}
	if found < len(extents) {
		t.Fatalf("of %d pieces %d are in the files while the text is stored", len(pieces), found)
	}

	_, err = tenant.Delete(t.Context(), secret.ID)
	check(t, err)
	_, err = s.Sweep(t.Context())
	check(t, err)
	noTraces(t, path, pieces)
	if _, err := tenant.Content(t.Context(), kept.ID); err != nil {
		t.Errorf("what was not deleted: %v", err)
	}
}

// lines returns numbered lines.
func lines(text string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintln(&b, i, text, i*i)
	}
	return b.String()
}

func TestAFileSystemWithoutLinksWillDo(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	check(t, createPlain(path))
	db := open(t, path, nil)
	check(t, writeOne(t.Context(), db, "w.1", written("w.1")))
	check(t, db.Close())
	check(t, createPlain(path))
	db = open(t, path, nil)
	defer db.Close()
	check(t, holds(t, db, "w.1"))
}
