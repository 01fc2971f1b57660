package postgres_test

import (
	"context"
	"fmt"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
)

func TestPostgresIsABackend(t *testing.T) {
	t.Parallel()
	storetest.Run(t, func(t *testing.T) store.Backend { return open(t, pgtest.Database(t), nil) })
}

func ExampleOpen() {
	// A store that several machines share, for example:
	// postgres://plimsoll:secret@db1,db2/plimsoll?sslmode=verify-full
	url := os.Getenv("PLIMSOLL_STORE")
	ctx := context.Background()
	db, err := postgres.Open(ctx, url, nil)
	if err != nil {
		fmt.Println(err, plimsoll.HintOf(err))
		return
	}
	defer db.Close()
	s, err := store.New(ctx, db, nil)
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(s.Stats(ctx))
}

// Poolers that share connections between clients cannot do prepared statements.
func TestWorksWithoutPreparedStatements(t *testing.T) {
	t.Parallel()
	for _, mode := range []string{"cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			t.Parallel()
			db := open(t, with(pgtest.Database(t), "default_query_exec_mode="+mode), nil)
			if err := write(t.Context(), db, "one"); err != nil {
				t.Fatal(err)
			}
			if err := whole(t.Context(), db, "one"); err != nil {
				t.Fatal(err)
			}
			everything(t, db)
		})
	}
}

// everything calls what write and whole do not.
func everything(t *testing.T, db store.Backend) {
	t.Helper()
	ctx, now := t.Context(), time.Now()
	key := plimsoll.Digest{1}
	for what, call := range map[string]func() error{
		"has":     func() error { _, err := db.HasChunks(ctx, tenant, []store.ChunkID{{1}, {2}}); return err },
		"touch":   func() error { return db.Touch(ctx, tenant, []string{"one"}, now) },
		"mark":    func() error { return db.MarkDamaged(ctx, tenant, "x", []store.ChunkID{{1}, {2}}) },
		"line":    func() error { _, err := db.ExtentsAtLine(ctx, tenant, "one", 3, 3); return err },
		"objects": func() error { _, err := db.Objects(ctx, tenant, "one", 3); return err },
		"decide": func() error {
			return db.PutDecision(ctx, tenant, store.Decision{Key: key, Refs: []string{"one", "two"}, Used: now.Add(-time.Hour), Created: now})
		},
		"account": func() error {
			return db.AddAccount(ctx, tenant, account.Account{Conversation: "c", First: now, Last: now})
		},
		"accounts": func() error { _, err := db.Accounts(ctx, tenant, "", 3); return err },
		"value":    func() error { return db.PutValue(ctx, "name", nil) },
		"lease":    func() error { _, err := db.Lease(ctx, "name", "me", time.Hour); return err },
		"expired":  func() error { _, err := db.Expired(ctx, now, 3); return err },
		"oldest":   func() error { _, err := db.Oldest(ctx, 3); return err },
		"free":     func() error { _, err := db.Unreferenced(ctx, now, 3); return err },
		"evict": func() error {
			_, err := db.Evict(ctx, []store.Owned{{Tenant: tenant, Object: store.Object{ID: "x", Used: now}}})
			return err
		},
		"delete": func() error { _, err := db.Delete(ctx, tenant, []string{"x"}); return err },
		"sweep":  func() error { _, err := db.Sweep(ctx, now.Add(time.Hour)); return err },
		"stats":  func() error { _, err := db.Stats(ctx, &tenant); return err },
		"check":  func() error { _, err := db.Check(ctx); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("%s: %v", what, err)
		}
	}
	if d, err := db.FindDecision(ctx, tenant, []plimsoll.Digest{{9}, key}); err != nil || len(d.Refs) != 2 {
		t.Errorf("find: %v, %v", d, err)
	}
	if n, err := db.ExpireDecisions(ctx, now.Add(time.Hour)); err != nil || n != 1 {
		t.Errorf("expire: %d, %v", n, err)
	}
}

// Two handles are as two processes: they share nothing but the server.
func TestProcessesCollectBesideEachOther(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	writer, collector := open(t, url, nil), open(t, url, nil)
	ctx := t.Context()
	done := make(chan struct{})
	var others sync.WaitGroup
	others.Go(func() {
		for i := 0; ; i++ {
			select {
			case <-done:
				return
			default:
			}
			if err := collect(ctx, collector); err != nil {
				t.Error(err)
				return
			}
		}
	})
	for i := range 40 {
		id := fmt.Sprint("o", i%4)
		if err := write(ctx, writer, id); err != nil {
			t.Error(err)
		}
	}
	close(done)
	others.Wait()
	broken, err := writer.Check(ctx)
	if err != nil || len(broken) != 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
}

// collect takes out everything that was not used since it was listed.
func collect(ctx context.Context, db store.Backend) error {
	old, err := db.Oldest(ctx, 10)
	if err != nil {
		return err
	}
	if _, err := db.Evict(ctx, old); err != nil {
		return err
	}
	_, err = db.Sweep(ctx, time.Now().Add(time.Hour))
	return err
}

func TestLeasesGoByTheClockOfTheServer(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	behind := open(t, url, &postgres.Options{Now: func() time.Time { return time.Now().AddDate(-1, 0, 0) }})
	ahead := open(t, url, &postgres.Options{Now: func() time.Time { return time.Now().AddDate(1, 0, 0) }})
	got, err := behind.Lease(t.Context(), "gc", "behind", time.Hour)
	if err != nil || !got {
		t.Fatalf("the first: %v, %v", got, err)
	}
	got, err = ahead.Lease(t.Context(), "gc", "ahead", time.Hour)
	if err != nil || got {
		t.Errorf("one whose clock is ahead took the lease: %v, %v", got, err)
	}
}

// In this isolation the server refuses whoever comes second.
func TestConflictsAreSettled(t *testing.T) {
	t.Parallel()
	db := open(t, with(pgtest.Database(t), "default_transaction_isolation=serializable"), nil)
	var wg sync.WaitGroup
	for w := range 4 {
		wg.Go(func() {
			for i := range 8 {
				now := time.Now()
				if err := db.AddAccount(t.Context(), tenant, account.Account{Conversation: "c", Requests: 1, First: now, Last: now}); err != nil {
					t.Error(err)
				}
				if err := write(t.Context(), db, fmt.Sprint("o", (w+i)%3)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := accounts(t, db); n != 32 {
		t.Errorf("%d requests were counted, want 32", n)
	}
}

// After this many rows a plan that reads a table whole shows in the server's counts.
func TestEverydayOperationsReadNoTableWhole(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	open(t, url, nil).Close()
	conn := connect(t, url)
	fill(t, conn)
	before := fullReads(t, url)

	db := open(t, url, nil)
	if err := write(t.Context(), db, "one"); err != nil {
		t.Fatal(err)
	}
	if err := whole(t.Context(), db, "one"); err != nil {
		t.Fatal(err)
	}
	ctx, old := t.Context(), time.Now().AddDate(-2, 0, 0)
	for i, call := range []func() error{
		func() error { _, err := db.HasChunks(ctx, tenant, make([]store.ChunkID, 32)); return err },
		func() error { _, err := db.ExtentsAtLine(ctx, tenant, "one", 3, 3); return err },
		func() error { return db.Touch(ctx, tenant, []string{"one", "two"}, time.Now()) },
		func() error { _, err := db.Objects(ctx, tenant, "one", 50); return err },
		func() error { _, err := db.FindDecision(ctx, tenant, []plimsoll.Digest{{1}, {2}}); return err },
		func() error { _, err := db.Delete(ctx, tenant, []string{"one"}); return err },
		func() error { _, err := db.Sweep(ctx, old); return err },
		func() error { _, err := db.Expired(ctx, old, 100); return err },
		func() error { _, err := db.Oldest(ctx, 100); return err },
		func() error { _, err := db.Unreferenced(ctx, old, 100); return err },
		func() error { _, err := db.ExpireDecisions(ctx, old); return err },
	} {
		if err := call(); err != nil {
			t.Errorf("call %d: %v", i, err)
		}
	}
	db.Close()
	eventually(t, "the server's counts", func() error {
		if n := ask[int](t, conn, `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()`); n > 1 {
			return fmt.Errorf("%d connections", n)
		}
		return nil
	})
	if after := fullReads(t, url); after != before {
		t.Errorf("tables were read whole:\nbefore %s\nafter  %s", before, after)
	}
}

// fullReads returns how many rows were read of each table without an index.
func fullReads(t *testing.T, url string) string {
	t.Helper()
	conn := connect(t, url)
	defer conn.Close(t.Context())
	return ask[string](t, conn, `SELECT string_agg(relname || ' ' || seq_tup_read, ', ' ORDER BY relname)
		FROM pg_stat_user_tables WHERE relname IN ('object', 'chunk', 'extent', 'decision', 'reference')`)
}

// fill makes many objects, every second of which a decision refers to.
func fill(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	run(t, conn, `
		CREATE TEMPORARY TABLE n AS SELECT i, i::text AS id, decode(rpad(md5('tenant'), 32), 'hex') AS tenant,
			sha256(i::text::bytea) AS chunk, decode(md5(i::text), 'hex') AS key, now() - i * interval '1 second' AS at
		FROM generate_series(1, 6000) AS i;
		INSERT INTO plimsoll.object SELECT tenant, id, 'text', 10, 1, 10, '', at, at FROM n;
		INSERT INTO plimsoll.chunk SELECT tenant, chunk, 10, i % 100 = 0, at, '0123456789' FROM n;
		INSERT INTO plimsoll.extent SELECT tenant, id, 0, 0, 10, 1, chunk FROM n;
		INSERT INTO plimsoll.decision SELECT tenant, key, '', ARRAY[id], at, at FROM n;
		INSERT INTO plimsoll.reference SELECT tenant, id, key FROM n WHERE i % 2 = 0;
		INSERT INTO plimsoll.decision VALUES ('\x74000000000000000000000000000000', '\x02000000000000000000000000000000', '', '{}', now(), now())`,
		"ANALYZE")
}
