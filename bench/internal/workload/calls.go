package workload

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/store"
)

// Tenant is whose outputs they are.
const Tenant = "bench"

const (
	// Bytes is how long an output is of which there are many.
	Bytes    = 1 << 10
	refCalls = 300
	// A collection is of gcObjects, gcRounds times.
	gcObjects = 50
	gcRounds  = 8
)

// Add stores an output and returns its reference.
func Add(ctx context.Context, s *store.Store, output string) (string, error) {
	ref, err := s.Tenant(Tenant).Put(ctx, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output}))
	return ref.ID, err
}

// Clock is what a store takes for the time.
type Clock = func() time.Time

// Calls measures on a clock that can be set back, so that something is old enough to
// be collected.
func Calls(ctx context.Context, open func(Clock) (*store.Store, error), t *Text, ids []string) (storage.Refs, error) {
	var back atomic.Int64
	s, err := open(func() time.Time { return time.Now().Add(-time.Duration(back.Load())) })
	if err != nil {
		return storage.Refs{}, err
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(6, 6))
	var puts, gets, collections []time.Duration
	for range refCalls {
		output, id := t.Output(Bytes), ids[random.IntN(len(ids))]
		if puts, err = timed(puts, func() error { _, err := Add(ctx, s, output); return err }); err != nil {
			return storage.Refs{}, err
		}
		if gets, err = timed(gets, func() error { _, err := s.Tenant(Tenant).Content(ctx, id); return err }); err != nil {
			return storage.Refs{}, err
		}
	}
	for range gcRounds {
		back.Store(int64(60 * 24 * time.Hour))
		for range gcObjects {
			if _, err := Add(ctx, s, t.Output(Bytes)); err != nil {
				return storage.Refs{}, err
			}
		}
		back.Store(0)
		if collections, err = timed(collections, func() error { return collect(ctx, s) }); err != nil {
			return storage.Refs{}, err
		}
	}
	trip := storage.Trip{Put: middle(puts), Get: middle(gets)}
	return storage.Refs{Count: len(ids), Trip: trip, GC: middle(collections) / gcObjects}, nil
}

func collect(ctx context.Context, s *store.Store) error {
	report, err := s.GC(ctx, store.Policy{MaxAge: 30 * 24 * time.Hour}, false)
	if err == nil && (report.Expired.Objects != gcObjects || report.Swept.Chunks != gcObjects) {
		err = fmt.Errorf("collected %d objects and %d chunks, want %d", report.Expired.Objects, report.Swept.Chunks, gcObjects)
	}
	return err
}

func timed(times []time.Duration, call func() error) ([]time.Duration, error) {
	start := time.Now()
	err := call()
	return append(times, time.Since(start)), err
}

func middle(times []time.Duration) time.Duration {
	slices.Sort(times)
	return times[len(times)/2]
}
