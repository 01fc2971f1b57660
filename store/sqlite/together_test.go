package sqlite_test

import (
	"path/filepath"
	"strconv"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/store/sqlite"
)

func TestManyMayMakeTheFileAtOnce(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	for round := range 20 {
		path := filepath.Join(dir, strconv.Itoa(round)+".db")
		var all sync.WaitGroup
		for range 6 {
			all.Go(func() {
				db, err := sqlite.Open(t.Context(), path, nil)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					return
				}
				if err := db.Close(); err != nil {
					t.Errorf("round %d: close: %v", round, err)
				}
			})
		}
		all.Wait()
	}
}
