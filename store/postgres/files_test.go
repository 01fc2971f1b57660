package postgres_test

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
)

func damage(t *testing.T, c *pgtest.Cluster) {
	url := c.Database(t)
	db := open(t, url, nil)
	chunks, o, extents := content("damaged", 300_000)
	for _, err := range []error{db.Write(t.Context(), tenant, chunks, o, extents), write(t.Context(), db, "sound")} {
		if err != nil {
			t.Fatal(err)
		}
	}
	file := ask[string](t, connect(t, url), `SELECT pg_relation_filepath(reltoastrelid) FROM pg_class WHERE oid = 'plimsoll.chunk'::regclass`)
	if err := c.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	overwrite(t, filepath.Join(c.Data, file), make([]byte, 8192))
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	if _, err := db.Chunk(t.Context(), tenant, chunks[0].ID); !errors.Is(err, store.ErrCorrupt) {
		t.Errorf("got %v, want %v", err, store.ErrCorrupt)
	}
	broken, err := db.Check(t.Context())
	if err != nil || len(broken) != 1 || !strings.Contains(broken[0], fmt.Sprintf("%x", chunks[0].ID)) {
		t.Errorf("check: %v, %v", broken, err)
	}
	if err := whole(t.Context(), db, "sound"); err != nil {
		t.Error(err)
	}
	// What is damaged is replaced when it is written again.
	for _, err := range []error{
		db.MarkDamaged(t.Context(), tenant, o.ID, []store.ChunkID{chunks[0].ID}),
		db.Write(t.Context(), tenant, chunks, o, extents),
	} {
		if err != nil {
			t.Error(err)
		}
	}
	if got, err := db.Chunk(t.Context(), tenant, chunks[0].ID); err != nil || !bytes.Equal(got.Data, chunks[0].Data) {
		t.Errorf("after the repair: %d bytes, %v", len(got.Data), err)
	}
	if broken, err := db.Check(t.Context()); err != nil || len(broken) != 0 {
		t.Errorf("check after the repair: %v, %v", broken, err)
	}
}

// overwrite replaces the beginning of a file.
func overwrite(t *testing.T, name string, data []byte) {
	t.Helper()
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt(data, 0)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

func eraseEachTime(t *testing.T, c *pgtest.Cluster) {
	erase(t, c, &postgres.Options{Erase: true}, func(store.Backend) error { return nil })
}

// eraseAfterwards begins with nothing left to sweep.
func eraseAfterwards(t *testing.T, c *pgtest.Cluster) {
	erase(t, c, nil, func(db store.Backend) error {
		s, err := store.New(t.Context(), db, nil)
		if err != nil {
			return err
		}
		return s.Erase(t.Context())
	})
}

func erase(t *testing.T, c *pgtest.Cluster, options *postgres.Options, then func(store.Backend) error) {
	url := c.Database(t)
	db := open(t, url, options)
	const secret = "the launch code is 0000"
	chunks, o, extents := content(secret, 300_000)
	if err := db.Write(t.Context(), tenant, chunks, o, extents); err != nil {
		t.Fatal(err)
	}
	// What comes behind it keeps its place from being cut off the file.
	if err := write(t.Context(), db, "something else"); err != nil {
		t.Fatal(err)
	}
	conn := connect(t, url)
	run(t, conn, "CHECKPOINT")
	if !onDisk(t, c.Data, secret) {
		t.Fatal("the content is nowhere on disk, so that this test shows nothing")
	}
	if _, err := db.Delete(t.Context(), tenant, []string{secret}); err != nil {
		t.Fatal(err)
	}
	swept, err := db.Sweep(t.Context(), time.Now().Add(time.Hour))
	if err != nil || swept != (store.Swept{Chunks: 1, Bytes: 300_000}) {
		t.Fatalf("swept %v, %v", swept, err)
	}
	if err := then(db); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the files are clean", func() error {
		if onDisk(t, c.Data, secret) {
			return fmt.Errorf("the content is still on disk")
		}
		return nil
	})
}

func erasePurged(t *testing.T, c *pgtest.Cluster) {
	url := c.Database(t)
	s := newStore(t, url)
	const secret = "the name is Ada Lovelace"
	put := func(name, mark string) {
		of := s.Tenant(name)
		ref, err := of.PutReader(t.Context(), strings.NewReader(mark), "note "+mark)
		if err != nil {
			t.Fatal(err)
		}
		for _, err := range []error{
			of.PutDecision(t.Context(), store.Decision{Key: plimsoll.Digest{1}, Body: []byte(mark), Refs: []string{ref.ID}, Conversation: "c"}),
			of.AddAccount(t.Context(), account.Account{Conversation: "c", Model: mark, First: time.Now(), Last: time.Now()}),
			s.PutValue(t.Context(), "limit:"+of.Key()+"/"+mark, []byte(mark)),
		} {
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	put("anna", secret)
	put("bert", "this one stays")
	conn := connect(t, url)
	run(t, conn, "CHECKPOINT")
	if !onDisk(t, c.Data, secret) {
		t.Fatal("the content is nowhere on disk, so that this test shows nothing")
	}
	if purged, err := s.Tenant("anna").Purge(t.Context(), ""); err != nil || purged != (store.Purged{Objects: 1, Decisions: 1, Accounts: 1, Values: 1}) {
		t.Fatalf("purged %+v, %v", purged, err)
	}
	if _, err := s.Sweep(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := s.Erase(t.Context()); err != nil {
		t.Fatal(err)
	}
	eventually(t, "the files are clean", func() error {
		run(t, conn, "CHECKPOINT")
		if onDisk(t, c.Data, secret) {
			return fmt.Errorf("it is still on disk")
		}
		return nil
	})
	if !onDisk(t, c.Data, "this one stays") {
		t.Error("another tenant's row is gone")
	}
}

// onDisk looks for a text in the files of all tables and indexes.
func onDisk(t *testing.T, data, text string) bool {
	t.Helper()
	found := false
	base := os.DirFS(data + "/base")
	walk(t, base, func(file []byte) { found = found || strings.Contains(string(file), text) })
	return found
}

// walk hands every file to f.
func walk(t *testing.T, files fs.FS, f func(data []byte)) {
	t.Helper()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return ignoreGone(err)
		}
		data, err := fs.ReadFile(files, name)
		if err == nil {
			f(data)
		}
		return ignoreGone(err)
	})
	if err != nil {
		t.Fatal(err)
	}
}

// ignoreGone passes over a file that the server deleted meanwhile.
func ignoreGone(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func TestCheckNamesWhatCannotBe(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ harm, want string }{
		"a missing extent":  {"DELETE FROM plimsoll.extent WHERE pos = 0", "object x: extents do not follow each other at byte 100"},
		"a moved extent":    {"UPDATE plimsoll.extent SET pos = 101 WHERE pos = 100", "object x: extents do not follow each other at byte 101"},
		"lines that jump":   {"UPDATE plimsoll.extent SET line = 7 WHERE pos = 100", "object x: extents do not follow each other at byte 100"},
		"another size":      {"UPDATE plimsoll.chunk SET size = 99 WHERE size = 100", "object x: the chunk at byte 0 is missing or has another size"},
		"a shorter object":  {"UPDATE plimsoll.object SET stored = 4000", "object x: its extents have 5100 bytes, want 4000"},
		"all extents":       {"DELETE FROM plimsoll.extent", "object x: its extents have 0 bytes, want 5100"},
		"the second extent": {"DELETE FROM plimsoll.extent WHERE pos = 100", "object x: its extents have 100 bytes, want 5100"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			url := pgtest.Database(t)
			db := open(t, url, nil)
			if err := write(t.Context(), db, "x"); err != nil {
				t.Fatal(err)
			}
			run(t, connect(t, url), c.harm)
			broken, err := db.Check(t.Context())
			if err != nil || len(broken) == 0 || broken[0] != c.want {
				t.Errorf("got %q, %v, want %q", broken, err, c.want)
			}
		})
	}
}
