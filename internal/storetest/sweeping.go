package storetest

import (
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/store"
)

func sweeping() []test {
	return []test{
		{"sweeping deletes what no object names", sweepsOrphans},
		{"sweeping spares what was used of late", sweepSpares},
		{"writing a chunk again counts as use", writingIsUse},
		{"sweeping deletes more chunks than fit in one step", sweepsMany},
		{"sweeping never takes a chunk from an object", sweepBesideWriters},
	}
}

func (k *kit) sweep(before time.Time) store.Swept {
	k.Helper()
	swept, err := k.Sweep(k.Context(), before)
	k.must(err)
	return swept
}

func sweepsOrphans(k *kit) {
	one, two, three := chunk(1, 100), chunk(2, 1000), chunk(3, 10_000)
	k.put(alice, "one", k.now, one, two)
	k.put(alice, "two", k.now, two)
	k.put(bob, "one", k.now, one)
	k.must(k.Write(k.Context(), alice, []store.Chunk{three}, nil, nil))
	future := k.now.Add(time.Hour)
	k.same("never named", k.sweep(future), store.Swept{Chunks: 1, Bytes: 10_000})
	_, err := k.Delete(k.Context(), alice, []string{"one"})
	k.must(err)
	k.same("not named any more", k.sweep(future), store.Swept{Chunks: 1, Bytes: 100})
	k.same("nothing", k.sweep(future), store.Swept{})
	there, err := k.HasChunks(k.Context(), alice, chunkIDs(one, two, three))
	k.must(err)
	k.same("there", there, []bool{false, true, false})
	if !k.has(bob, one) {
		k.Error("another tenant's chunk of the same name was swept")
	}
	k.sound()
}

func sweepSpares(k *kit) {
	one := chunk(1, 100)
	k.must(k.Write(k.Context(), alice, []store.Chunk{one}, nil, nil))
	k.same("in the grace time", k.sweep(k.now.Add(-time.Hour)), store.Swept{})
	if !k.has(alice, one) {
		k.Error("a chunk that was just written is gone")
	}
	k.same("behind the grace time", k.sweep(k.now.Add(time.Hour)), store.Swept{Chunks: 1, Bytes: 100})
}

func writingIsUse(k *kit) {
	one := chunk(1, 100)
	k.put(alice, "one", k.now.Add(-9*time.Hour), one)
	_, err := k.Delete(k.Context(), alice, []string{"one"})
	k.must(err)
	k.must(k.Write(k.Context(), alice, []store.Chunk{one}, nil, nil))
	k.same("swept", k.sweep(k.now.Add(-2*time.Minute)), store.Swept{})
	k.put(alice, "two", k.now, one)
	k.same("swept when named", k.sweep(k.now.Add(time.Hour)), store.Swept{})
	k.sound()
}

func sweepsMany(k *kit) {
	const n = 700
	chunks := make([]store.Chunk, n)
	for i := range chunks {
		chunks[i] = chunk(i, 50)
	}
	k.must(k.Write(k.Context(), alice, chunks, nil, nil))
	k.put(alice, "one", k.now, chunks[n/2])
	k.same("swept", k.sweep(k.now.Add(time.Hour)), store.Swept{Chunks: n - 1, Bytes: 50 * (n - 1)})
	k.same("and again", k.sweep(k.now.Add(time.Hour)), store.Swept{})
	stats, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("chunks", stats.Chunks, int64(1))
	k.sound()
}

// sweepBesideWriters sweeps without any grace while others write as the content
// layer does: they ask what is there, send only the rest, and begin again when
// something went in between.
func sweepBesideWriters(k *kit) {
	const workers, each = 3, 25
	done := make(chan struct{})
	var sweeper, writers sync.WaitGroup
	sweeper.Go(func() {
		for {
			select {
			case <-done:
				return
			default:
				if _, err := k.Sweep(k.Context(), k.now.Add(time.Hour)); err != nil {
					k.Error(err)
					return
				}
			}
		}
	})
	for w := range workers {
		writers.Go(func() {
			for i := range each {
				if err := k.writeShared(fmt.Sprintf("w%d-%d", w, i), i); err != nil {
					k.Error(err)
				}
			}
		})
	}
	writers.Wait()
	close(done)
	sweeper.Wait()
	k.sound()
}

// writeShared writes an object of chunks that all workers use, looks whether all of
// them are there, and deletes the object.
func (k *kit) writeShared(id string, i int) error {
	chunks := []store.Chunk{chunk(i, 200), chunk(i+1, 200), chunk(i+2, 200)}
	o, extents := object(id, k.now, chunks...)
	for {
		there, err := k.HasChunks(k.Context(), alice, chunkIDs(chunks...))
		if err != nil {
			return err
		}
		var send []store.Chunk
		for n, is := range there {
			if !is {
				send = append(send, chunks[n])
			}
		}
		err = k.Write(k.Context(), alice, send, o, extents)
		if err == nil {
			break
		}
		if !errors.Is(err, store.ErrMissingChunk) {
			return err
		}
	}
	for _, c := range chunks {
		if _, err := k.Chunk(k.Context(), alice, c.ID); err != nil {
			return fmt.Errorf("chunk of an object that is there: %w", err)
		}
	}
	_, err := k.Delete(k.Context(), alice, []string{id})
	return err
}

func counting() []test {
	return []test{
		{"stats count by tenant and in all", stats},
		{"an empty store is sound", (*kit).sound},
	}
}

func stats(k *kit) {
	one, two := chunk(1, 100), chunk(2, 1000)
	k.put(alice, "one", k.now, one, two)
	k.put(alice, "two", k.now, one)
	k.put(alice, "three", k.now)
	k.put(bob, "one", k.now, two)
	k.decide(alice, 1, k.now)
	k.decide(alice, 2, k.now)
	k.decide(bob, 1, k.now)
	for what, c := range map[string]struct {
		tenant *store.TenantID
		want   store.Stats
	}{
		"alice":  {&alice, store.Stats{Objects: 3, Chunks: 2, Decisions: 2, Bytes: 3600, Compressed: 1100}},
		"bob":    {&bob, store.Stats{Objects: 1, Chunks: 1, Decisions: 1, Bytes: 3000, Compressed: 1000}},
		"nobody": {&store.TenantID{'n'}, store.Stats{}},
		"all":    {nil, store.Stats{Objects: 4, Chunks: 3, Decisions: 3, Bytes: 6600, Compressed: 2100}},
	} {
		got, err := k.Stats(k.Context(), c.tenant)
		k.must(err)
		k.same(what, got, c.want)
	}
	_, err := k.Delete(k.Context(), alice, []string{"one", "two"})
	k.must(err)
	_, err = k.ExpireDecisions(k.Context(), k.now.Add(time.Hour))
	k.must(err)
	got, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("before the sweep", got, store.Stats{Objects: 2, Chunks: 3, Bytes: 3000, Compressed: 2100})
	k.sweep(k.now.Add(time.Hour))
	got, err = k.Stats(k.Context(), nil)
	k.must(err)
	k.same("after the sweep", got, store.Stats{Objects: 2, Chunks: 1, Bytes: 3000, Compressed: 1000})
}
