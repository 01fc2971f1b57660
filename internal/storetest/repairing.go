package storetest

import (
	"time"

	"github.com/plimsoll/plimsoll/store"
)

func repairing() []test {
	return []test{
		{"a chunk that is marked as damaged is replaced by the next write", damagedChunk},
		{"an object that is marked as damaged is replaced by the next write", damagedObject},
		{"a mark is for one tenant, and passes over what is not there", markSpares},
		{"what was damaged and replaced can be deleted", repairedIsDeleted},
	}
}

func (k *kit) mark(tenant store.TenantID, id string, chunks ...store.Chunk) {
	k.Helper()
	k.must(k.MarkDamaged(k.Context(), tenant, id, chunkIDs(chunks...)))
}

func damagedChunk(k *kit) {
	first, beside := chunk(1, 10), chunk(2, 20)
	second := store.Chunk{ID: first.ID, Data: []byte("something longer than it was"), Size: 77}
	k.must(k.Write(k.Context(), alice, []store.Chunk{first, beside}, nil, nil))
	k.mark(alice, "", first)
	if k.has(alice, first) || !k.has(alice, beside) {
		k.Error("want the marked chunk to be missing, and no other")
	}
	k.must(k.Write(k.Context(), alice, []store.Chunk{second, beside}, nil, nil))
	if !k.has(alice, first) {
		k.Error("the chunk is missing after it was written again")
	}
	for range 2 {
		got, err := k.Chunk(k.Context(), alice, first.ID)
		k.must(err)
		k.same("chunk", got, second)
		// It is not marked any more, and stays.
		k.must(k.Write(k.Context(), alice, []store.Chunk{first}, nil, nil))
	}
	stats, err := k.Stats(k.Context(), &alice)
	k.must(err)
	k.same("stats", stats, store.Stats{Chunks: 2, Compressed: int64(len(second.Data)) + 20})
	k.sound()
}

func damagedObject(k *kit) {
	one, two := chunk(1, 10), chunk(2, 20)
	want := k.put(alice, "one", k.now.Add(-time.Hour), one)
	k.put(alice, "two", k.now, one)
	k.mark(alice, "one")
	got, err := k.Object(k.Context(), alice, "one")
	k.must(err)
	want.Damaged = true
	k.same("marked object", got, want)

	again, extents := object("one", k.now, two, one)
	again.Note = "another"
	k.must(k.Write(k.Context(), alice, []store.Chunk{two}, again, extents))
	again.Note, again.Created = want.Note, want.Created
	got, err = k.Object(k.Context(), alice, "one")
	k.must(err)
	k.same("object", got, *again)
	all, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	k.same("extents", all, extents)
	other, err := k.Object(k.Context(), alice, "two")
	k.must(err)
	k.same("the other one is damaged", other.Damaged, false)
	stats, err := k.Stats(k.Context(), &alice)
	k.must(err)
	k.same("stats", stats, store.Stats{Objects: 2, Chunks: 2, Bytes: again.Stored + other.Stored, Compressed: 30})
	k.sound()
}

func markSpares(k *kit) {
	one := chunk(1, 10)
	k.put(alice, "one", k.now, one)
	k.put(bob, "one", k.now, one)
	k.mark(bob, "none", chunk(7, 10))
	k.mark(bob, "one", one)
	if !k.has(alice, one) || k.has(bob, one) {
		k.Error("want the chunk to be missing for the one tenant and not for the other")
	}
	for tenant, want := range map[store.TenantID]bool{alice: false, bob: true} {
		o, err := k.Object(k.Context(), tenant, "one")
		k.must(err)
		k.same("damaged", o.Damaged, want)
	}
	// What is marked can still be read, and named by objects.
	got, err := k.Chunk(k.Context(), bob, one.ID)
	k.must(err)
	k.same("chunk", got, one)
	k.put(bob, "two", k.now, one)
	k.sound()
}

func repairedIsDeleted(k *kit) {
	one, two := chunk(1, 10), chunk(2, 20)
	k.put(alice, "one", k.now, one)
	k.mark(alice, "one", one)
	k.put(alice, "one", k.now, two)
	future := k.now.Add(time.Hour)
	k.same("not named any more", k.sweep(future), store.Swept{Chunks: 1, Bytes: 10})
	k.mark(alice, "one", two)
	_, err := k.Delete(k.Context(), alice, []string{"one"})
	k.must(err)
	k.same("swept", k.sweep(future), store.Swept{Chunks: 1, Bytes: 20})
	stats, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("stats", stats, store.Stats{})
	k.sound()
}
