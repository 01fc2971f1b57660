package storetest

import (
	"context"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll/store"
)

// emptyFile is what a backend writes to a new file.
var emptyFile struct {
	once sync.Once
	data []byte
	err  error
}

// NewFile returns the path of a file with an empty store. The first call in a process
// makes it with open; later calls copy it, because under the race detector it takes a
// tenth of a second to make the tables. A process tests one such backend.
func NewFile[Options any](t testing.TB, open func(context.Context, string, *Options) (store.Backend, error)) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "store.db")
	e := &emptyFile
	e.once.Do(func() {
		first := filepath.Join(t.TempDir(), "empty.db")
		var backend store.Backend
		if backend, e.err = open(t.Context(), first, nil); e.err != nil {
			return
		}
		if e.err = backend.Close(); e.err == nil {
			e.data, e.err = os.ReadFile(first)
		}
	})
	if e.err != nil {
		t.Fatal(e.err)
	}
	if err := os.WriteFile(path, e.data, 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}
