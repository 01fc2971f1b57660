package sqlite

import (
	"bytes"
	"path/filepath"
	"testing"
)

// TestOnlyPaddingStandsInSharedPages lets SQLite say where it has put rows.
func TestOnlyPaddingStandsInSharedPages(t *testing.T) {
	t.Parallel()
	db := open(t, filepath.Join(t.TempDir(), "store.db"), nil)
	defer db.Close()
	for size := range sizesAround() {
		err := db.use(t.Context(), "test", db.writer, func(s *handle) error {
			row := sealed(bytes.Repeat([]byte("x"), size))
			back, err := unsealed(row, int64(size))
			if err != nil || len(back) != size || bytes.Trim(back, "x") != nil {
				t.Errorf("%d bytes come back as %d", size, len(back))
			}
			if err := s.run("PRAGMA foreign_keys = 0", "DELETE FROM contents"); err != nil {
				return err
			}
			if _, err := s.exec("INSERT INTO contents (row, data) VALUES (?, ?)", size+1, row); err != nil {
				return err
			}
			var leaf []byte
			err = s.row("SELECT p.data FROM sqlite_dbpage p JOIN sqlite_schema m ON p.pgno = m.rootpage WHERE m.name = 'contents'", nil, &leaf)
			if bytes.Contains(leaf, []byte("xxx")) {
				t.Errorf("%d bytes: some of them stand in a shared page", size)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// sizesAround yields sizes around those at which something changes: the number of
// pages, the length of the header.
func sizesAround() map[int]bool {
	sizes := map[int]bool{}
	for _, at := range []int{0, perPage, 2 * perPage, 8186 - padding, 1_048_570 - padding, 257 * perPage} {
		for size := at - 5; size <= at+5; size++ {
			if size >= 0 {
				sizes[size] = true
			}
		}
	}
	return sizes
}
