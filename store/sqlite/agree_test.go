package sqlite_test

import (
	"flag"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

var (
	agreeHistories = flag.Int("agree.histories", 2, "how many histories of eight processes to check")
	agreeSeed      = flag.Uint64("agree.seed", 1, "the seed of the first history")
)

func TestProcessesThatShareAFileAgree(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	storetest.Agree(t, func(t *testing.T) store.Backend {
		b, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}, *agreeHistories, *agreeSeed)
}
