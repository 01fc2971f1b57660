package store_test

import (
	"bytes"
	"cmp"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

// memory is a backend in maps, and a place to break things. It counts what it is
// asked for.
type memory struct {
	mu        sync.Mutex
	now       func() time.Time
	secret    [32]byte
	objects   map[of[string]]store.Object
	extents   map[of[string]][]store.Extent
	chunks    map[of[store.ChunkID]]*kept
	decisions map[of[plimsoll.Digest]]store.Decision
	accounts  map[of[string]]account.Account
	values    map[string][]byte
	leases    map[string]lease
	calls     calls
	// before, if set, is called before a method does anything; what it returns is
	// what the method returns.
	before func(method string) error
}

// calls counts.
type calls struct{ chunksRead, chunksWritten, writes, touches int }

// of is something of a tenant.
type of[ID comparable] struct {
	tenant store.TenantID
	id     ID
}

type kept struct {
	chunk   store.Chunk
	used    time.Time
	damaged bool
}

type lease struct {
	holder string
	until  time.Time
}

var _ store.Backend = (*memory)(nil)

func newMemory() *memory {
	return &memory{
		now: time.Now, secret: [32]byte{1, 2, 3},
		objects: map[of[string]]store.Object{}, extents: map[of[string]][]store.Extent{}, chunks: map[of[store.ChunkID]]*kept{},
		decisions: map[of[plimsoll.Digest]]store.Decision{}, accounts: map[of[string]]account.Account{},
		values: map[string][]byte{}, leases: map[string]lease{},
	}
}

// begin takes the lock unless the method shall fail.
func (m *memory) begin(ctx context.Context, method string) error {
	if m.before != nil {
		if err := m.before(method); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	m.mu.Lock()
	return nil
}

func (m *memory) Secret(ctx context.Context) ([32]byte, error) { return m.secret, ctx.Err() }

func (m *memory) Write(ctx context.Context, tenant store.TenantID, chunks []store.Chunk, object *store.Object, extents []store.Extent) error {
	if err := m.begin(ctx, "Write"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.calls.writes++
	added := map[store.ChunkID]bool{}
	for _, c := range chunks {
		added[c.ID] = true
	}
	for _, e := range extents {
		if m.chunks[of[store.ChunkID]{tenant, e.Chunk}] == nil && !added[e.Chunk] {
			return store.ErrMissingChunk
		}
	}
	for _, c := range chunks {
		m.calls.chunksWritten++
		key := of[store.ChunkID]{tenant, c.ID}
		c.Data = bytes.Clone(c.Data)
		switch k := m.chunks[key]; {
		case k == nil:
			m.chunks[key] = &kept{chunk: c}
		case k.damaged:
			k.chunk, k.damaged = c, false
		}
		m.chunks[key].used = m.now()
	}
	if object == nil {
		return nil
	}
	key := of[string]{tenant, object.ID}
	renewed := *object
	if o, ok := m.objects[key]; ok {
		o.Used = later(o.Used, object.Used)
		if !o.Damaged {
			m.objects[key] = o
			return nil
		}
		renewed.Note, renewed.Created, renewed.Used = o.Note, o.Created, o.Used
	}
	m.objects[key], m.extents[key] = renewed, slices.Clone(extents)
	return nil
}

func later(a, b time.Time) time.Time {
	if a.After(b) {
		return a
	}
	return b
}

func (m *memory) HasChunks(ctx context.Context, tenant store.TenantID, ids []store.ChunkID) ([]bool, error) {
	if err := m.begin(ctx, "HasChunks"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	there := make([]bool, len(ids))
	for i, id := range ids {
		k := m.chunks[of[store.ChunkID]{tenant, id}]
		there[i] = k != nil && !k.damaged
	}
	return there, nil
}

func (m *memory) MarkDamaged(ctx context.Context, tenant store.TenantID, id string, chunks []store.ChunkID) error {
	if err := m.begin(ctx, "MarkDamaged"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	if o, ok := m.objects[of[string]{tenant, id}]; ok {
		o.Damaged = true
		m.objects[of[string]{tenant, id}] = o
	}
	for _, id := range chunks {
		if k := m.chunks[of[store.ChunkID]{tenant, id}]; k != nil {
			k.damaged = true
		}
	}
	return nil
}

func (m *memory) Object(ctx context.Context, tenant store.TenantID, id string) (store.Object, error) {
	if err := m.begin(ctx, "Object"); err != nil {
		return store.Object{}, err
	}
	defer m.mu.Unlock()
	o, ok := m.objects[of[string]{tenant, id}]
	if !ok {
		return store.Object{}, plimsoll.ErrNotFound
	}
	return o, nil
}

func (m *memory) ExtentsAt(ctx context.Context, tenant store.TenantID, id string, offset int64, limit int) ([]store.Extent, error) {
	page, err := m.extentsFrom(ctx, tenant, id, limit, func(e store.Extent) bool { return e.Offset <= offset })
	if len(page) > 0 && offset >= page[0].Offset+int64(page[0].Size) {
		return nil, nil
	}
	return page, err
}

func (m *memory) ExtentsAtLine(ctx context.Context, tenant store.TenantID, id string, n int64, limit int) ([]store.Extent, error) {
	return m.extentsFrom(ctx, tenant, id, limit, func(e store.Extent) bool { return e.Line < n || e.Offset == 0 })
}

// extentsFrom returns extents from the last one on for which before holds.
func (m *memory) extentsFrom(ctx context.Context, tenant store.TenantID, id string, limit int, before func(store.Extent) bool) ([]store.Extent, error) {
	if err := m.begin(ctx, "Extents"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	all, ok := m.extents[of[string]{tenant, id}]
	if !ok {
		return nil, plimsoll.ErrNotFound
	}
	from := 0
	for i, e := range all {
		if before(e) {
			from = i
		}
	}
	return slices.Clone(all[from:min(len(all), from+limit)]), nil
}

func (m *memory) Chunk(ctx context.Context, tenant store.TenantID, id store.ChunkID) (store.Chunk, error) {
	if err := m.begin(ctx, "Chunk"); err != nil {
		return store.Chunk{}, err
	}
	defer m.mu.Unlock()
	m.calls.chunksRead++
	k := m.chunks[of[store.ChunkID]{tenant, id}]
	if k == nil {
		return store.Chunk{}, plimsoll.ErrNotFound
	}
	return k.chunk, nil
}

func (m *memory) Touch(ctx context.Context, tenant store.TenantID, ids []string, at time.Time) error {
	if err := m.begin(ctx, "Touch"); err != nil {
		return err
	}
	defer m.mu.Unlock()
	m.calls.touches++
	for _, id := range ids {
		key := of[string]{tenant, id}
		if o, ok := m.objects[key]; ok {
			o.Used = later(o.Used, at)
			m.objects[key] = o
		}
	}
	return nil
}

func (m *memory) Objects(ctx context.Context, tenant store.TenantID, after string, limit int) ([]store.Object, error) {
	if err := m.begin(ctx, "Objects"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	var all []store.Object
	for key, o := range m.objects {
		if key.tenant == tenant {
			all = append(all, o)
		}
	}
	slices.SortFunc(all, func(a, b store.Object) int {
		return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.ID, a.ID))
	})
	return pageOf(all, after, limit, func(o store.Object) string { return o.ID })
}

// pageOf returns what is behind the item with the name, if it has one.
func pageOf[T any](all []T, after string, limit int, name func(T) string) ([]T, error) {
	if after != "" {
		i := slices.IndexFunc(all, func(item T) bool { return name(item) == after })
		if i < 0 {
			return nil, plimsoll.ErrNotFound
		}
		all = all[i+1:]
	}
	return all[:min(limit, len(all))], nil
}

func (m *memory) Delete(ctx context.Context, tenant store.TenantID, ids []string) (int, error) {
	if err := m.begin(ctx, "Delete"); err != nil {
		return 0, err
	}
	defer m.mu.Unlock()
	n := 0
	for _, id := range ids {
		n += m.remove(of[string]{tenant, id})
	}
	return n, nil
}

func (m *memory) remove(key of[string]) int {
	if _, ok := m.objects[key]; !ok {
		return 0
	}
	delete(m.objects, key)
	delete(m.extents, key)
	return 1
}

func (m *memory) Tenants(ctx context.Context) ([]store.TenantID, error) {
	if err := m.begin(ctx, "Tenants"); err != nil {
		return nil, err
	}
	defer m.mu.Unlock()
	found := map[store.TenantID]bool{}
	for key := range m.objects {
		found[key.tenant] = true
	}
	for key := range m.accounts {
		found[key.tenant] = true
	}
	return slices.SortedFunc(maps.Keys(found), func(a, b store.TenantID) int { return bytes.Compare(a[:], b[:]) }), nil
}

func (m *memory) Check(ctx context.Context) ([]string, error) { return nil, ctx.Err() }
func (m *memory) Close() error                                { return nil }
