package storetest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

// laws holds the backend against a model of it in memory.
func laws() []test {
	return []test{{"it behaves like its model", followsModel}}
}

// named is something of a tenant.
type named[ID comparable] struct {
	tenant store.TenantID
	id     ID
}

// model says what a backend must hold, in the plainest way.
type model struct {
	objects   map[named[string]]store.Object
	extents   map[named[string]][]store.Extent
	chunks    map[named[store.ChunkID]]store.Chunk
	decisions map[named[plimsoll.Digest]]store.Decision
}

// followsModel does the same random things to the backend and to its model, an hour
// apart from each other, and compares everything after each.
func followsModel(k *kit) {
	const steps = 100
	m := &model{
		objects:   map[named[string]]store.Object{},
		extents:   map[named[string]][]store.Extent{},
		chunks:    map[named[store.ChunkID]]store.Chunk{},
		decisions: map[named[plimsoll.Digest]]store.Decision{},
	}
	random := rand.New(rand.NewPCG(1, 2))
	at := k.now.Add(-2 * steps * time.Hour)
	for step := range steps {
		at = at.Add(time.Hour)
		what := m.step(k, random, at)
		m.compare(k, random, at)
		if k.Failed() {
			k.Fatalf("step %d: %s", step, what)
		}
	}
	k.sound()
}

// step does one thing to both and returns what.
func (m *model) step(k *kit, random *rand.Rand, at time.Time) string {
	tenant := []store.TenantID{alice, bob}[random.IntN(2)]
	id := named[string]{tenant, fmt.Sprint("o", random.IntN(12))}
	switch random.IntN(10) {
	case 0, 1, 2, 3:
		m.write(k, random, id, at)
		return "write " + id.id
	case 4:
		m.remove(k, id)
		return "delete " + id.id
	case 5:
		k.must(k.Touch(k.Context(), tenant, []string{id.id}, at))
		if o, ok := m.objects[id]; ok {
			o.Used = at
			m.objects[id] = o
		}
		return "touch " + id.id
	case 6, 7:
		m.decide(k, random, tenant, at)
		return "decide"
	case 8:
		m.forget(k, random, tenant, at)
		return "forget decisions"
	default:
		m.sweep(k)
		return "sweep"
	}
}

// write sends some of the chunks that an object needs.
func (m *model) write(k *kit, random *rand.Rand, id named[string], at time.Time) {
	k.Helper()
	var chunks, sent []store.Chunk
	for range random.IntN(4) {
		c := chunk(random.IntN(10), 50)
		chunks = append(chunks, c)
		if random.IntN(3) > 0 {
			sent = append(sent, c)
		}
	}
	missing := slices.ContainsFunc(chunks, func(c store.Chunk) bool {
		_, there := m.chunks[named[store.ChunkID]{id.tenant, c.ID}]
		return !there && !slices.ContainsFunc(sent, func(s store.Chunk) bool { return s.ID == c.ID })
	})
	o, extents := object(id.id, at, chunks...)
	old, there := m.objects[id]
	if missing && there {
		return // Whether that fails is the backend's choice.
	}
	err := k.Write(k.Context(), id.tenant, sent, o, extents)
	if missing {
		k.is("write", err, store.ErrMissingChunk)
		return
	}
	k.must(err)
	for _, c := range sent {
		m.chunks[named[store.ChunkID]{id.tenant, c.ID}] = c
	}
	if there {
		old.Used = at
		m.objects[id] = old
		return
	}
	m.objects[id], m.extents[id] = *o, extents
}

func (m *model) remove(k *kit, id named[string]) {
	k.Helper()
	n, err := k.Delete(k.Context(), id.tenant, []string{id.id})
	k.must(err)
	want := 0
	if _, ok := m.objects[id]; ok {
		want = 1
	}
	k.same("deleted", n, want)
	delete(m.objects, id)
	delete(m.extents, id)
}

func (m *model) decide(k *kit, random *rand.Rand, tenant store.TenantID, at time.Time) {
	k.Helper()
	n := random.IntN(8)
	var refs []string
	for range random.IntN(5) {
		refs = append(refs, fmt.Sprint("o", random.IntN(12)))
	}
	m.decisions[named[plimsoll.Digest]{tenant, key(n)}] = k.decide(tenant, n, at, refs...)
}

// forget finds one decision, which makes it new, then deletes one or the oldest.
func (m *model) forget(k *kit, random *rand.Rand, tenant store.TenantID, at time.Time) {
	k.Helper()
	found := named[plimsoll.Digest]{tenant, key(random.IntN(8))}
	_, err := k.FindDecision(k.Context(), tenant, []plimsoll.Digest{found.id})
	d, ok := m.decisions[found]
	if ok {
		k.must(err)
		d.Used = k.now
		m.decisions[found] = d
	} else {
		k.is("find", err, plimsoll.ErrNotFound)
	}
	if random.IntN(2) == 0 {
		gone := key(random.IntN(8))
		_, err := k.DeleteDecisions(k.Context(), tenant, []plimsoll.Digest{gone})
		k.must(err)
		delete(m.decisions, named[plimsoll.Digest]{tenant, gone})
		return
	}
	before := at.Add(-20 * time.Hour)
	n, err := k.ExpireDecisions(k.Context(), before)
	k.must(err)
	was := len(m.decisions)
	maps.DeleteFunc(m.decisions, func(_ named[plimsoll.Digest], d store.Decision) bool { return d.Used.Before(before) })
	k.same("expired decisions", n, was-len(m.decisions))
}

func (m *model) sweep(k *kit) {
	k.Helper()
	keep := map[named[store.ChunkID]]bool{}
	for id, extents := range m.extents {
		for _, e := range extents {
			keep[named[store.ChunkID]{id.tenant, e.Chunk}] = true
		}
	}
	var want store.Swept
	maps.DeleteFunc(m.chunks, func(id named[store.ChunkID], c store.Chunk) bool {
		if keep[id] {
			return false
		}
		want.Chunks, want.Bytes = want.Chunks+1, want.Bytes+int64(len(c.Data))
		return true
	})
	k.same("swept", k.sweep(k.now.Add(time.Hour)), want)
}

// compare looks at everything that the backend tells.
func (m *model) compare(k *kit, random *rand.Rand, at time.Time) {
	k.Helper()
	ctx := k.Context()
	before, limit := at.Add(-time.Duration(random.IntN(30))*time.Hour), 1+random.IntN(30)
	lists := map[string]struct {
		got  func() ([]store.Owned, error)
		want []store.Owned
	}{
		"oldest": {func() ([]store.Owned, error) { return k.Oldest(ctx, limit) }, m.oldest()},
		"unreferenced": {func() ([]store.Owned, error) { return k.Unreferenced(ctx, before, limit) }, m.list(func(o store.Owned) bool {
			return o.Object.Used.Before(before) && !m.referred(o, time.Time{})
		})},
		"expired": {func() ([]store.Owned, error) { return k.Expired(ctx, before, limit) }, m.list(func(o store.Owned) bool {
			return o.Object.Used.Before(before) && !m.referred(o, before)
		})},
	}
	for what, list := range lists {
		got, err := list.got()
		k.must(err)
		k.same(what, names(got), names(list.want[:min(limit, len(list.want))]))
	}
	for _, tenant := range []*store.TenantID{nil, &alice, &bob} {
		got, err := k.Stats(ctx, tenant)
		k.must(err)
		k.same("stats", got, m.stats(tenant))
	}
	for id, want := range m.extents {
		got, err := k.ExtentsAt(ctx, id.tenant, id.id, 0, 10)
		k.must(err)
		k.same("extents of "+id.id, got, want)
	}
}

// referred reports whether a decision used at a time or later refers to the object.
func (m *model) referred(o store.Owned, since time.Time) bool {
	for id, d := range m.decisions {
		if id.tenant == o.Tenant && slices.Contains(d.Refs, o.Object.ID) && !d.Used.Before(since) {
			return true
		}
	}
	return false
}

// list returns objects in the order of their use.
func (m *model) list(take func(store.Owned) bool) []store.Owned {
	var all []store.Owned
	for id, o := range m.objects {
		if owned := (store.Owned{Tenant: id.tenant, Object: o}); take(owned) {
			all = append(all, owned)
		}
	}
	slices.SortFunc(all, func(a, b store.Owned) int { return a.Object.Used.Compare(b.Object.Used) })
	return all
}

func (m *model) oldest() []store.Owned {
	all := m.list(func(store.Owned) bool { return true })
	rank := func(o store.Owned) int {
		if m.referred(o, time.Time{}) {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(all, func(a, b store.Owned) int { return cmp.Compare(rank(a), rank(b)) })
	return all
}

func (m *model) stats(tenant *store.TenantID) store.Stats {
	var s store.Stats
	of := func(t store.TenantID) bool { return tenant == nil || *tenant == t }
	for id, o := range m.objects {
		if of(id.tenant) {
			s.Objects, s.Bytes = s.Objects+1, s.Bytes+o.Stored
		}
	}
	for id, c := range m.chunks {
		if of(id.tenant) {
			s.Chunks, s.Compressed = s.Chunks+1, s.Compressed+int64(len(c.Data))
		}
	}
	for id := range m.decisions {
		if of(id.tenant) {
			s.Decisions++
		}
	}
	return s
}
