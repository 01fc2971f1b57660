package storetest

import (
	"bytes"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

func writing() []test {
	return []test{
		{"the secret stays the same", secretStays},
		{"what was written is read", writtenIsRead},
		{"an object may have no chunks", emptyObject},
		{"chunks may come before their object", chunksFirst},
		{"a chunk that is there stays as it is", chunkStays},
		{"an object may name a chunk more than once", chunkTwice},
		{"an object that is there stays as it is and counts as used", objectStays},
		{"an extent without its chunk undoes the whole write", missingChunk},
		{"a tenant cannot name the chunks of another", foreignChunk},
		{"hundreds of extents are written at once", manyExtents},
		{"a large chunk comes back whole", largeChunk},
		{"a tenant sees nothing of another", isolation},
	}
}

func secretStays(k *kit) {
	first, err := k.Secret(k.Context())
	k.must(err)
	again, err := k.Secret(k.Context())
	k.must(err)
	if first != again || first == [32]byte{} {
		k.Errorf("got %x, then %x", first, again)
	}
}

func writtenIsRead(k *kit) {
	one, two := chunk(1, 100), chunk(2, 5000)
	o, extents := object("one", k.now, one, two)
	k.must(k.Write(k.Context(), alice, []store.Chunk{one, two}, o, extents))

	got, err := k.Object(k.Context(), alice, "one")
	k.must(err)
	k.same("object", got, *o)
	all, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	k.same("extents", all, extents)
	for _, want := range []store.Chunk{one, two} {
		c, err := k.Chunk(k.Context(), alice, want.ID)
		k.must(err)
		k.same("chunk", c, want)
	}
	k.sound()
}

func emptyObject(k *kit) {
	want := k.put(alice, "empty", k.now)
	got, err := k.Object(k.Context(), alice, "empty")
	k.must(err)
	k.same("object", got, want)
	for _, at := range []int64{0, 1} {
		extents, err := k.ExtentsAt(k.Context(), alice, "empty", at, 10)
		k.must(err)
		k.same("extents", extents, []store.Extent(nil))
		extents, err = k.ExtentsAtLine(k.Context(), alice, "empty", at, 10)
		k.must(err)
		k.same("extents by line", extents, []store.Extent(nil))
	}
}

func chunksFirst(k *kit) {
	one, two, three := chunk(1, 10), chunk(2, 10), chunk(3, 10)
	k.must(k.Write(k.Context(), alice, []store.Chunk{one}, nil, nil))
	k.must(k.Write(k.Context(), alice, []store.Chunk{two}, nil, nil))
	there, err := k.HasChunks(k.Context(), alice, chunkIDs(two, three, one))
	k.must(err)
	k.same("there", there, []bool{true, false, true})

	o, extents := object("one", k.now, one, two)
	k.must(k.Write(k.Context(), alice, nil, o, extents))
	got, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	k.same("extents", got, extents)
	k.sound()
}

func chunkStays(k *kit) {
	first := chunk(1, 10)
	other := store.Chunk{ID: first.ID, Data: []byte("something else"), Size: 77}
	k.must(k.Write(k.Context(), alice, []store.Chunk{first, other}, nil, nil))
	k.must(k.Write(k.Context(), alice, []store.Chunk{other}, nil, nil))
	got, err := k.Chunk(k.Context(), alice, first.ID)
	k.must(err)
	k.same("chunk", got, first)
	stats, err := k.Stats(k.Context(), &alice)
	k.must(err)
	k.same("stats", stats, store.Stats{Chunks: 1, Compressed: 10})
}

func chunkTwice(k *kit) {
	one := chunk(1, 10)
	o, extents := object("one", k.now, one, one, one)
	k.must(k.Write(k.Context(), alice, []store.Chunk{one}, o, extents))
	got, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	k.same("extents", got, extents)
	_, err = k.Delete(k.Context(), alice, []string{"one"})
	k.must(err)
	swept, err := k.Sweep(k.Context(), k.now.Add(time.Hour))
	k.must(err)
	k.same("swept", swept, store.Swept{Chunks: 1, Bytes: 10})
	k.sound()
}

func objectStays(k *kit) {
	one, two := chunk(1, 10), chunk(2, 10)
	want := k.put(alice, "one", k.now.Add(-2*time.Hour), one)

	again, extents := object("one", k.now, two)
	again.Note, again.Kind = "another", store.KindSpan
	k.must(k.Write(k.Context(), alice, []store.Chunk{two}, again, extents))
	want.Used = k.now
	got, err := k.Object(k.Context(), alice, "one")
	k.must(err)
	k.same("object", got, want)
	all, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	_, extents = object("one", k.now, one)
	k.same("extents", all, extents)

	late, extents := object("one", k.now.Add(-time.Hour), one)
	k.must(k.Write(k.Context(), alice, nil, late, extents))
	got, err = k.Object(k.Context(), alice, "one")
	k.must(err)
	k.same("object after a late write", got, want)
	k.sound()
}

func missingChunk(k *kit) {
	one, two, three := chunk(1, 10), chunk(2, 10), chunk(3, 10)
	o, extents := object("one", k.now, one, two, three)
	err := k.Write(k.Context(), alice, []store.Chunk{one, three}, o, extents)
	k.is("write", err, store.ErrMissingChunk)
	there, err := k.HasChunks(k.Context(), alice, chunkIDs(one, two, three))
	k.must(err)
	k.same("there", there, []bool{false, false, false})
	_, err = k.Object(k.Context(), alice, "one")
	k.is("object", err, plimsoll.ErrNotFound)
	_, err = k.ExtentsAt(k.Context(), alice, "one", 0, 1)
	k.is("extents", err, plimsoll.ErrNotFound)
	stats, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("stats", stats, store.Stats{})

	k.must(k.Write(k.Context(), alice, []store.Chunk{one, two, three}, o, extents))
	k.sound()
}

func foreignChunk(k *kit) {
	one := chunk(1, 10)
	k.put(alice, "one", k.now, one)
	o, extents := object("one", k.now, one)
	k.is("write", k.Write(k.Context(), bob, nil, o, extents), store.ErrMissingChunk)
}

func manyExtents(k *kit) {
	const n = 300
	chunks := make([]store.Chunk, n)
	for i := range chunks {
		chunks[i] = chunk(i, 20)
	}
	o, extents := object("many", k.now, chunks...)
	k.must(k.Write(k.Context(), alice, chunks, o, extents))
	got, err := k.ExtentsAt(k.Context(), alice, "many", 0, 2*n)
	k.must(err)
	k.same("extents", got, extents)
	there, err := k.HasChunks(k.Context(), alice, chunkIDs(chunks...))
	k.must(err)
	for i, is := range there {
		if !is {
			k.Fatalf("chunk %d is not there", i)
		}
	}
}

func largeChunk(k *kit) {
	large := chunk(1, 3<<20)
	k.must(k.Write(k.Context(), alice, []store.Chunk{large}, nil, nil))
	got, err := k.Chunk(k.Context(), alice, large.ID)
	k.must(err)
	if !bytes.Equal(got.Data, large.Data) || got.Size != large.Size {
		k.Error("the chunk is not what was written")
	}
}

func isolation(k *kit) {
	one := chunk(1, 10)
	k.put(alice, "one", k.now, one)
	k.decide(alice, 1, k.now, "one")
	k.must(k.AddAccount(k.Context(), alice, account.Account{Conversation: "c", Requests: 1, First: k.now, Last: k.now}))
	ctx := k.Context()

	if k.has(bob, one) {
		k.Error("another tenant's chunk is there")
	}
	_, err := k.Object(ctx, bob, "one")
	k.is("object", err, plimsoll.ErrNotFound)
	_, err = k.ExtentsAt(ctx, bob, "one", 0, 1)
	k.is("extents", err, plimsoll.ErrNotFound)
	_, err = k.ExtentsAtLine(ctx, bob, "one", 0, 1)
	k.is("extents by line", err, plimsoll.ErrNotFound)
	_, err = k.Chunk(ctx, bob, one.ID)
	k.is("chunk", err, plimsoll.ErrNotFound)
	_, err = k.Objects(ctx, bob, "one", 10)
	k.is("objects behind one", err, plimsoll.ErrNotFound)
	_, err = k.FindDecision(ctx, bob, []plimsoll.Digest{key(1)})
	k.is("decision", err, plimsoll.ErrNotFound)
	k.must(k.Touch(ctx, bob, []string{"one"}, k.now.Add(time.Hour)))
	for what, count := range map[string]func() (int, error){
		"deleted":           func() (int, error) { return k.Delete(ctx, bob, []string{"one"}) },
		"deleted decisions": func() (int, error) { return k.DeleteDecisions(ctx, bob, []plimsoll.Digest{key(1)}) },
		"objects":           func() (int, error) { all, err := k.Objects(ctx, bob, "", 10); return len(all), err },
		"accounts":          func() (int, error) { all, err := k.Accounts(ctx, bob, "", 10); return len(all), err },
	} {
		n, err := count()
		k.must(err)
		k.same(what, n, 0)
	}
	stats, err := k.Stats(ctx, &bob)
	k.must(err)
	k.same("stats", stats, store.Stats{})

	got, err := k.Object(ctx, alice, "one")
	k.must(err)
	k.same("used", got.Used, k.now)
	k.sameNameTwice()
}

// sameNameTwice shows that two tenants may use one name for different things.
func (k *kit) sameNameTwice() {
	k.Helper()
	one := chunk(1, 10)
	other := store.Chunk{ID: one.ID, Data: []byte("bob's"), Size: 5}
	k.put(bob, "one", k.now, other)
	for tenant, want := range map[store.TenantID]store.Chunk{alice: one, bob: other} {
		got, err := k.Chunk(k.Context(), tenant, one.ID)
		k.must(err)
		k.same("chunk", got, want)
	}
	n, err := k.Delete(k.Context(), bob, []string{"one"})
	k.must(err)
	k.same("deleted", n, 1)
	_, err = k.Object(k.Context(), alice, "one")
	k.must(err)
	k.sound()
}
