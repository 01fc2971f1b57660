package pgtest_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/plimsoll/plimsoll/internal/pgtest"
)

func TestDatabasesAreEmptyAndApart(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	first, second := connect(t, pgtest.Database(t)), connect(t, pgtest.Database(t))
	if _, err := first.Exec(ctx, "CREATE TABLE mark ()"); err != nil {
		t.Fatal(err)
	}
	var seen bool
	if err := second.QueryRow(ctx, "SELECT to_regclass('mark') IS NOT NULL").Scan(&seen); err != nil || seen {
		t.Errorf("a second database sees the first one's table: %v, %v", seen, err)
	}
}

func TestOnlyLoopbackIsListenedOn(t *testing.T) {
	t.Parallel()
	var addresses string
	err := connect(t, pgtest.Database(t)).QueryRow(t.Context(), "SHOW listen_addresses").Scan(&addresses)
	if err != nil || addresses != "127.0.0.1" {
		t.Errorf("listens on %q, %v", addresses, err)
	}
}

// The process that this test starts panics with a server running.
func TestServerDiesWithTheTestProcess(t *testing.T) {
	if os.Getenv("PGTEST_PANIC") != "" {
		c := pgtest.Own(t)
		os.Stdout.WriteString("data:" + c.Data + "\n")
		go panic("as tests do")
		select {}
	}
	t.Parallel()
	pgtest.Database(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestServerDiesWithTheTestProcess$")
	cmd.Env = append(os.Environ(), "PGTEST_PANIC=1")
	out, err := cmd.CombinedOutput()
	if err == nil {
		t.Fatalf("did not panic: %s", out)
	}
	_, rest, _ := strings.Cut(string(out), "data:")
	data, _, ok := strings.Cut(rest, "\n")
	if !ok {
		t.Fatalf("did not start a server: %s", out)
	}
	for deadline := time.Now().Add(10 * time.Minute); ; time.Sleep(50 * time.Millisecond) {
		if _, err := os.Stat(data); errors.Is(err, fs.ErrNotExist) {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("%s is still there a minute after its process panicked", data)
		}
	}
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.Close(context.Background()) })
	return conn
}
