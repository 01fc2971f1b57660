package sqlite

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
)

func open(t testing.TB, path string, options *Options) *backend {
	t.Helper()
	db, err := Open(t.Context(), path, options)
	if err != nil {
		t.Fatal(err)
	}
	return db.(*backend)
}

func TestKeepsThePromisesOfABackend(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Backend {
		return open(t, storetest.NewFile(t, Open), nil)
	})
}
