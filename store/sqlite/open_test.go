package sqlite

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

func TestAStoreIsForItsUserAlone(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "new", "dir", "store.db")
	db := open(t, path, nil)
	defer db.Close()
	if err := writeOne(t.Context(), db, "one", []byte("content")); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]os.FileMode{
		path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600, filepath.Dir(path): 0o700 | os.ModeDir,
	} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode(); got != want {
			t.Errorf("%s has mode %v, want %v", filepath.Base(name), got, want)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(path), ".*"))
	if err != nil || len(left) > 0 {
		t.Errorf("files are left over: %v, %v", left, err)
	}
}

func TestWhatWasStoredIsThereWhenTheFileIsOpenedAgain(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "odd ? name % with # signs&", "store.db")
	db := open(t, path, nil)
	want, err := db.Secret(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := writeOne(t.Context(), db, "w.1", written("w.1")); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(filepath.Join(filepath.Dir(path), "*"))
	if err != nil || len(names) != 1 || names[0] != path {
		t.Errorf("got files %q after closing, want the database alone", names)
	}
	db = open(t, path, nil)
	defer db.Close()
	if got, err := db.Secret(t.Context()); got != want || err != nil {
		t.Errorf("the secret changed: %v", err)
	}
	if err := holds(t, db, "w.1"); err != nil {
		t.Error(err)
	}
}

func TestAFileOfTheFirstVersionIsBroughtUpToDate(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	check(t, writeOne(t.Context(), db, "old", written("old")))
	was := account.Account{Conversation: "c", Model: "m", Requests: 7, First: sampleTime, Last: sampleTime}
	check(t, db.AddAccount(t.Context(), tenant, was))
	decided := store.Decision{Key: plimsoll.Digest{1}, Body: []byte("cut"), Created: sampleTime, Used: sampleTime}
	check(t, db.PutDecision(t.Context(), tenant, decided))
	check(t, db.Close())
	execute(t, path, "DROP TRIGGER decisions_added", "DROP TRIGGER decisions_deleted", "DROP INDEX decisions_conversation",
		"ALTER TABLE decisions DROP COLUMN kind", "ALTER TABLE decisions DROP COLUMN conversation",
		"CREATE TRIGGER decisions_added AFTER INSERT ON decisions BEGIN SELECT 1; END",
		"CREATE TRIGGER decisions_deleted AFTER DELETE ON decisions BEGIN SELECT 1; END")
	execute(t, path, "DROP TRIGGER chunks_replaced", "ALTER TABLE objects DROP COLUMN damaged", "ALTER TABLE chunks DROP COLUMN damaged",
		"ALTER TABLE accounts DROP COLUMN estimated", "ALTER TABLE accounts DROP COLUMN cuts", "ALTER TABLE accounts DROP COLUMN breaks",
		"ALTER TABLE accounts DROP COLUMN priced", "ALTER TABLE accounts DROP COLUMN paid", "ALTER TABLE accounts DROP COLUMN uncut",
		"ALTER TABLE accounts DROP COLUMN summaries", "PRAGMA user_version = 1")
	db = open(t, path, nil)
	defer db.Close()
	if err := holds(t, db, "old"); err != nil {
		t.Error(err)
	}
	if d, err := db.FindDecision(t.Context(), tenant, []plimsoll.Digest{decided.Key}); err != nil || string(d.Body) != "cut" || d.Kind != "" {
		t.Errorf("got decision %+v, %v", d, err)
	}
	check(t, db.PutDecision(t.Context(), tenant, store.Decision{Key: plimsoll.Digest{2}, Kind: "hidden", Created: sampleTime, Used: sampleTime}))
	if got, err := db.Stats(t.Context(), nil); err != nil || got.Decisions != 1 {
		t.Errorf("%d decisions are counted, %v; want the one without a kind", got.Decisions, err)
	}
	check(t, db.MarkDamaged(t.Context(), tenant, "old", nil))
	check(t, db.AddAccount(t.Context(), tenant, account.Account{Conversation: "c", Paid: 5, First: sampleTime, Last: sampleTime.Add(time.Second)}))
	accounts, err := db.Accounts(t.Context(), tenant, "", 2)
	if err != nil || len(accounts) != 1 || accounts[0].Requests != 7 || accounts[0].Paid != 5 {
		t.Errorf("got accounts %+v, %v", accounts, err)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) != 0 {
		t.Errorf("the check found %q, %v", broken, err)
	}
}

// execute runs statements on a file as another program would.
func execute(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestFilesThatAreNotOursAreRefusedAndLeftAlone(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name  string
		make  func(t *testing.T, path string)
		want  error
		words string
	}{
		{"a text", func(t *testing.T, path string) { writeFile(t, path, strings.Repeat("not a database\n", 1000)) }, plimsoll.ErrInvalid, "not a database"},
		{"a few bytes", func(t *testing.T, path string) { writeFile(t, path, "hello\n") }, plimsoll.ErrInvalid, "not a database"},
		{"the database of another program", func(t *testing.T, path string) {
			execute(t, path, "CREATE TABLE users (name TEXT)", "INSERT INTO users VALUES ('x')")
		}, plimsoll.ErrInvalid, "another program"},
		{"an empty database", func(t *testing.T, path string) { execute(t, path, "VACUUM") }, plimsoll.ErrInvalid, "another program"},
		{"another size of pages", func(t *testing.T, path string) {
			if err := open(t, path, nil).Close(); err != nil {
				t.Fatal(err)
			}
			execute(t, path, "PRAGMA journal_mode = DELETE", "PRAGMA page_size = 8192; VACUUM")
		}, plimsoll.ErrUnsupported, "size of its pages"},
		{"a database that another program has marked", func(t *testing.T, path string) {
			execute(t, path, "PRAGMA application_id = 77")
		}, plimsoll.ErrInvalid, "another program"},
		{"a newer version", func(t *testing.T, path string) {
			if err := open(t, path, nil).Close(); err != nil {
				t.Fatal(err)
			}
			execute(t, path, "PRAGMA user_version = 9")
		}, plimsoll.ErrUnsupported, "version 9"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), "store.db")
			c.make(t, path)
			before := files(t, path)
			_, err := Open(t.Context(), path, nil)
			if !errors.Is(err, c.want) || !strings.Contains(err.Error(), c.words) || !strings.Contains(err.Error(), path) {
				t.Errorf("got error %v, want %v with the words %q and the path", err, c.want, c.words)
			}
			if plimsoll.HintOf(err) == "" {
				t.Error("the error has no hint")
			}
			if after := files(t, path); !bytes.Equal(before[""], after[""]) {
				t.Error("the file was changed")
			}
		})
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func TestAnEmptyFileBecomesAStore(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	writeFile(t, path, "")
	db := open(t, path, nil)
	defer db.Close()
	if err := writeOne(t.Context(), db, "w.1", written("w.1")); err != nil {
		t.Fatal(err)
	}
}

// unavailable fails the test unless the error says so, with the path and a hint.
func unavailable(t *testing.T, path string, err error) {
	t.Helper()
	if !errors.Is(err, store.ErrUnavailable) || plimsoll.CodeOf(err) != plimsoll.CodeUnavailable {
		t.Errorf("got error %v, want %v", err, store.ErrUnavailable)
		return
	}
	if !strings.Contains(err.Error(), path) || plimsoll.HintOf(err) == "" {
		t.Errorf("the error says neither where nor what to do: %v (%s)", err, plimsoll.HintOf(err))
	}
}

func TestPathsThatCannotBeOpenedAreUnavailable(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "file"), "text")
	for what, path := range map[string]string{
		"a directory":          dir,
		"a file for directory": filepath.Join(dir, "file", "store.db"),
		"a path too long":      filepath.Join(dir, strings.Repeat("x", 5000)),
	} {
		_, err := Open(t.Context(), path, nil)
		if err == nil {
			t.Errorf("%s was opened", what)
		}
		unavailable(t, path, err)
	}
}

func TestAFullDiskIsUnavailableAndLosesNothing(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	db := open(t, path, nil)
	defer db.Close()
	want := fillSample(t, db)
	limit := func(pages int) {
		t.Helper()
		err := db.use(t.Context(), "limit", db.writer, func(s *handle) error {
			return s.run(fmt.Sprintf("PRAGMA max_page_count = %d", pages))
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	limit(1) // It cannot be less than there are.
	unavailable(t, path, writeOne(t.Context(), db, "big", make([]byte, 1<<20)))
	if _, err := db.Object(t.Context(), tenant, "big"); !errors.Is(err, plimsoll.ErrNotFound) {
		t.Errorf("a part of what did not fit is there: %v", err)
	}
	for name := range want.objects {
		if err := holds(t, db, name); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	if n, err := db.Delete(t.Context(), tenant, []string{"s.1", "s.2"}); n != 2 || err != nil {
		t.Errorf("nothing can be deleted on a full disk: %d, %v", n, err)
	}
	sweep(t, db)
	limit(1 << 30)
	if err := writeOne(t.Context(), db, "big", make([]byte, 1<<20)); err != nil {
		t.Errorf("the store did not recover: %v", err)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
}

func TestAStoreThatSomebodyHoldsIsUnavailable(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "store.db")
	holder := open(t, path, nil)
	defer holder.Close()
	db := open(t, path, &Options{Wait: time.Millisecond})
	defer db.Close()
	check(t, db.PutDecision(t.Context(), tenant, store.Decision{Key: plimsoll.Digest{1}, Body: []byte("body")}))
	release, held := make(chan struct{}), make(chan struct{})
	done := make(chan error)
	go func() {
		done <- holder.write(t.Context(), "hold", func(*handle) error {
			close(held)
			<-release
			return nil
		})
	}()
	<-held
	err := writeOne(t.Context(), db, "one", []byte("one"))
	unavailable(t, path, err)
	if _, err := db.Stats(t.Context(), nil); err != nil {
		t.Errorf("a reader waits for a writer: %v", err)
	}
	if got, err := db.FindDecision(t.Context(), tenant, []plimsoll.Digest{{1}}); err != nil || string(got.Body) != "body" {
		t.Errorf("a decision cannot be had while somebody writes: %v", err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	patient := open(t, path, nil)
	defer patient.Close()
	if err := writeOne(ctx, patient, "one", []byte("one")); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("got error %v, want that of the context", err)
	}
	cancel()
	close(release)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if err := writeOne(t.Context(), db, "one", []byte("one")); err != nil {
		t.Error(err)
	}
}

func TestDefaultPathFollowsTheEnvironment(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		env  map[string]string
		want string
	}{
		{"the data directory", map[string]string{"XDG_DATA_HOME": "/data", "HOME": "/home/u"}, "/data/plimsoll/store.db"},
		{"the home directory", map[string]string{"HOME": "/home/u"}, "/home/u/.local/share/plimsoll/store.db"},
		{"a relative data directory is ignored", map[string]string{"XDG_DATA_HOME": "data", "HOME": "/home/u"}, "/home/u/.local/share/plimsoll/store.db"},
		{"nothing", nil, ""},
	} {
		got, err := DefaultPath(func(name string) string { return c.env[name] })
		if filepath.ToSlash(got) != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s: got %q, %v, want %q", c.name, got, err, c.want)
		}
	}
}
