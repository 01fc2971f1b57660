// Package pgtest runs real PostgreSQL servers for tests. A server lives in a
// temporary folder, listens on loopback only, trusts everybody there, and does not
// care for durability. It is gone when the test process is, however that ended: a
// second process waits for the end of the first and cleans up.
//
// PostgreSQL refuses to run as root. A root process starts it as the user postgres,
// else as the system's user without rights. The package is for tests only.
package pgtest

import (
	"context"
	"crypto/rand"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
)

// Role is the superuser of the servers; Guarded a role that needs a password.
const (
	Role     = "plimsoll"
	Guarded  = "guarded"
	Password = "open sesame"
)

// shared is the server of all tests of a process that do no harm to it.
var shared = sync.OnceValues(Start)

// Database returns the URL of a new empty database on a server that all tests of
// the process share. It skips the test, and says so, where there is no PostgreSQL.
func Database(tb testing.TB) string {
	tb.Helper()
	c, err := shared()
	if err != nil {
		skip(tb, err)
	}
	return c.Database(tb)
}

// Own starts a server for one test, that may do with it what it likes. It skips
// the test, and says so, where there is no PostgreSQL.
func Own(tb testing.TB) *Cluster {
	tb.Helper()
	c, err := Start()
	if err != nil {
		skip(tb, err)
	}
	tb.Cleanup(c.Close)
	return c
}

func skip(tb testing.TB, err error) {
	tb.Helper()
	fmt.Fprintf(os.Stderr, "NOT CHECKED: %s: no PostgreSQL: %v\n", tb.Name(), err)
	tb.Skipf("NOT CHECKED: no PostgreSQL: %v", err)
}

// Database makes an empty database and returns its URL. It is dropped after the
// test.
func (c *Cluster) Database(tb testing.TB) string {
	tb.Helper()
	name := "t" + strings.ToLower(rand.Text()[:12])
	if err := c.Exec("CREATE DATABASE " + name); err != nil {
		tb.Fatal(err)
	}
	tb.Cleanup(func() {
		// The server of a test that broke it may be away.
		_ = c.Exec("DROP DATABASE IF EXISTS " + name + " WITH (FORCE)")
	})
	return c.URL(name)
}

// URL returns the address of a database.
func (c *Cluster) URL(database string) string {
	return fmt.Sprintf("postgres://%s@127.0.0.1:%d/%s?sslmode=disable", Role, c.Port, database)
}

// Exec runs statements as the superuser.
func (c *Cluster) Exec(statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Minute)
	defer cancel()
	conn, err := pgx.Connect(ctx, c.URL("postgres"))
	if err != nil {
		return err
	}
	defer conn.Close(ctx)
	for _, s := range statements {
		if _, err := conn.Exec(ctx, s); err != nil {
			return fmt.Errorf("%.60s: %w", s, err)
		}
	}
	return nil
}
