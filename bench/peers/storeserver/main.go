// Command storeserver measures Plimsoll's store in a PostgreSQL server for the
// benchmark. It is a program of its own so that the memory of the one that measures a
// store in a file has nothing in it that only a server needs.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/bench/internal/workload"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/postgres"
)

func main() {
	if len(os.Args) != 2 {
		fmt.Fprintln(os.Stderr, "usage: storeserver SOURCE")
		os.Exit(2)
	}
	result, err := refs(context.Background(), os.Args[1])
	if err == nil {
		err = json.NewEncoder(os.Stdout).Encode(result)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "storeserver:", err)
		os.Exit(1)
	}
}

const (
	// fillers write at the same time, which a server is for.
	fillers = 8
	// fillTime is how long a store may take to be filled; larger ones are left out.
	fillTime = 4 * time.Minute
)

// refs measures calls in stores of growing size in a PostgreSQL server of its
// own. Where there is none it says so.
func refs(ctx context.Context, source string) (*storage.ServerRefs, error) {
	t, err := workload.NewText(source, 8)
	if err != nil {
		return nil, err
	}
	server, err := pgtest.Start()
	if err != nil {
		return &storage.ServerRefs{Missing: err.Error()}, nil
	}
	defer server.Close()
	open := func(now workload.Clock) (*store.Store, error) {
		db, err := postgres.Open(ctx, server.URL("postgres"), &postgres.Options{Now: now})
		if err != nil {
			return nil, err
		}
		return store.New(ctx, db, &store.Options{Now: now})
	}
	var result storage.ServerRefs
	var ids []string
	end := time.Now().Add(fillTime)
	for _, count := range []int{1_000, 10_000, 100_000} {
		if ids, err = fillServer(ctx, open, t, ids, count, end); errors.Is(err, context.DeadlineExceeded) {
			result.Stopped = len(ids)
			break
		}
		if err != nil {
			return nil, err
		}
		figures, err := workload.Calls(ctx, open, t, ids)
		if err != nil {
			return nil, err
		}
		result.Refs = append(result.Refs, figures)
	}
	return &result, nil
}

// fillServer adds references until there are as many as wanted or the time is up.
func fillServer(ctx context.Context, open func(workload.Clock) (*store.Store, error), t *workload.Text, ids []string, count int, end time.Time) ([]string, error) {
	s, err := open(nil)
	if err != nil {
		return ids, err
	}
	defer s.Close()
	ctx, cancel := context.WithDeadline(ctx, end)
	defer cancel()
	outputs := make(chan string)
	var mu sync.Mutex
	var group sync.WaitGroup
	for range fillers {
		group.Go(func() {
			for output := range outputs {
				id, failed := workload.Add(ctx, s, output)
				mu.Lock()
				if failed != nil {
					err = errors.Join(err, failed)
				} else {
					ids = append(ids, id)
				}
				mu.Unlock()
			}
		})
	}
	for n := len(ids); n < count && ctx.Err() == nil; n++ {
		outputs <- t.Output(workload.Bytes)
	}
	close(outputs)
	group.Wait()
	return ids, errors.Join(ctx.Err(), err)
}
