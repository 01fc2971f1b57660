// Package storetest is the suite that every [store.Backend] has to pass, so that
// all of them keep the same promises. It knows no backend.
package storetest

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	gocmp "github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// Run runs the suite. It calls open for every test; what it returns must be new and
// empty, and is closed by the suite. Tests run in parallel.
func Run(t *testing.T, open func(t *testing.T) store.Backend) {
	t.Helper()
	for _, group := range [...][]test{
		writing(), reading(), listing(), decisions(), accounts(), values(), retention(), sweeping(), repairing(), purging(), counting(), contexts(), sharing(), laws(),
	} {
		for _, test := range group {
			t.Run(test.name, func(t *testing.T) {
				t.Parallel()
				b := open(t)
				t.Cleanup(func() {
					if err := b.Close(); err != nil {
						t.Errorf("close: %v", err)
					}
				})
				test.run(&kit{T: t, Backend: b, now: time.Now().Truncate(time.Microsecond)})
			})
		}
	}
}

// test is one promise, named by a sentence.
type test struct {
	name string
	run  func(*kit)
}

// kit is what a test works with. Its helpers end the test when the backend fails.
type kit struct {
	*testing.T
	store.Backend
	now time.Time
}

// Two tenants, to be told from each other.
var (
	alice = store.TenantID{'a', 0, 0xff}
	bob   = store.TenantID{'b', 0, 0xff}
)

// chunk makes one; its data is not content, which a backend cannot tell.
func chunk(seed, size int) store.Chunk {
	sum := sha256.Sum256(fmt.Append(nil, "chunk ", seed))
	data := make([]byte, size)
	for i := range data {
		data[i] = sum[i%len(sum)] ^ byte(i>>5)
	}
	return store.Chunk{ID: sum, Data: data, Size: 3 * size}
}

func chunkIDs(chunks ...store.Chunk) []store.ChunkID {
	ids := make([]store.ChunkID, len(chunks))
	for i, c := range chunks {
		ids[i] = c.ID
	}
	return ids
}

// linesPerChunk is how many line ends every chunk is said to have.
const linesPerChunk = 10

// object makes an object of chunks, used at the given time and created an hour
// before.
func object(id string, used time.Time, chunks ...store.Chunk) (*store.Object, []store.Extent) {
	o := &store.Object{
		ID: id, Kind: store.KindParts, Note: "note of " + id,
		Created: used.Add(-time.Hour), Used: used,
	}
	extents := make([]store.Extent, len(chunks))
	for i, c := range chunks {
		extents[i] = store.Extent{Chunk: c.ID, Offset: o.Stored, Line: o.Lines, Size: c.Size, Lines: linesPerChunk}
		o.Stored += int64(c.Size)
		o.Lines += linesPerChunk
	}
	o.Bytes = o.Stored / 2
	return o, extents
}

// put writes an object of chunks.
func (k *kit) put(tenant store.TenantID, id string, used time.Time, chunks ...store.Chunk) store.Object {
	k.Helper()
	o, extents := object(id, used, chunks...)
	k.must(k.Write(k.Context(), tenant, chunks, o, extents))
	return *o
}

// decide adds a decision that was used at the given time.
func (k *kit) decide(tenant store.TenantID, n int, used time.Time, refs ...string) store.Decision {
	k.Helper()
	d := store.Decision{Key: key(n), Body: fmt.Appendf(nil, "body of %d", n), Refs: refs, Created: used.Add(-time.Hour), Used: used}
	k.must(k.PutDecision(k.Context(), tenant, d))
	return d
}

func key(n int) plimsoll.Digest {
	var d plimsoll.Digest
	binary.BigEndian.PutUint64(d[8:], uint64(n)+1)
	return d
}

func (k *kit) must(err error) {
	k.Helper()
	if err != nil {
		k.Fatal(err)
	}
}

// is fails the test unless the error is the wanted one.
func (k *kit) is(what string, err, want error) {
	k.Helper()
	if !errors.Is(err, want) {
		k.Errorf("%s: got error %v, want %v", what, err, want)
	}
}

// same compares; nil and empty lists are the same.
func (k *kit) same(what string, got, want any) {
	k.Helper()
	if reflect.DeepEqual(got, want) {
		return // Much quicker for long lists.
	}
	empty := gocmp.FilterValues(func(a, b []store.Object) bool { return len(a)+len(b) == 0 }, gocmp.Ignore())
	none := gocmp.FilterValues(func(a, b []string) bool { return len(a)+len(b) == 0 }, gocmp.Ignore())
	noExtents := gocmp.FilterValues(func(a, b []store.Extent) bool { return len(a)+len(b) == 0 }, gocmp.Ignore())
	if diff := gocmp.Diff(want, got, empty, none, noExtents); diff != "" {
		k.Errorf("%s (-want +got):\n%s", what, diff)
	}
}

// has reports whether a chunk is there.
func (k *kit) has(tenant store.TenantID, c store.Chunk) bool {
	k.Helper()
	there, err := k.HasChunks(k.Context(), tenant, chunkIDs(c))
	k.must(err)
	return there[0]
}

// sound fails the test if the store says that it is broken.
func (k *kit) sound() {
	k.Helper()
	broken, err := k.Check(k.Context())
	k.must(err)
	k.same("broken", broken, []string(nil))
}

// names returns the ids of objects with their tenants' initials: "a/one".
func names(owned []store.Owned) []string {
	var all []string
	for _, o := range owned {
		all = append(all, string(o.Tenant[:1])+"/"+o.Object.ID)
	}
	return all
}

func ids(objects []store.Object) []string {
	var all []string
	for _, o := range objects {
		all = append(all, o.ID)
	}
	return all
}

func sorted[T cmp.Ordered](list []T) []T {
	slices.Sort(list)
	return list
}
