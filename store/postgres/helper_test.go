package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
)

var tenant = store.TenantID{'t'}

func open(t *testing.T, url string, o *postgres.Options) store.Backend {
	t.Helper()
	db, err := postgres.Open(t.Context(), url, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { db.Close() })
	return db
}

// with adds settings to a URL: "pool_max_conns=1".
func with(url string, settings ...string) string {
	return url + "&" + strings.Join(settings, "&")
}

// connect opens a connection that is none of the store's.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}

func run(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	for _, s := range statements {
		if _, err := conn.Exec(t.Context(), s); err != nil {
			t.Fatalf("%s: %v", s, err)
		}
	}
}

// ask returns the one value of a query.
func ask[T any](t *testing.T, conn *pgx.Conn, query string) (value T) {
	t.Helper()
	if err := conn.QueryRow(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

// content makes an object of chunks whose data begin with its id.
func content(id string, sizes ...int) ([]store.Chunk, *store.Object, []store.Extent) {
	now := time.Now().Truncate(time.Microsecond).UTC()
	o := &store.Object{ID: id, Kind: store.KindText, Created: now, Used: now}
	var chunks []store.Chunk
	var extents []store.Extent
	for i, size := range sizes {
		c := store.Chunk{Data: bytes.Repeat([]byte(id+"\x00"), size/(len(id)+1)+1)[:size], Size: size}
		copy(c.ID[:], fmt.Sprint(id, "-", i))
		chunks = append(chunks, c)
		extents = append(extents, store.Extent{Chunk: c.ID, Offset: o.Stored, Size: size})
		o.Stored += int64(size)
	}
	o.Bytes = o.Stored
	return chunks, o, extents
}

// write stores an object of two chunks.
func write(ctx context.Context, b store.Backend, id string) error {
	chunks, o, extents := content(id, 100, 5000)
	return b.Write(ctx, tenant, chunks, o, extents)
}

// whole reads everything of an object that write has stored.
func whole(ctx context.Context, b store.Backend, id string) error {
	chunks, _, want := content(id, 100, 5000)
	if _, err := b.Object(ctx, tenant, id); err != nil {
		return err
	}
	extents, err := b.ExtentsAt(ctx, tenant, id, 0, 10)
	if err != nil {
		return err
	}
	if len(extents) != len(want) {
		return fmt.Errorf("%s has %d extents, want %d", id, len(extents), len(want))
	}
	for i, e := range extents {
		c, err := b.Chunk(ctx, tenant, e.Chunk)
		if err != nil {
			return err
		}
		if !bytes.Equal(c.Data, chunks[i].Data) {
			return fmt.Errorf("%s: chunk %d is not what was written", id, i)
		}
	}
	return nil
}

// eventually repeats something until it succeeds.
func eventually(t *testing.T, what string, f func() error) {
	t.Helper()
	start := time.Now()
	for {
		err := f()
		if err == nil {
			t.Logf("%s after %v", what, time.Since(start).Round(time.Millisecond))
			return
		}
		if time.Since(start) > 30*time.Second {
			t.Fatalf("%s: %v", what, err)
		}
		time.Sleep(20 * time.Millisecond)
	}
}

// unavailable checks an error that says that the store cannot be had now.
func unavailable(t *testing.T, err error, hint string) {
	t.Helper()
	switch {
	case !errors.Is(err, store.ErrUnavailable):
		t.Errorf("got %v, want %v", err, store.ErrUnavailable)
	case plimsoll.CodeOf(err) != plimsoll.CodeUnavailable:
		t.Errorf("the code of %v is %s", err, plimsoll.CodeOf(err))
	case !strings.Contains(plimsoll.HintOf(err), hint):
		t.Errorf("the hint of %v is %q, want something about %q", err, plimsoll.HintOf(err), hint)
	case strings.ContainsAny(err.Error(), "\n\t"):
		t.Errorf("the error has more than one line: %q", err)
	}
}
