package sqlite

import (
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
)

// asNobody runs a function that may not write files of the user's, root's neither.
func asNobody(t *testing.T, do func()) {
	t.Helper()
	if os.Geteuid() != 0 {
		do()
		return
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		runtime.LockOSThread() // The thread ends with the goroutine.
		if err := syscall.Setfsuid(65534); err != nil {
			t.Error(err)
			return
		}
		do()
	}()
	<-done
}

func TestADirectoryThatCannotBeWrittenIsUnavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := os.Chmod(filepath.Dir(dir), 0o755); err != nil {
		t.Fatal(err)
	}
	old := filepath.Join(dir, "old.db")
	if err := open(t, old, nil).Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(old, 0o444); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	asNobody(t, func() {
		for _, path := range []string{filepath.Join(dir, "new.db"), filepath.Join(dir, "new", "store.db"), old} {
			db, err := Open(t.Context(), path, nil)
			unavailable(t, path, err)
			if err == nil {
				db.Close()
			}
		}
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
}

// TestAFileThatMayNotGrowIsUnavailable lets the system refuse to write.
func TestAFileThatMayNotGrowIsUnavailable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	defer db.Close()
	want := fillSample(t, db)
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	signal.Ignore(syscall.SIGXFSZ)
	small := syscall.Rlimit{Cur: 1 << 20, Max: limit.Max}
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		t.Fatal(err)
	}
	err := writeOne(t.Context(), db, "big", make([]byte, 3<<20))
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	unavailable(t, path, err)
	for name := range want.objects {
		if err := holds(t, db, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if err := writeOne(t.Context(), db, "big", make([]byte, 3<<20)); err != nil {
		t.Errorf("the store did not recover: %v", err)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
}
