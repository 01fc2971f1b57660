package store_test

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// clock is a time that stands still until it is moved.
type clock struct{ at time.Time }

func (c *clock) now() time.Time       { return c.at }
func (c *clock) pass(d time.Duration) { c.at = c.at.Add(d) }

// kit is a store in memory with small chunks, so that short texts have many.
type kit struct {
	*store.Store
	memory *memory
	clock  *clock
	tenant *store.Tenant
}

func newKit(t testing.TB) *kit { return newKitOf(t, 64) }

func newKitOf(t testing.TB, chunkSize int) *kit {
	t.Helper()
	k := &kit{memory: newMemory(), clock: &clock{time.Date(2026, 11, 1, 12, 0, 0, 0, time.UTC)}}
	k.memory.now = k.clock.now
	s, err := store.New(t.Context(), k.memory, &store.Options{Now: k.clock.now, ChunkSize: chunkSize})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { must(t, s.Close()) })
	k.Store, k.tenant = s, s.Tenant("alice")
	return k
}

// failer is what helpers need of a test, of package testing or of rapid.
type failer interface {
	Helper()
	Fatal(args ...any)
	Errorf(format string, args ...any)
}

func must(t failer, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func is(t failer, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

func text(s string) plimsoll.List[plimsoll.Part] {
	return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: s})
}

func (k *kit) put(t testing.TB, s string) plimsoll.Ref {
	t.Helper()
	ref, err := k.tenant.Put(t.Context(), text(s))
	must(t, err)
	return ref
}

func readAll(ctx context.Context, tenant *store.Tenant, id string) (string, error) {
	r, err := tenant.Open(ctx, id)
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}

// prose returns n bytes of lines of words, the same for the same seed.
func prose(seed uint64, n int) string {
	random := rand.New(rand.NewPCG(seed, 1))
	var b strings.Builder
	for b.Len() < n {
		for range 1 + random.IntN(7) {
			b.WriteByte(byte('a' + random.IntN(26)))
		}
		b.WriteByte(" \n"[random.IntN(6)/5])
	}
	return b.String()[:n]
}
