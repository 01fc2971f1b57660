package postgres_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"testing"

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
