package sqlite

import (
	"bufio"
	"context"
	"crypto/sha256"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

// childVariable tells the test binary to be another process that uses a store:
// "what it does, who it is, where the store is".
const childVariable = "PLIMSOLL_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	flag.Parse()
	job := os.Getenv(childVariable)
	if job == "" {
		os.Exit(m.Run())
	}
	what, rest, _ := strings.Cut(job, " ")
	who, path, _ := strings.Cut(rest, " ")
	work := map[string]func(context.Context, store.Backend, string) error{"write": writeForever, "mix": mixThousands}[what]
	if err := asChild(path, who, work); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func asChild(path, who string, work func(context.Context, store.Backend, string) error) error {
	ctx := context.Background()
	db, err := Open(ctx, path, nil)
	if err != nil {
		return err
	}
	return errors.Join(work(ctx, db, who), db.Close())
}

// child starts another process.
func child(t *testing.T, what, who, path string) (*exec.Cmd, *bufio.Reader, *strings.Builder) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self)
	cmd.Env = append(os.Environ(), childVariable+"="+what+" "+who+" "+path)
	var complaints strings.Builder
	cmd.Stderr = &complaints
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewReader(out), &complaints
}

// written is the content of a numbered object, different for each writer.
func written(name string) []byte {
	seed := sha256.Sum256([]byte(name))
	random := rand.NewChaCha8(seed)
	data := make([]byte, 100+random.Uint64()%40_000)
	random.Read(data)
	return data
}

// writeForever writes numbered objects and says "+name" when one is stored. Now and
// then it says "-name", deletes that one and sweeps.
func writeForever(ctx context.Context, db store.Backend, who string) error {
	for n := 0; ; n++ {
		name := who + "." + strconv.Itoa(n)
		if err := writeOne(ctx, db, name, written(name)); err != nil {
			return err
		}
		fmt.Printf("+%s\n", name)
		if n%8 == 7 {
			old := who + "." + strconv.Itoa(n-3)
			fmt.Printf("-%s\n", old)
			if _, err := db.Delete(ctx, tenant, []string{old}); err != nil {
				return err
			}
			if _, err := db.Sweep(ctx, time.Now().Add(-time.Hour)); err != nil {
				return err
			}
			if _, err := db.Sweep(ctx, time.Now().Add(time.Hour)); err != nil {
				return err
			}
		}
	}
}

// mixed is how many rounds of calls a process does.
const mixed = 300 / slow

// mixThousands does a bit of everything, in rounds of nine calls.
func mixThousands(ctx context.Context, db store.Backend, who string) error {
	return mix(ctx, db, who, mixed)
}

func mix(ctx context.Context, db store.Backend, who string, rounds int) error {
	now := time.Now()
	for n := range rounds {
		name := who + "." + strconv.Itoa(n)
		key := plimsoll.Digest{byte(n), who[0]}
		for i, call := range []func() error{
			func() error { return writeOne(ctx, db, name, []byte(name)) },
			func() error { _, err := db.ExtentsAt(ctx, tenant, name, 0, 1); return err },
			func() error { _, err := db.Chunk(ctx, tenant, sha256.Sum256([]byte(name))); return err },
			func() error {
				return db.PutDecision(ctx, tenant, store.Decision{Key: key, Body: []byte(name), Refs: []string{name}, Used: now})
			},
			func() error { _, err := db.FindDecision(ctx, tenant, []plimsoll.Digest{key}); return err },
			func() error {
				return db.AddAccount(ctx, tenant, account.Account{Conversation: "shared", Requests: 1, First: now, Last: now})
			},
			func() error { _, err := db.Lease(ctx, "shared", who, time.Millisecond); return err },
			func() error { _, err := db.Oldest(ctx, 3); return err },
			func() error {
				if n%50 != 0 {
					return nil
				}
				_, err := db.Sweep(ctx, now.Add(-time.Hour))
				return err
			},
		} {
			if err := call(); err != nil {
				return fmt.Errorf("round %d, call %d: %w", n, i, err)
			}
		}
	}
	return nil
}
