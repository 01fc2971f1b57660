package sqlite_test

import (
	"context"
	"path/filepath"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/store/sqlite"
)

func TestAStoreThatIsClosedSaysSoAtOnceAndMayBeClosedAgain(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), filepath.Join(t.TempDir(), "store.db"), nil)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := db.Close(); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	if err := db.Release(ctx, "lease", "owner"); err == nil || ctx.Err() != nil {
		t.Errorf("a write to a closed store: %v", err)
	}
}
