package main

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/bench/internal/workload"
	"github.com/plimsoll/plimsoll/store"
)

// refs measures calls in stores of growing size. A store is filled in memory, where
// nobody waits for a disk, and measured on the disk.
func refs(ctx context.Context, dir, source string) (any, error) {
	t, err := workload.NewText(source, 4)
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
		figures, err := workload.Calls(ctx, func(now workload.Clock) (*store.Store, error) { return open(ctx, copied, now) }, t, ids)
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
func fill(ctx context.Context, file string, t *workload.Text, ids []string, count int) ([]string, error) {
	s, err := open(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	for len(ids) < count {
		id, err := workload.Add(ctx, s, t.Output(workload.Bytes))
		if err != nil {
			return nil, errors.Join(err, s.Close())
		}
		ids = append(ids, id)
	}
	return ids, s.Close()
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
