package sqlite

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

var crashKills = flag.Int("crash.kills", 45, "how many writers to kill")

// TestKilledWritersLoseNothingThatWasAcknowledged starts three processes at a time that
// write to one store, and kills them at random moments: one while it opens the store,
// the others when they have written something.
func TestKilledWritersLoseNothingThatWasAcknowledged(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	acknowledged := map[string]bool{}
	for n := 0; n < *crashKills; n += 3 {
		writers := []*writer{startWriter(t, path, n), startWriter(t, path, n+1), startWriter(t, path, n+2)}
		for i, w := range writers {
			if i > 0 {
				w.hear()
			}
			time.Sleep(rand.N(12 * time.Millisecond))
			for name, stored := range w.kill(t) {
				acknowledged[name] = stored
			}
		}
	}
	db := open(t, path, nil)
	defer db.Close()
	stored := 0
	for name, certain := range acknowledged {
		err := holds(t, db, name)
		if certain && err != nil || !certain && err != nil && !errors.Is(err, plimsoll.ErrNotFound) {
			t.Errorf("%s: %v", name, err)
		}
		if err == nil {
			stored++
		}
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
	if stored == 0 {
		t.Error("nothing was ever stored")
	}
	t.Logf("%d kills, %d objects acknowledged, %d stored", *crashKills, len(acknowledged), stored)
}

// writer is a process that writes until it is killed.
type writer struct {
	cmd        *exec.Cmd
	out        *bufio.Reader
	complaints *strings.Builder
	said       []string
}

func startWriter(t *testing.T, path string, n int) *writer {
	t.Helper()
	w := &writer{}
	w.cmd, w.out, w.complaints = child(t, "write", fmt.Sprint("w", n), path)
	return w
}

// hear waits for a line.
func (w *writer) hear() bool {
	line, err := w.out.ReadString('\n')
	if err == nil { // A line that is cut off was not said.
		w.said = append(w.said, strings.TrimSuffix(line, "\n"))
	}
	return err == nil
}

// kill ends the process and returns what it said: true for objects that must be there,
// false for those that may have been deleted.
func (w *writer) kill(t *testing.T) map[string]bool {
	t.Helper()
	if err := w.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	for w.hear() {
	}
	err := w.cmd.Wait()
	if complaints := w.complaints.String(); complaints != "" {
		t.Errorf("a writer failed before it was killed: %v: %s", err, complaints)
	}
	objects := map[string]bool{}
	for _, line := range w.said {
		objects[line[1:]] = line[0] == '+'
	}
	return objects
}

// holds reads an object and compares every byte of it.
func holds(t *testing.T, db store.Backend, name string) error {
	t.Helper()
	want := written(name)
	o, err := db.Object(t.Context(), tenant, name)
	if err != nil {
		return err
	}
	extents, err := db.ExtentsAt(t.Context(), tenant, name, 0, 10)
	if err != nil {
		return err
	}
	if o.Stored != int64(len(want)) || len(extents) != 1 || extents[0].Chunk != sha256.Sum256(want) {
		return fmt.Errorf("%w: object %+v, extents %+v", store.ErrCorrupt, o, extents)
	}
	c, err := db.Chunk(t.Context(), tenant, extents[0].Chunk)
	if err != nil {
		return err
	}
	if !bytes.Equal(c.Data, want) {
		return fmt.Errorf("%w: the bytes differ", store.ErrCorrupt)
	}
	return nil
}

func TestTwoProcessesShareAStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	cmds := make([]*exec.Cmd, 2)
	complaints := make([]*strings.Builder, 2)
	for i := range cmds {
		cmds[i], _, complaints[i] = child(t, "mix", fmt.Sprint(i), path)
	}
	for i, cmd := range cmds {
		if err := cmd.Wait(); err != nil {
			t.Errorf("process %d: %v: %s", i, err, complaints[i])
		}
	}
	db := open(t, path, nil)
	defer db.Close()
	stats, err := db.Stats(t.Context(), nil)
	if err != nil || stats.Objects != 2*mixed {
		t.Errorf("got %d objects, want %d; error %v", stats.Objects, 2*mixed, err)
	}
	accounts, err := db.Accounts(t.Context(), tenant, "", 10)
	if err != nil || len(accounts) != 1 || accounts[0].Requests != 2*mixed {
		t.Errorf("got accounts %+v, want one of %d requests; error %v", accounts, 2*mixed, err)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
}

func TestManyOpenOneNewStoreAtOnce(t *testing.T) {
	t.Parallel()
	for round := range 20 / min(slow, 4) {
		path := filepath.Join(t.TempDir(), "new", "store.db")
		const n = 6
		secrets := make(chan [32]byte, n)
		for range n {
			go func() {
				db, err := Open(t.Context(), path, nil)
				if err != nil {
					t.Errorf("round %d: %v", round, err)
					secrets <- [32]byte{}
					return
				}
				secret, err := db.Secret(t.Context())
				if err := errors.Join(err, db.Close()); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				secrets <- secret
			}()
		}
		first := <-secrets
		for range n - 1 {
			if <-secrets != first {
				t.Errorf("round %d: one store has two secrets", round)
			}
		}
	}
}
