package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store"
)

func newStore(t *testing.T, url string) *store.Store {
	t.Helper()
	s, err := store.New(t.Context(), open(t, url, nil), nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// text makes numbered lines.
func text(lines int) []byte {
	var b bytes.Buffer
	for i := range lines {
		fmt.Fprintf(&b, "%d: the quick brown fox\n", i)
	}
	return b.Bytes()
}

func read(ctx context.Context, s *store.Store, tenant, id string) ([]byte, error) {
	r, err := s.Tenant(tenant).Open(ctx, id)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(r)
}

func TestContentIsSharedBetweenProcessesAndNotBetweenTenants(t *testing.T) {
	t.Parallel()
	url := pgtest.Database(t)
	here, there := newStore(t, url), newStore(t, url)
	want := text(100_000)
	ref, err := here.Tenant("alice").PutReader(t.Context(), bytes.NewReader(want), "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t.Context(), there, "alice", ref.ID)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	if _, err := read(t.Context(), there, "bob", ref.ID); !errors.Is(err, store.ErrGone) {
		t.Errorf("another tenant: got %v, want %v", err, store.ErrGone)
	}
	if _, err := there.Tenant("alice").Delete(t.Context(), ref.ID); err != nil {
		t.Fatal(err)
	}
	report, err := there.GC(t.Context(), store.Policy{Grace: -1}, false)
	if err != nil || report.After == nil || *report.After != (store.Stats{}) {
		t.Errorf("after deleting it: %+v, %v", report, err)
	}
	if _, err := read(t.Context(), here, "alice", ref.ID); !errors.Is(err, store.ErrGone) {
		t.Errorf("after deleting it: got %v, want %v", err, store.ErrGone)
	}
}

// crashing reads from another reader and crashes a server on the way.
type crashing struct {
	io.Reader
	left   int
	server *pgtest.Cluster
}

func (c *crashing) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.left -= n; c.left < 0 && c.server != nil {
		err = errors.Join(err, c.server.Restart())
		c.server = nil
	}
	return n, err
}

func crashWhileStreaming(t *testing.T, c *pgtest.Cluster) {
	s := newStore(t, c.Database(t))
	// Random bytes do not compress, so that there is something to send.
	want := make([]byte, 16<<20)
	rand.NewChaCha8([32]byte{1}).Read(want)
	ref, err := s.Tenant("alice").PutReader(t.Context(), &crashing{bytes.NewReader(want), len(want) / 2, c}, "")
	if err != nil {
		t.Fatal(err)
	}
	got, err := read(t.Context(), s, "alice", ref.ID)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("got %d bytes, %v, want %d", len(got), err, len(want))
	}
	broken, err := s.Check(t.Context())
	if err != nil || len(broken) > 0 {
		t.Errorf("check: %v, %v", broken, err)
	}
}

// TestNoTextOfAClientRestsTheStore has what clients put into names and contents. What
// PostgreSQL cannot keep as text is escaped, and no error says that the store is away.
func TestNoTextOfAClientRestsTheStore(t *testing.T) {
	t.Parallel()
	s := newStore(t, pgtest.Database(t))
	tenant := s.Tenant("alice")
	for what, name := range map[string]string{
		"NUL": "gpt-4o\x00", "a lone surrogate": "m\xed\xa0\x80", "invalid UTF-8": "\xff\xfe", "a long name": strings.Repeat("m\x00é", 1<<20),
	} {
		a := account.Account{Conversation: "c " + name, Model: name, Requests: 1, First: time.Now(), Last: time.Now()}
		if err := tenant.AddAccount(t.Context(), a); err != nil {
			t.Errorf("%s in an account: %.200v", what, err)
		}
		if err := s.PutValue(t.Context(), "limit:"+name, []byte("1")); err != nil {
			t.Errorf("%s in a value's name: %.200v", what, err)
		}
		if got, err := s.Value(t.Context(), "limit:"+name); err != nil || string(got) != "1" {
			t.Errorf("%s: the value is %q, %.200v", what, got, err)
		}
		ref, err := tenant.PutReader(t.Context(), strings.NewReader(name), name)
		if err != nil {
			t.Errorf("%s as content: %.200v", what, err)
		} else if got, err := read(t.Context(), s, "alice", ref.ID); err != nil || string(got) != name {
			t.Errorf("%s: got %.50q, %v", what, got, err)
		}
		if err := tenant.PutDecision(t.Context(), store.Decision{Key: plimsoll.Digest{1}, Body: []byte(name), Refs: []string{name}}); err != nil {
			t.Errorf("%s in a decision: %.200v", what, err)
		}
	}
	if all, err := tenant.Accounts(t.Context(), "", 10); err != nil || len(all) != 4 {
		t.Errorf("%d accounts, %v", len(all), err)
	}
	large := bytes.Repeat([]byte("48 MB of output, \x00\xff\n"), 48<<20/20)
	ref, err := tenant.PutReader(t.Context(), bytes.NewReader(large), "")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := read(t.Context(), s, "alice", ref.ID); err != nil || !bytes.Equal(got, large) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestARowThatTheServerRefusesIsInvalidAndNoOutage(t *testing.T) {
	t.Parallel()
	db := open(t, pgtest.Database(t), nil)
	now := time.Now()
	for what, a := range map[string]account.Account{
		"a text with NUL":               {Conversation: "a\x00", First: now, Last: now},
		"a name that cannot be indexed": {Conversation: random(1 << 16), First: now, Last: now},
	} {
		if err := db.AddAccount(t.Context(), tenant, a); !errors.Is(err, plimsoll.ErrInvalid) || errors.Is(err, store.ErrUnavailable) {
			t.Errorf("%s: %.300v", what, err)
		}
	}
}

// random is a text that no compression makes shorter.
func random(n int) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = "abcdefghijklmnopqrstuvwxyz234567"[rand.N(32)]
	}
	return string(b)
}
