package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
)

// These tests harm their server, so they have it to themselves and take turns.
func TestTroubleOfTheServer(t *testing.T) {
	t.Parallel()
	c := pgtest.Own(t)
	for _, test := range []struct {
		name string
		run  func(*testing.T, *pgtest.Cluster)
	}{
		{"a restart is not noticed", restart},
		{"a stopped server is unavailable until it is back", stop},
		{"nothing acknowledged is lost in crashes", crash},
		{"a crash while content streams in is not noticed", crashWhileStreaming},
		{"a server that turns read-only is unavailable until it is writable", turnReadOnly},
		{"a damaged chunk is named and the rest is usable", damage},
		{"nothing of a content is left in the files after erasing", eraseEachTime},
		{"what was deleted before can be erased afterwards", eraseAfterwards},
		{"nothing is left of what was purged and erased", erasePurged},
	} {
		t.Run(test.name, func(t *testing.T) { test.run(t, c) })
	}
}

func restart(t *testing.T, c *pgtest.Cluster) {
	db := open(t, c.Database(t), nil)
	if err := write(t.Context(), db, "before"); err != nil {
		t.Fatal(err)
	}
	if err := c.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := whole(t.Context(), db, "before"); err != nil {
		t.Errorf("what was acknowledged before the crash: %v", err)
	}
	if err := c.Restart(); err != nil {
		t.Fatal(err)
	}
	if err := write(t.Context(), db, "after"); err != nil {
		t.Errorf("the first write after a crash: %v", err)
	}
}

func stop(t *testing.T, c *pgtest.Cluster) {
	db := open(t, c.Database(t), &postgres.Options{Wait: 2 * time.Second})
	patient := open(t, c.Database(t), &postgres.Options{Wait: time.Minute})
	if err := c.Stop("fast"); err != nil {
		t.Fatal(err)
	}
	for range 3 {
		unavailable(t, write(t.Context(), db, "one"), "PostgreSQL runs")
	}
	waited := make(chan error, 1)
	go func() { waited <- write(t.Context(), patient, "one") }()
	if err := c.Resume(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "works again", func() error { return write(t.Context(), db, "one") })
	if err := <-waited; err != nil {
		t.Errorf("an operation that waits for the server: %v", err)
	}
}

func crash(t *testing.T, c *pgtest.Cluster) {
	db := open(t, c.Database(t), nil)
	var j journal
	done := make(chan struct{})
	var writers sync.WaitGroup
	for w := range 3 {
		writers.Go(func() {
			for i := 0; ; i++ {
				select {
				case <-done:
					return
				default:
					j.work(t, db, fmt.Sprintf("w%d-%d", w, i))
				}
			}
		})
	}
	for range 3 {
		// The crash comes while everybody is at work.
		for n := j.len(); j.len() < n+20 && !t.Failed(); {
			time.Sleep(time.Millisecond)
		}
		if err := c.Restart(); err != nil {
			t.Error(err)
		}
	}
	close(done)
	writers.Wait()
	j.compare(t, db)
}

// journal is what was acknowledged.
type journal struct {
	mu       sync.Mutex
	objects  []string
	requests int64
}

func (j *journal) len() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return len(j.objects)
}

// work writes an object and counts it. Nothing but unavailability may go wrong.
func (j *journal) work(t *testing.T, db store.Backend, id string) {
	written := write(t.Context(), db, id)
	counted := db.AddAccount(t.Context(), tenant, account.Account{Conversation: "c", Requests: 1, First: time.Now(), Last: time.Now()})
	j.mu.Lock()
	defer j.mu.Unlock()
	if written == nil {
		j.objects = append(j.objects, id)
	}
	if counted == nil {
		j.requests++
	}
	if err := errors.Join(written, counted); err != nil && !errors.Is(err, store.ErrUnavailable) {
		t.Errorf("%s: %v", id, err)
	}
}

func (j *journal) compare(t *testing.T, db store.Backend) {
	t.Helper()
	for _, id := range j.objects {
		if err := whole(t.Context(), db, id); err != nil {
			t.Error(err)
		}
	}
	// Who was told that it failed may have been counted all the same.
	counted := accounts(t, db)
	if counted < j.requests {
		t.Errorf("%d requests were acknowledged, %d counted", j.requests, counted)
	}
	broken, err := db.Check(t.Context())
	if err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
	t.Logf("%d objects, %d requests, %d counted", len(j.objects), j.requests, counted)
}

// accounts returns how many requests were counted.
func accounts(t *testing.T, db store.Backend) int64 {
	t.Helper()
	all, err := db.Accounts(t.Context(), tenant, "", 10)
	if err != nil || len(all) != 1 {
		t.Fatalf("accounts: %v, %v", all, err)
	}
	return all[0].Requests
}

func turnReadOnly(t *testing.T, c *pgtest.Cluster) {
	db := open(t, c.Database(t), &postgres.Options{Wait: 2 * time.Second})
	if err := write(t.Context(), db, "one"); err != nil {
		t.Fatal(err)
	}
	if err := c.Exec("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "read-only", func() error {
		if err := write(t.Context(), db, "two"); err == nil {
			return errors.New("still writable")
		}
		return nil
	})
	unavailable(t, write(t.Context(), db, "two"), "all hosts")
	if err := c.Exec("SET default_transaction_read_only = off", "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	eventually(t, "writable", func() error { return write(t.Context(), db, "two") })
}

func TestFailoverFindsTheNewPrimary(t *testing.T) {
	t.Parallel()
	first := pgtest.Own(t)
	url := first.Database(t)
	second, err := first.Standby()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(second.Close)
	// The standby comes first in the URL; it answers, but cannot be written to.
	old := fmt.Sprintf("127.0.0.1:%d", first.Port)
	db := open(t, strings.Replace(url, old, fmt.Sprintf("127.0.0.1:%d,%s", second.Port, old), 1), nil)
	if err := write(t.Context(), db, "before"); err != nil {
		t.Fatal(err)
	}
	caughtUp(t, first, second)
	// Demoted, the old primary still answers on the connections that there are.
	if err := first.Exec("ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()"); err != nil {
		t.Fatal(err)
	}
	if err := second.Promote(); err != nil {
		t.Fatal(err)
	}
	eventually(t, "writes go to the new primary", func() error {
		if err := write(t.Context(), db, "after"); err != nil {
			return err
		}
		here := open(t, strings.Replace(url, old, fmt.Sprintf("127.0.0.1:%d", second.Port), 1), nil)
		defer here.Close()
		return whole(t.Context(), here, "after")
	})
	if err := first.Stop("immediate"); err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{"before", "after"} {
		if err := whole(t.Context(), db, id); err != nil {
			t.Error(err)
		}
	}
}

// caughtUp waits until the standby has everything of the primary.
func caughtUp(t *testing.T, primary, standby *pgtest.Cluster) {
	t.Helper()
	at := ask[string](t, connect(t, primary.URL("postgres")), "SELECT pg_current_wal_lsn()::text")
	conn := connect(t, standby.URL("postgres"))
	eventually(t, "the standby has caught up", func() error {
		if !ask[bool](t, conn, "SELECT pg_last_wal_replay_lsn() >= '"+at+"'::pg_lsn") {
			return errors.New("not yet")
		}
		return nil
	})
}

// A server that neither answers nor refuses, as behind a firewall.
func TestASilentServerIsUnavailable(t *testing.T) {
	t.Parallel()
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, err = postgres.Open(t.Context(), "postgres://me@"+silent.Addr().String()+"/db?sslmode=disable", &postgres.Options{Wait: 100 * time.Millisecond})
	unavailable(t, err, "PostgreSQL runs")
	if !strings.Contains(err.Error(), silent.Addr().String()) {
		t.Errorf("%v does not say where", err)
	}
}

func TestAFullPoolIsUnavailable(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	db := open(t, with(url, "pool_max_conns=1"), &postgres.Options{Wait: 2 * time.Second})
	release, blocked := block(t, url, db, t.Context())
	unavailable(t, write(t.Context(), db, "one"), "pool_max_conns")
	release()
	if err := <-blocked; err != nil {
		t.Error(err)
	}
	if err := write(t.Context(), db, "one"); err != nil {
		t.Errorf("when there is a free connection: %v", err)
	}
}

func TestAServerFullOfClientsIsUnavailable(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	name := url[strings.LastIndex(url, "/")+1 : strings.Index(url, "?")]
	admin := connect(t, url)
	run(t, admin, "CREATE ROLE c"+name+" LOGIN SUPERUSER", "ALTER DATABASE "+name+" CONNECTION LIMIT 1")
	run(t, admin, "ALTER ROLE c"+name+" NOSUPERUSER", "GRANT CREATE ON DATABASE "+name+" TO c"+name)
	t.Cleanup(func() {
		admin.Exec(context.Background(), "DROP OWNED BY c"+name)
		admin.Exec(context.Background(), "DROP ROLE c"+name)
	})
	_, err := postgres.Open(t.Context(), strings.Replace(url, pgtest.Role+"@", "c"+name+"@", 1), &postgres.Options{Wait: 2 * time.Second})
	unavailable(t, err, "max_connections")
}

func TestACancelledStatementIsUnavailable(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	open(t, url, nil) // makes the tables, which may take longer
	db := open(t, with(url, "statement_timeout=1000"), nil)
	release, blocked := block(t, url, db, t.Context())
	unavailable(t, <-blocked, "statement_timeout")
	release()
	if err := db.PutValue(t.Context(), "name", nil); err != nil {
		t.Error(err)
	}
}

func TestAnEndedContextEndsTheOperation(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	db := open(t, url, nil)
	ctx, cancel := context.WithCancel(t.Context())
	release, blocked := block(t, url, db, ctx)
	cancel()
	if err := <-blocked; !errors.Is(err, context.Canceled) || errors.Is(err, store.ErrUnavailable) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	// The server gives up too, although what the statement waits for is still locked.
	conn := connect(t, url)
	eventually(t, "the server has given up", func() error {
		if n := ask[int](t, conn, waiting); n > 0 {
			return fmt.Errorf("%d statements wait", n)
		}
		return nil
	})
	release()
}

// waiting counts the statements of this database that wait for a lock.
const waiting = `SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`

// block starts an operation that does not end before it is released, and returns
// when it is under way.
func block(t *testing.T, url string, db store.Backend, ctx context.Context) (release func(), blocked chan error) {
	t.Helper()
	locker := connect(t, url)
	run(t, locker, "BEGIN", "LOCK TABLE plimsoll.value")
	blocked = make(chan error, 1)
	go func() { blocked <- db.PutValue(ctx, "name", nil) }()
	watcher := connect(t, url)
	eventually(t, "blocked", func() error {
		if ask[int](t, watcher, waiting) == 0 && len(blocked) == 0 {
			return errors.New("nothing waits")
		}
		return nil
	})
	return func() { run(t, locker, "ROLLBACK") }, blocked
}
