package storetest

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
)

func contexts() []test {
	return []test{
		{"a context that has ended gives its error", endedContext},
		{"a write whose context ends is whole or not there", endingContext},
	}
}

func endedContext(k *kit) {
	k.put(alice, "one", k.now, chunk(1, 10))
	k.decide(alice, 1, k.now.Add(-time.Hour), "one")
	ctx, cancel := context.WithCancel(k.Context())
	cancel()
	o, extents := object("two", k.now, chunk(2, 10))
	at, keys, refs, one := k.now, []plimsoll.Digest{key(1)}, []string{"one"}, chunk(1, 10).ID
	for what, call := range map[string]func() error{
		"Secret":        func() error { _, err := k.Secret(ctx); return err },
		"Write":         func() error { return k.Write(ctx, alice, []store.Chunk{chunk(2, 10)}, o, extents) },
		"HasChunks":     func() error { _, err := k.HasChunks(ctx, alice, []store.ChunkID{one}); return err },
		"Object":        func() error { _, err := k.Object(ctx, alice, "one"); return err },
		"ExtentsAt":     func() error { _, err := k.ExtentsAt(ctx, alice, "one", 0, 1); return err },
		"ExtentsAtLine": func() error { _, err := k.ExtentsAtLine(ctx, alice, "one", 0, 1); return err },
		"Chunk":         func() error { _, err := k.Chunk(ctx, alice, one); return err },
		"Touch":         func() error { return k.Touch(ctx, alice, refs, at.Add(time.Hour)) },
		"Objects":       func() error { _, err := k.Objects(ctx, alice, "", 1); return err },
		"Delete":        func() error { _, err := k.Delete(ctx, alice, refs); return err },
		"Tenants":       func() error { _, err := k.Tenants(ctx); return err },
		"PutDecision":   func() error { return k.PutDecision(ctx, alice, store.Decision{Key: key(2)}) },
		"FindDecision":  func() error { _, err := k.FindDecision(ctx, alice, keys); return err },
		"DeleteDecisions": func() error {
			_, err := k.DeleteDecisions(ctx, alice, keys)
			return err
		},
		"AddAccount":       func() error { return k.AddAccount(ctx, alice, accountOf("c", "m", 1, at, at)) },
		"Accounts":         func() error { _, err := k.Accounts(ctx, alice, "", 1); return err },
		"PutValue":         func() error { return k.PutValue(ctx, "v", nil) },
		"Value":            func() error { _, err := k.Value(ctx, "v"); return err },
		"Lease":            func() error { _, err := k.Lease(ctx, "l", "h", time.Hour); return err },
		"Release":          func() error { return k.Release(ctx, "l", "h") },
		"Expired":          func() error { _, err := k.Expired(ctx, at, 1); return err },
		"Oldest":           func() error { _, err := k.Oldest(ctx, 1); return err },
		"Unreferenced":     func() error { _, err := k.Unreferenced(ctx, at, 1); return err },
		"Evict":            func() error { _, err := k.Evict(ctx, []store.Owned{{Tenant: alice, Object: *o}}); return err },
		"ExpiredDecisions": func() error { _, err := k.ExpiredDecisions(ctx, at); return err },
		"ExpireDecisions":  func() error { _, err := k.ExpireDecisions(ctx, at); return err },
		"Sweep":            func() error { _, err := k.Sweep(ctx, at.Add(time.Hour)); return err },
		"Stats":            func() error { _, err := k.Stats(ctx, nil); return err },
		"Check":            func() error { _, err := k.Check(ctx); return err },
	} {
		k.is(what, call(), context.Canceled)
	}
	got, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("stats", got, store.Stats{Objects: 1, Chunks: 1, Decisions: 1, Bytes: 30, Compressed: 10})
	k.sound()
}

// endingContext ends contexts at many moments of a write.
func endingContext(k *kit) {
	var chunks []store.Chunk
	for i := range 60 {
		chunks = append(chunks, chunk(i, 2000))
	}
	for i := range 20 {
		id := fmt.Sprint("o", i)
		ctx, cancel := context.WithTimeout(k.Context(), time.Duration(i)*200*time.Microsecond)
		o, extents := object(id, k.now, chunks...)
		err := k.Write(ctx, alice, chunks, o, extents)
		cancel()
		if err != nil {
			k.is("write", err, context.DeadlineExceeded)
		}
		got, readErr := k.ExtentsAt(k.Context(), alice, id, 0, 100)
		switch {
		case readErr == nil:
			k.same("extents", got, extents)
		case err == nil:
			k.Errorf("%s was written and is not there: %v", id, readErr)
		default:
			k.is("extents", readErr, plimsoll.ErrNotFound)
		}
		_, err = k.Delete(k.Context(), alice, []string{id})
		k.must(err)
		k.sweep(k.now.Add(time.Hour))
	}
	k.sound()
}

func sharing() []test {
	return []test{
		{"one object is written by many at once", writtenByMany},
		{"readers see objects whole or not at all", wholeOrNothing},
		{"everything can be used at once", everythingAtOnce},
	}
}

func writtenByMany(k *kit) {
	chunks := []store.Chunk{chunk(1, 100), chunk(2, 100)}
	o, extents := object("one", k.now, chunks...)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := k.Write(k.Context(), alice, chunks, o, extents); err != nil {
				k.Error(err)
			}
		})
	}
	wg.Wait()
	got, err := k.ExtentsAt(k.Context(), alice, "one", 0, 10)
	k.must(err)
	k.same("extents", got, extents)
	stats, err := k.Stats(k.Context(), nil)
	k.must(err)
	k.same("stats", stats, store.Stats{Objects: 1, Chunks: 2, Bytes: 600, Compressed: 200})
	k.sound()
}

func wholeOrNothing(k *kit) {
	const n = 30
	var writer, readers sync.WaitGroup
	done := make(chan struct{})
	chunks := []store.Chunk{chunk(1, 100), chunk(2, 100), chunk(3, 100)}
	writer.Go(func() {
		defer close(done)
		for i := range n {
			o, extents := object(fmt.Sprint("o", i), k.now.Add(time.Duration(i)*time.Second), chunks...)
			if err := k.Write(k.Context(), alice, chunks, o, extents); err != nil {
				k.Error(err)
			}
		}
	})
	for range 3 {
		readers.Go(func() {
			for ended := false; !ended; {
				select {
				case <-done:
					ended = true
				default:
				}
				objects, err := k.Objects(k.Context(), alice, "", 2)
				if err != nil {
					k.Error(err)
				}
				for _, o := range objects {
					if got, err := k.ExtentsAt(k.Context(), alice, o.ID, 0, 10); err != nil || len(got) != len(chunks) {
						k.Errorf("%s has %d extents, want %d; error %v", o.ID, len(got), len(chunks), err)
					}
				}
			}
		})
	}
	writer.Wait()
	readers.Wait()
}

func everythingAtOnce(k *kit) {
	ctx := k.Context()
	var wg sync.WaitGroup
	for w := range 4 {
		tenant := []store.TenantID{alice, bob}[w%2]
		wg.Go(func() {
			for i := range 12 {
				if err := k.mixed(ctx, tenant, w, i); err != nil {
					k.Errorf("worker %d, step %d: %v", w, i, err)
				}
			}
		})
	}
	wg.Wait()
	k.sound()
}

// mixed does a bit of everything.
func (k *kit) mixed(ctx context.Context, tenant store.TenantID, w, i int) error {
	id := fmt.Sprintf("w%d-%d", w, i)
	chunks := []store.Chunk{chunk(w*1000+i, 300), chunk(i, 300)}
	o, extents := object(id, k.now, chunks...)
	return firstError(
		func() error { return k.Write(ctx, tenant, chunks, o, extents) },
		func() error { _, err := k.ExtentsAtLine(ctx, tenant, id, 3, 2); return err },
		func() error { _, err := k.Chunk(ctx, tenant, chunks[0].ID); return err },
		func() error {
			d := store.Decision{Key: key(i), Body: []byte(id), Refs: []string{id}, Created: k.now, Used: k.now}
			return k.PutDecision(ctx, tenant, d)
		},
		func() error { _, err := k.FindDecision(ctx, tenant, []plimsoll.Digest{key(i)}); return err },
		func() error { return k.AddAccount(ctx, tenant, accountOf(fmt.Sprint(i%3), "m", 1, k.now, k.now)) },
		func() error { return k.Touch(ctx, tenant, []string{id}, k.now.Add(time.Hour)) },
		func() error { _, err := k.Oldest(ctx, 5); return err },
		func() error { _, err := k.Stats(ctx, nil); return err },
		func() error { _, err := k.Lease(ctx, fmt.Sprint(i%2), id, time.Hour); return err },
		func() error { return k.Release(ctx, fmt.Sprint(i%2), id) },
		func() error { return k.PutValue(ctx, fmt.Sprint(i%2), []byte(id)) },
		func() error {
			if i%2 == 0 {
				return nil
			}
			_, err := k.Delete(ctx, tenant, []string{id})
			return err
		},
	)
}

func firstError(calls ...func() error) error {
	for i, call := range calls {
		if err := call(); err != nil {
			return fmt.Errorf("call %d: %w", i, err)
		}
	}
	return nil
}
