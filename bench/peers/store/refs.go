package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/store"
)

const (
	refBytes = 1 << 10
	refCalls = 300
	// A collection is of gcObjects, gcRounds times.
	gcObjects = 50
	gcRounds  = 8
)

// refs measures calls in stores of growing size. A store is filled in memory, where
// nobody waits for a disk, and measured on the disk.
func refs(ctx context.Context, dir, source string) (any, error) {
	t, err := newText(source, 4)
	if err != nil {
		return nil, err
	}
	fast, err := os.MkdirTemp(memory(dir), "plimsoll-bench-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(fast)
	var all []storage.Refs
	var ids []string
	for _, count := range []int{1_000, 10_000, 100_000} {
		file, copied := filepath.Join(fast, "refs.db"), filepath.Join(dir, "refs.db")
		if ids, err = fill(ctx, file, t, ids, count); err != nil {
			return nil, err
		}
		if err := copyFile(file, copied); err != nil {
			return nil, err
		}
		figures, err := calls(ctx, func(now clock) (*store.Store, error) { return open(ctx, copied, now) }, t, ids)
		if err := errors.Join(err, os.Remove(copied)); err != nil {
			return nil, err
		}
		all = append(all, figures)
	}
	return all, nil
}

// memory returns a folder in memory, or else the one on the disk.
func memory(dir string) string {
	const shared = "/dev/shm"
	if info, err := os.Stat(shared); err == nil && info.IsDir() {
		return shared
	}
	return dir
}

// fill adds references until there are as many as wanted.
func fill(ctx context.Context, file string, t *text, ids []string, count int) ([]string, error) {
	s, err := open(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	for len(ids) < count {
		id, err := add(ctx, s, t.output(refBytes))
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		ids = append(ids, id)
	}
	return ids, s.Close()
}

func add(ctx context.Context, s *store.Store, output string) (string, error) {
	ref, err := s.Tenant(tenant).Put(ctx, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output}))
	return ref.ID, err
}

func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	out, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Sync(), out.Close())
}

// clock is what a store takes for the time.
type clock = func() time.Time

// calls measures on a clock that can be set back, so that something is old enough to
// be collected.
func calls(ctx context.Context, open func(clock) (*store.Store, error), t *text, ids []string) (storage.Refs, error) {
	var back atomic.Int64
	s, err := open(func() time.Time { return time.Now().Add(-time.Duration(back.Load())) })
	if err != nil {
		return storage.Refs{}, err
	}
	defer s.Close()
	random := rand.New(rand.NewPCG(6, 6))
	var puts, gets, collections []time.Duration
	for range refCalls {
		output, id := t.output(refBytes), ids[random.IntN(len(ids))]
		if puts, err = timed(puts, func() error { _, err := add(ctx, s, output); return err }); err != nil {
			return storage.Refs{}, err
		}
		if gets, err = timed(gets, func() error { _, err := s.Tenant(tenant).Content(ctx, id); return err }); err != nil {
			return storage.Refs{}, err
		}
	}
	for range gcRounds {
		back.Store(int64(60 * 24 * time.Hour))
		for range gcObjects {
			if _, err := add(ctx, s, t.output(refBytes)); err != nil {
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
