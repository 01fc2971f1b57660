package storetest

import (
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/store"
)

func reading() []test {
	return []test{
		{"what is not there is not found", notThere},
		{"extents begin with the one that holds a byte", extentsByOffset},
		{"extents begin with the one before a line", extentsByLine},
		{"lines longer than a chunk are found", longLines},
		{"chunks are looked up in the order of asking", askingOrder},
	}
}

func notThere(k *kit) {
	k.put(alice, "one", k.now, chunk(1, 10))
	ctx, zero := k.Context(), chunk(9, 1)
	_, err := k.Object(ctx, alice, "two")
	k.is("object", err, plimsoll.ErrNotFound)
	_, err = k.ExtentsAt(ctx, alice, "two", 0, 1)
	k.is("extents", err, plimsoll.ErrNotFound)
	_, err = k.ExtentsAtLine(ctx, alice, "two", 0, 1)
	k.is("extents by line", err, plimsoll.ErrNotFound)
	_, err = k.Chunk(ctx, alice, zero.ID)
	k.is("chunk", err, plimsoll.ErrNotFound)
	_, err = k.Objects(ctx, alice, "two", 1)
	k.is("objects", err, plimsoll.ErrNotFound)
	_, err = k.FindDecision(ctx, alice, []plimsoll.Digest{key(1)})
	k.is("decision", err, plimsoll.ErrNotFound)
	_, err = k.FindDecision(ctx, alice, nil)
	k.is("decision of no key", err, plimsoll.ErrNotFound)
	_, err = k.Accounts(ctx, alice, "nobody", 1)
	k.is("accounts", err, plimsoll.ErrNotFound)
	_, err = k.Value(ctx, "nothing")
	k.is("value", err, plimsoll.ErrNotFound)
	there, err := k.HasChunks(ctx, alice, nil)
	k.must(err)
	k.same("chunks", len(there), 0)
}

// fiveChunks writes an object of five chunks of 300 bytes and ten lines.
func (k *kit) fiveChunks(tenant store.TenantID, id string) []store.Extent {
	k.Helper()
	var chunks []store.Chunk
	for i := range 5 {
		chunks = append(chunks, chunk(i, 100))
	}
	o, extents := object(id, k.now, chunks...)
	k.must(k.Write(k.Context(), tenant, chunks, o, extents))
	return extents
}

func extentsByOffset(k *kit) {
	all := k.fiveChunks(alice, "five")
	k.put(alice, "fifth", k.now, chunk(7, 500))
	k.put(alice, "fiv", k.now, chunk(8, 500))
	for _, c := range []struct {
		offset int64
		limit  int
		want   []store.Extent
	}{
		{0, 10, all},
		{0, 2, all[:2]},
		{299, 1, all[:1]},
		{300, 2, all[1:3]},
		{301, 10, all[1:]},
		{1499, 10, all[4:]},
		{1500, 10, nil},
		{1 << 40, 10, nil},
	} {
		got, err := k.ExtentsAt(k.Context(), alice, "five", c.offset, c.limit)
		k.must(err)
		k.same(fmt.Sprintf("offset %d, limit %d", c.offset, c.limit), got, c.want)
	}
}

func extentsByLine(k *kit) {
	all := k.fiveChunks(alice, "five")
	k.put(alice, "four", k.now, chunk(7, 500))
	for _, c := range []struct {
		line  int64
		limit int
		want  []store.Extent
	}{
		{0, 10, all},
		{0, 1, all[:1]},
		{1, 10, all},
		{9, 10, all},
		// Line 10 begins behind the tenth line end, the last one of the first chunk.
		{10, 2, all[:2]},
		{11, 10, all[1:]},
		{25, 2, all[2:4]},
		{50, 10, all[4:]},
		{1 << 40, 10, all[4:]},
	} {
		got, err := k.ExtentsAtLine(k.Context(), alice, "five", c.line, c.limit)
		k.must(err)
		k.same(fmt.Sprintf("line %d, limit %d", c.line, c.limit), got, c.want)
	}
}

// longLines has one line that begins in the first chunk and ends in the last.
func longLines(k *kit) {
	chunks := []store.Chunk{chunk(1, 100), chunk(2, 100), chunk(3, 100), chunk(4, 100)}
	o, extents := object("long", k.now, chunks...)
	for i, e := range [...]struct {
		line  int64
		lines int
	}{{0, 5}, {5, 0}, {5, 0}, {5, 3}} {
		extents[i].Line, extents[i].Lines = e.line, e.lines
	}
	o.Lines = 8
	k.must(k.Write(k.Context(), alice, chunks, o, extents))
	for line, want := range map[int64][]store.Extent{0: extents, 5: extents, 6: extents[3:], 8: extents[3:]} {
		got, err := k.ExtentsAtLine(k.Context(), alice, "long", line, 10)
		k.must(err)
		k.same(fmt.Sprint("line ", line), got, want)
	}
}

func askingOrder(k *kit) {
	var asked []store.ChunkID
	var want []bool
	for i := range 50 {
		c := chunk(i, 10)
		if i%3 == 0 {
			k.must(k.Write(k.Context(), alice, []store.Chunk{c}, nil, nil))
		}
		asked, want = append(asked, c.ID, c.ID), append(want, i%3 == 0, i%3 == 0)
	}
	got, err := k.HasChunks(k.Context(), alice, asked)
	k.must(err)
	k.same("there", got, want)
}

func listing() []test {
	return []test{
		{"objects are listed newest first and page by page", pages},
		{"objects of one instant are all listed", oneInstant},
		{"touching marks as used and never goes back", touching},
		{"deleting counts what was there", deleting},
		{"tenants are those with objects or accounts", tenants},
	}
}

func pages(k *kit) {
	for i := range 7 {
		k.put(alice, fmt.Sprint("o", i), k.now.Add(time.Duration(i%4)*time.Minute+time.Duration(i)*time.Second))
	}
	k.put(bob, "other", k.now.Add(2*time.Minute))
	want := []string{"o3", "o6", "o2", "o5", "o1", "o4", "o0"}
	for limit := 1; limit <= 8; limit++ {
		var got []string
		for after := ""; ; {
			page, err := k.Objects(k.Context(), alice, after, limit)
			k.must(err)
			if len(page) > limit {
				k.Fatalf("got %d objects, want at most %d", len(page), limit)
			}
			if len(page) == 0 {
				break
			}
			got = append(got, ids(page)...)
			after = page[len(page)-1].ID
		}
		k.same(fmt.Sprint("pages of ", limit), got, want)
	}
}

func oneInstant(k *kit) {
	var want []string
	for i := range 10 {
		id := fmt.Sprint("o", i)
		k.put(alice, id, k.now)
		want = append(want, id)
	}
	var got []string
	for after := ""; ; {
		page, err := k.Objects(k.Context(), alice, after, 3)
		k.must(err)
		if len(page) == 0 {
			break
		}
		got = append(got, ids(page)...)
		after = page[len(page)-1].ID
	}
	k.same("objects", sorted(got), want)
}

func touching(k *kit) {
	want := k.put(alice, "one", k.now)
	k.put(alice, "two", k.now)
	later := k.now.Add(time.Second)
	k.must(k.Touch(k.Context(), alice, []string{"one", "nobody"}, later))
	k.must(k.Touch(k.Context(), alice, []string{"one"}, k.now))
	k.must(k.Touch(k.Context(), alice, nil, later))
	want.Used = later
	got, err := k.Object(k.Context(), alice, "one")
	k.must(err)
	k.same("object", got, want)
	other, err := k.Object(k.Context(), alice, "two")
	k.must(err)
	k.same("the other's time of use", other.Used, k.now)
}

func deleting(k *kit) {
	one, two := chunk(1, 10), chunk(2, 10)
	k.put(alice, "one", k.now, one, two)
	k.put(alice, "two", k.now, two)
	k.put(alice, "three", k.now)
	n, err := k.Delete(k.Context(), alice, []string{"one", "nobody", "three", "one"})
	k.must(err)
	k.same("deleted", n, 2)
	_, err = k.Object(k.Context(), alice, "one")
	k.is("object", err, plimsoll.ErrNotFound)
	_, err = k.ExtentsAt(k.Context(), alice, "one", 0, 1)
	k.is("extents", err, plimsoll.ErrNotFound)
	there, err := k.HasChunks(k.Context(), alice, chunkIDs(one, two))
	k.must(err)
	k.same("chunks stay", there, []bool{true, true})
	left, err := k.Objects(k.Context(), alice, "", 10)
	k.must(err)
	k.same("left", ids(left), []string{"two"})

	k.put(alice, "one", k.now, one)
	all, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	k.same("extents of what was written again", len(all), 1)
	k.sound()
}

func tenants(k *kit) {
	got, err := k.Tenants(k.Context())
	k.must(err)
	k.same("tenants of an empty store", len(got), 0)
	carol := store.TenantID{'c'}
	k.put(alice, "one", k.now)
	k.put(alice, "two", k.now)
	k.put(bob, "one", k.now)
	k.put(bob, "two", k.now)
	k.must(k.Write(k.Context(), carol, []store.Chunk{chunk(1, 10)}, nil, nil))
	_, err = k.Delete(k.Context(), bob, []string{"one", "two"})
	k.must(err)
	got, err = k.Tenants(k.Context())
	k.must(err)
	k.same("tenants", got, []store.TenantID{alice})
	k.must(k.AddAccount(k.Context(), carol, account.Account{Conversation: "one", First: k.now, Last: k.now}))
	got, err = k.Tenants(k.Context())
	k.must(err)
	k.same("tenants with objects or accounts", got, []store.TenantID{alice, carol})
}
