package store_test

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

// shelf is a kit with objects by name.
type shelf struct {
	*kit
	ids map[string]string
}

func newShelf(t *testing.T) *shelf { return &shelf{newKit(t), map[string]string{}} }

// keep stores 4,000 bytes that nothing else has.
func (s *shelf) keep(t *testing.T, name string) {
	t.Helper()
	s.ids[name] = s.put(t, prose(uint64(len(s.ids)+1), 4000)).ID
}

// decide keeps a decision that needs objects.
func (s *shelf) decide(t *testing.T, key byte, names ...string) {
	t.Helper()
	d := store.Decision{Key: plimsoll.Digest{key}, Body: []byte("drop"), Refs: make([]string, len(names))}
	for i, n := range names {
		d.Refs[i] = s.ids[n]
	}
	must(t, s.tenant.PutDecision(t.Context(), d))
}

// left returns the names of what can be read.
func (s *shelf) left(t *testing.T) []string {
	t.Helper()
	var names []string
	for _, name := range slices.Sorted(maps.Keys(s.ids)) {
		// A look is not a use here.
		if _, err := s.memory.Object(t.Context(), s.tenant.ID(), s.ids[name]); err == nil {
			names = append(names, name)
		}
	}
	return names
}

func (s *shelf) gc(t *testing.T, p store.Policy) store.GCReport {
	t.Helper()
	dry, err := s.GC(t.Context(), p, true)
	must(t, err)
	before := s.left(t)
	if !dry.DryRun || dry.After != nil {
		t.Errorf("a dry run says %+v", dry)
	}
	report, err := s.GC(t.Context(), p, false)
	must(t, err)
	if dry.Expired != report.Expired || dry.Unreferenced != report.Unreferenced || dry.Decisions != report.Decisions {
		t.Errorf("a dry run says %+v, and then %+v", dry, report)
	}
	gone := report.Expired.Objects + report.Unreferenced.Objects + report.Evicted.Objects
	if left := len(s.left(t)); len(before)-left != int(gone) {
		t.Errorf("%d objects, then %d, but %d were collected", len(before), left, gone)
	}
	if n := s.live(); len(s.memory.chunks) < n {
		t.Errorf("%d chunks are left, but %d are needed", len(s.memory.chunks), n)
	}
	return report
}

// live counts the chunks that objects need.
func (s *shelf) live() int {
	ids := map[store.ChunkID]bool{}
	for _, extents := range s.memory.extents {
		for _, e := range extents {
			ids[e.Chunk] = true
		}
	}
	return len(ids)
}

func (s *shelf) expect(t *testing.T, want ...string) {
	t.Helper()
	if diff := cmp.Diff(want, s.left(t)); diff != "" {
		t.Errorf("what is left: -want +got\n%s", diff)
	}
}

func TestCollectingByAgeGoesByLastUse(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for _, name := range []string{"forgotten", "read", "stored again", "decided", "decided long ago"} {
		s.keep(t, name)
	}
	s.decide(t, 1, "decided")
	s.decide(t, 2, "decided long ago")
	s.clock.pass(20 * 24 * time.Hour)
	_, err := readAll(t.Context(), s.tenant, s.ids["read"])
	must(t, err)
	s.put(t, prose(3, 4000))
	_, err = s.tenant.FindDecision(t.Context(), plimsoll.Digest{9}, plimsoll.Digest{1})
	must(t, err)
	s.clock.pass(15 * 24 * time.Hour)
	s.keep(t, "new")

	report := s.gc(t, store.Policy{MaxAge: 30 * 24 * time.Hour})
	s.expect(t, "decided", "new", "read", "stored again")
	if want := (store.Collected{Objects: 2, Bytes: 8000}); report.Expired != want || report.Decisions != 1 {
		t.Errorf("got %+v", report)
	}
	if report.Swept.Chunks == 0 || len(s.memory.chunks) != s.live() || report.After.Compressed >= report.Before.Compressed {
		t.Errorf("chunks of what is gone are left: %+v", report)
	}
}

func TestNothingIsTooOldWithinTheGrace(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.keep(t, "half an hour old")
	s.decide(t, 1)
	s.clock.pass(30 * time.Minute)
	if report := s.gc(t, store.Policy{MaxAge: time.Minute}); report.Decisions != 0 {
		t.Errorf("got %+v", report)
	}
	s.expect(t, "half an hour old")
	if report := s.gc(t, store.Policy{MaxAge: time.Minute, Grace: -1}); report.Decisions != 1 {
		t.Errorf("got %+v", report)
	}
	s.expect(t)
}

func TestWhatGoesForTwoReasonsIsCountedOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for _, name := range []string{"a", "b", "c"} {
		s.keep(t, name)
	}
	s.clock.pass(48 * time.Hour)
	s.keep(t, "d")
	s.clock.pass(2 * time.Hour)
	policy := store.Policy{MaxAge: 24 * time.Hour, Unreferenced: true, MaxBytes: 1}
	dry, err := s.GC(t.Context(), policy, true)
	must(t, err)
	report := s.gc(t, policy)
	s.expect(t)
	if report.Expired.Objects != 3 || report.Unreferenced.Objects != 1 || report.Evicted.Objects != 0 || dry.Evicted.Objects != 0 {
		t.Errorf("got %+v, and dry %+v", report, dry)
	}
}

func TestO10_WhatNoDecisionRefersToCanBeCollected(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for _, name := range []string{"dropped", "kept", "kept by another tenant"} {
		s.keep(t, name)
	}
	s.decide(t, 1, "dropped", "kept")
	s.decide(t, 1, "kept")
	must(t, s.Tenant("bob").PutDecision(t.Context(), store.Decision{Key: plimsoll.Digest{1}, Refs: []string{s.ids["kept by another tenant"]}}))
	s.clock.pass(2 * time.Hour)
	s.keep(t, "just stored")

	report := s.gc(t, store.Policy{Unreferenced: true})
	s.expect(t, "just stored", "kept")
	if want := (store.Collected{Objects: 2, Bytes: 8000}); report.Unreferenced != want {
		t.Errorf("got %+v", report)
	}
	must(t, s.tenant.Memory().Forget(t.Context(), plimsoll.Digest{1}))
	s.gc(t, store.Policy{Unreferenced: true, Grace: -1})
	s.expect(t, "just stored")
	s.clock.pass(time.Second)
	s.gc(t, store.Policy{Unreferenced: true, Grace: -1})
	s.expect(t)
}

func TestCollectingBySizeTakesTheOldestAndWhatIsNeededLast(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i := range 10 {
		s.keep(t, fmt.Sprint("object ", i))
		s.clock.pass(time.Hour)
	}
	s.decide(t, 1, "object 0", "object 1", "object 2")
	s.clock.pass(2 * time.Hour)
	one := compressed(t, s) / 10

	dry, err := s.GC(t.Context(), store.Policy{MaxBytes: 6*one + one/2, MaxAge: 8*time.Hour + 30*time.Minute}, true)
	must(t, err)
	if dry.Expired.Objects != 1 || dry.Evicted.Objects != 3 {
		t.Errorf("a dry run says %+v", dry)
	}
	report := s.gc(t, store.Policy{MaxBytes: 6*one + one/2})
	s.expect(t, "object 0", "object 1", "object 2", "object 7", "object 8", "object 9")
	if report.Evicted.Objects != 4 || report.After.Compressed > 6*one+one/2 {
		t.Errorf("got %+v, one object takes %d", report, one)
	}
	s.gc(t, store.Policy{MaxBytes: 2*one + one/2})
	s.expect(t, "object 1", "object 2")
}

func compressed(t *testing.T, s *shelf) int64 {
	t.Helper()
	stats, err := s.Stats(t.Context())
	must(t, err)
	return stats.Compressed
}

func TestCollectingBySizeSparesWhatWasJustUsed(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	for i := range 700 {
		s.ids[fmt.Sprint("new ", i)] = s.put(t, fmt.Sprint("number ", i)).ID
	}
	if report := s.gc(t, store.Policy{MaxBytes: 1}); report.Evicted.Objects != 0 {
		t.Errorf("got %+v", report)
	}
	s.clock.pass(2 * time.Hour)
	s.put(t, "number 3")
	s.gc(t, store.Policy{MaxBytes: 1})
	s.expect(t, "new 3")
}

func TestCollectingBySizeCountsSharedChunksOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	base := prose(1, 20_000)
	for i := range 20 {
		s.ids[fmt.Sprintf("version %02d", i)] = s.put(t, base+fmt.Sprint("\nversion ", i)).ID
		s.clock.pass(time.Hour)
	}
	s.clock.pass(2 * time.Hour)
	s.gc(t, store.Policy{MaxBytes: compressed(t, s)})
	if n := len(s.left(t)); n != 20 {
		t.Errorf("nothing was too much, but %d are left", n)
	}
	s.gc(t, store.Policy{MaxBytes: compressed(t, s) - 1})
	if n := len(s.left(t)); n < 10 || n == 20 {
		t.Errorf("a byte was too much, and %d of 20 are left", n)
	}
}

func TestCollectingDoesNotTakeWhatIsUsedMeanwhile(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.keep(t, "idle")
	s.keep(t, "used")
	s.clock.pass(48 * time.Hour)
	s.memory.before = func(method string) error {
		if method == "Evict" {
			s.memory.before = nil
			s.put(t, prose(2, 4000))
		}
		return nil
	}
	report, err := s.GC(t.Context(), store.Policy{MaxAge: time.Hour}, false)
	must(t, err)
	s.expect(t, "used")
	if report.Expired.Objects != 1 {
		t.Errorf("got %+v", report)
	}
}

func TestTheZeroPolicyCollectsWhatNothingNames(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.keep(t, "deleted")
	s.keep(t, "kept")
	_, err := s.tenant.Delete(t.Context(), s.ids["deleted"])
	must(t, err)
	if report := s.gc(t, store.Policy{}); report.Swept.Chunks != 0 {
		t.Errorf("within the grace: got %+v", report)
	}
	s.clock.pass(2 * time.Hour)
	if report := s.gc(t, store.Policy{}); report.Swept.Chunks == 0 {
		t.Errorf("after it: got %+v", report)
	}
	s.expect(t, "kept")
	got, err := readAll(t.Context(), s.tenant, s.ids["kept"])
	if err != nil || got != prose(2, 4000) {
		t.Errorf("got %d bytes, %v", len(got), err)
	}
}

func TestSweepDeletesAtOnce(t *testing.T) {
	t.Parallel()
	s := newShelf(t)
	s.keep(t, "deleted")
	_, err := s.tenant.Delete(t.Context(), s.ids["deleted"])
	must(t, err)
	s.clock.pass(-time.Minute)
	swept, err := s.Sweep(t.Context())
	must(t, err)
	if swept.Chunks == 0 || len(s.memory.chunks) > 0 {
		t.Errorf("got %+v, and %d chunks are left", swept, len(s.memory.chunks))
	}
}

func TestTenantsSeeNothingOfEachOther(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	content := prose(1, 4000)
	k.put(t, content)
	before := k.memory.calls.chunksWritten
	bob := k.Tenant("bob")
	stats, err := bob.Stats(t.Context())
	if err != nil || stats != (store.Stats{}) {
		t.Errorf("stats: got %+v, %v", stats, err)
	}
	objects, err := bob.Objects(t.Context(), "", 10)
	if err != nil || len(objects) > 0 {
		t.Errorf("objects: got %v, %v", objects, err)
	}
	_, err = bob.Put(t.Context(), text(content))
	must(t, err)
	if n := k.memory.calls.chunksWritten - before; n != before {
		t.Errorf("storing what another tenant has wrote %d chunks, want %d", n, before)
	}
	shared := map[store.ChunkID]int{}
	for key := range k.memory.chunks {
		shared[key.id]++
	}
	for id, n := range shared {
		if n > 1 {
			t.Errorf("both tenants name a chunk %x", id)
		}
	}
	if id := bob.ID(); k.tenant.ID() == id || strings.Contains(string(id[:]), "bob") {
		t.Errorf("tenant ids %x and %x", k.tenant.ID(), id)
	}
	if again := k.Tenant("alice").ID(); again != k.tenant.ID() {
		t.Errorf("the same tenant is %x and %x", k.tenant.ID(), again)
	}
}

func TestSmallThingsPassThrough(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	ctx := t.Context()
	must(t, k.PutValue(ctx, "factor", []byte("1.1")))
	if v, err := k.Value(ctx, "factor"); string(v) != "1.1" || err != nil {
		t.Errorf("value: got %q, %v", v, err)
	}
	_, err := k.Value(ctx, "nothing")
	is(t, "no value", err, plimsoll.ErrNotFound)
	must(t, k.tenant.AddAccount(ctx, account.Account{Conversation: "c", Requests: 1, Saved: 5}))
	must(t, k.tenant.AddAccount(ctx, account.Account{Conversation: "c", Requests: 1, Saved: 6}))
	accounts, err := k.tenant.Accounts(ctx, "", 5)
	if err != nil || len(accounts) != 1 || accounts[0].Requests != 2 || accounts[0].Saved != 11 {
		t.Errorf("accounts: got %+v, %v", accounts, err)
	}
	must(t, k.tenant.PutDecision(ctx, store.Decision{Key: plimsoll.Digest{7}, Body: []byte("b")}))
	d, err := k.tenant.FindDecision(ctx, plimsoll.Digest{7})
	if err != nil || string(d.Body) != "b" || !d.Created.Equal(k.clock.at) || !d.Used.Equal(k.clock.at) {
		t.Errorf("decision: got %+v, %v", d, err)
	}
	_, err = k.tenant.FindDecision(ctx, plimsoll.Digest{8})
	is(t, "no decision", err, plimsoll.ErrNotFound)
}

func TestNewRefusesAChunkSizeThatIsNone(t *testing.T) {
	t.Parallel()
	for _, size := range []int{-1, 1, 63, 100, 2 << 20} {
		_, err := store.New(t.Context(), newMemory(), &store.Options{ChunkSize: size})
		is(t, fmt.Sprint(size), err, plimsoll.ErrInvalid)
	}
}
