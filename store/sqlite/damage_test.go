package sqlite

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"reflect"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

var damageTrials = flag.Int("damage.trials", 40/slow, "how many files to damage in each way")

// sample is a store of a bit of everything, and what it holds.
type sample struct {
	objects   map[string][]byte
	decisions map[plimsoll.Digest]store.Decision
	account   account.Account
	value     []byte
}

var sampleTime = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

func fillSample(t *testing.T, db store.Backend) sample {
	t.Helper()
	s := sample{
		objects:   map[string][]byte{},
		decisions: map[plimsoll.Digest]store.Decision{},
		account:   account.Account{Conversation: "c", Model: "m", Requests: 7, Saved: 9, First: sampleTime, Last: sampleTime},
		value:     []byte("value"),
	}
	for i := range 12 {
		name := fmt.Sprint("s.", i)
		s.objects[name] = written(name)
		d := store.Decision{Key: plimsoll.Digest{byte(i)}, Body: []byte(name), Refs: []string{name, "x"}, Created: sampleTime, Used: time.Now()}
		s.decisions[d.Key] = d
		if err := errors.Join(writeOne(t.Context(), db, name, s.objects[name]), db.PutDecision(t.Context(), tenant, d)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(db.AddAccount(t.Context(), tenant, s.account), db.PutValue(t.Context(), "v", s.value)); err != nil {
		t.Fatal(err)
	}
	return s
}

// files reads a store's files; the database comes first.
func files(t *testing.T, path string) map[string][]byte {
	t.Helper()
	all := map[string][]byte{}
	for _, end := range []string{"", "-wal"} {
		data, err := os.ReadFile(path + end)
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			t.Fatal(err)
		}
		all[end] = data
	}
	return all
}

// typed reports whether an error is one that callers can tell.
func typed(err error) bool {
	for _, kind := range []error{
		store.ErrCorrupt, store.ErrUnavailable, plimsoll.ErrNotFound, plimsoll.ErrInvalid, plimsoll.ErrUnsupported,
	} {
		if errors.Is(err, kind) {
			return true
		}
	}
	return false
}

// TestDamagedFilesGiveErrorsOrWhatWasStored changes one bit at a time, or cuts the file,
// and reads everything.
func TestDamagedFilesGiveErrorsOrWhatWasStored(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db := open(t, filepath.Join(dir, "good.db"), nil)
	want := fillSample(t, db)
	live := files(t, db.path)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	closed := files(t, db.path)
	if len(live["-wal"]) == 0 || len(closed["-wal"]) > 0 {
		t.Fatalf("the log has %d bytes while the store is open and %d afterwards", len(live["-wal"]), len(closed["-wal"]))
	}
	for _, c := range []struct {
		name   string
		files  map[string][]byte
		target string
		damage func(*rand.Rand, []byte) []byte
	}{
		{"a bit of the file", closed, "", flip},
		{"the end of the file", closed, "", cut},
		{"a bit of the log", live, "-wal", flip},
		{"the end of the log", live, "-wal", cut},
		{"a page of the file", closed, "", garble},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			random := rand.New(rand.NewPCG(3, uint64(len(c.name))))
			for trial := range *damageTrials {
				path := filepath.Join(t.TempDir(), "store.db")
				for end, data := range c.files {
					if end == c.target {
						data = c.damage(random, bytes.Clone(data))
					}
					if err := os.WriteFile(path+end, data, 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if err := want.read(t.Context(), path); err != nil {
					t.Errorf("trial %d: %v", trial, err)
				}
				if err := os.RemoveAll(filepath.Dir(path)); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

func flip(random *rand.Rand, data []byte) []byte {
	data[random.IntN(len(data))] ^= 1 << random.IntN(8)
	return data
}

func cut(random *rand.Rand, data []byte) []byte { return data[:1+random.IntN(len(data)-1)] }

// garble overwrites a sector with noise.
func garble(random *rand.Rand, data []byte) []byte {
	at := random.IntN(len(data)/512) * 512
	for i := range 512 {
		data[at+i] = byte(random.Uint32())
	}
	return data
}

// read returns an error if something that was read is wrong, or fails without a type.
func (want sample) read(ctx context.Context, path string) error {
	db, err := Open(ctx, path, &Options{Readers: 1})
	if err != nil {
		return untyped("open", err)
	}
	defer db.Close()
	damaged := false
	see := func(what string, got, want any, err error) error {
		damaged = damaged || errors.Is(err, store.ErrCorrupt)
		if err != nil {
			return untyped(what, err)
		}
		if reflect.DeepEqual(want, got) {
			return nil // Quicker for content.
		}
		if diff := cmp.Diff(want, got); diff != "" {
			return fmt.Errorf("%s is wrong:\n%s", what, diff)
		}
		return nil
	}
	var all []error
	for name, content := range want.objects {
		got, err := readWhole(ctx, db, name)
		all = append(all, see(name, got, content, err))
	}
	for key, d := range want.decisions {
		got, err := db.FindDecision(ctx, tenant, []plimsoll.Digest{{0xff}, key})
		got.Used = d.Used
		all = append(all, see("a decision", got, d, err))
	}
	accounts, err := db.Accounts(ctx, tenant, "", 10)
	if len(accounts) > 0 {
		all = append(all, see("accounts", accounts, []account.Account{want.account}, err))
	}
	value, err := db.Value(ctx, "v")
	all = append(all, see("a value", value, want.value, err))
	broken, err := db.Check(ctx)
	if damaged && len(broken) == 0 && err == nil {
		all = append(all, errors.New("the check found nothing"))
	}
	all = append(all, untyped("check", err), untyped("write", writeOne(ctx, db, "new", []byte("new"))))
	return errors.Join(all...)
}

func untyped(what string, err error) error {
	if err == nil || typed(err) {
		return nil
	}
	return fmt.Errorf("%s failed without a type: %w", what, err)
}

// readWhole reads an object of one chunk.
func readWhole(ctx context.Context, db store.Backend, name string) ([]byte, error) {
	o, err := db.Object(ctx, tenant, name)
	if err != nil {
		return nil, err
	}
	extents, err := db.ExtentsAt(ctx, tenant, name, 0, 10)
	if err != nil {
		return nil, err
	}
	var data []byte
	for _, e := range extents {
		c, err := db.Chunk(ctx, tenant, e.Chunk)
		if err != nil {
			return nil, err
		}
		data = append(data, c.Data...)
	}
	if o.Stored != int64(len(data)) {
		return nil, fmt.Errorf("object has %d bytes, says %d", len(data), o.Stored)
	}
	return data, nil
}

func TestTheRestOfADamagedStoreIsUsable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	want := fillSample(t, db)
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	data := files(t, path)[""]
	hurt := want.objects["s.3"]
	at := bytes.Index(data, hurt[:100])
	data[at+50] ^= 4
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	db = open(t, path, nil)
	defer db.Close()
	for name := range want.objects {
		if err := holds(t, db, name); (err != nil) != (name == "s.3") || err != nil && !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) != 1 {
		t.Errorf("the check found %q, %v; want one thing", broken, err)
	}
	if err := writeOne(t.Context(), db, "new", []byte("new")); err != nil {
		t.Error(err)
	}
	// What is damaged is replaced when it is written again.
	check(t, db.MarkDamaged(t.Context(), tenant, "s.3", []store.ChunkID{sha256.Sum256(hurt)}))
	check(t, writeOne(t.Context(), db, "s.3", hurt))
	if err := holds(t, db, "s.3"); err != nil {
		t.Error(err)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) != 0 {
		t.Errorf("after the repair the check found %q, %v", broken, err)
	}
}

func TestAnObjectWhoseRowIsDamagedIsReplacedWhenItIsWrittenAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	defer db.Close()
	for name, harm := range map[string]string{
		"a.1": "UPDATE objects SET lines = 77 WHERE id = 'a.1'",
		"a.2": "UPDATE objects SET kind = x'ff' || 'text' WHERE id = 'a.2'",
	} {
		check(t, writeOne(t.Context(), db, name, written(name)))
		execute(t, path, harm)
		if _, err := db.Object(t.Context(), tenant, name); !errors.Is(err, store.ErrCorrupt) {
			t.Errorf("%s: %v, want %v", name, err, store.ErrCorrupt)
		}
		check(t, writeOne(t.Context(), db, name, written(name)))
		if err := holds(t, db, name); err != nil {
			t.Error(err)
		}
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) != 0 {
		t.Errorf("the check found %q, %v", broken, err)
	}
}
