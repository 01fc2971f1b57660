package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/bench/internal/workload"
	"github.com/plimsoll/plimsoll/store"
)

const (
	pairRounds  = 10
	pairOutputs = 16
	pairBytes   = 1 << 20
)

// pairs writes and reads outputs in turn: one into the store, the same one into a
// file.
func pairs(ctx context.Context, dir, source string) (any, error) {
	s, err := open(ctx, filepath.Join(dir, "pairs.db"), nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	f, err := newFiles(dir)
	if err != nil {
		return nil, err
	}
	t, err := workload.NewText(source, 2)
	if err != nil {
		return nil, err
	}
	result := storage.Pairs{Outputs: pairOutputs, Bytes: pairBytes}
	for range pairRounds {
		round, err := pairRound(ctx, s.Tenant(workload.Tenant), f, t)
		if err != nil {
			return nil, err
		}
		result.Rounds = append(result.Rounds, round)
	}
	return result, nil
}

func pairRound(ctx context.Context, s *store.Tenant, f *files, t *workload.Text) (storage.Round, error) {
	var round storage.Round
	var ids, names, outputs []string
	for range pairOutputs {
		output := t.Output(pairBytes)
		outputs = append(outputs, output)
		start := time.Now()
		ref, err := s.Put(ctx, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output}))
		round.Store.Put += time.Since(start)
		ids = append(ids, ref.ID)
		start = time.Now()
		name, fileErr := f.put(output)
		round.Files.Put += time.Since(start)
		names = append(names, name)
		if err := errors.Join(err, fileErr); err != nil {
			return round, err
		}
	}
	for i, want := range outputs {
		start := time.Now()
		content, err := s.Content(ctx, ids[i])
		round.Store.Get += time.Since(start)
		if err != nil {
			return round, err
		}
		start = time.Now()
		data, err := f.get(names[i])
		round.Files.Get += time.Since(start)
		if err != nil {
			return round, err
		}
		if string(data) != want || content.Len() != 1 || content.At(0).(plimsoll.Text).Text != want {
			return round, fmt.Errorf("output %d came back different", i)
		}
	}
	return round, nil
}

// files keeps outputs in plain files, compressed at the level that the store has.
type files struct {
	dir   string
	count int
	enc   *zstd.Encoder
	dec   *zstd.Decoder
}

func newFiles(dir string) (*files, error) {
	enc, err := zstd.NewWriter(nil, zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, err
	}
	dec, err := zstd.NewReader(nil)
	return &files{dir: dir, enc: enc, dec: dec}, err
}

func (f *files) put(output string) (string, error) {
	f.count++
	name := filepath.Join(f.dir, fmt.Sprintf("%d.zst", f.count))
	file, err := os.Create(name)
	if err != nil {
		return "", err
	}
	_, err = file.Write(f.enc.EncodeAll([]byte(output), make([]byte, 0, len(output)/2)))
	return name, errors.Join(err, file.Sync(), file.Close())
}

func (f *files) get(name string) ([]byte, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return f.dec.DecodeAll(data, make([]byte, 0, pairBytes))
}
