package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/bench/internal/workload"
	"github.com/plimsoll/plimsoll/expand"
)

// put stores what comes in.
func put(ctx context.Context, file string, in io.Reader) (any, error) {
	s, err := open(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	ref, err := s.Tenant(workload.Tenant).PutReader(ctx, in, "")
	if err != nil {
		return nil, err
	}
	return storage.Stored{Ref: ref.ID, Bytes: ref.Bytes, Lines: ref.Lines, Peak: peak()}, s.Close()
}

const (
	readRounds = 60
	readLines  = 100
)

// reads reads a hundred lines near each of five places, in turn, so that a slow
// moment of the machine falls on all of them. Each time is within the hundredth part
// of the text that begins at the place.
func reads(ctx context.Context, file, ref string, lines int64) (any, error) {
	s, err := open(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	places := []int{0, 25, 50, 75, 99}
	times := make([][]time.Duration, len(places))
	random := rand.New(rand.NewPCG(3, 3))
	for range readRounds {
		for i, percent := range places {
			from := lines*int64(percent)/100 + random.Int64N(max(1, lines/100-readLines))
			var out bytes.Buffer
			start := time.Now()
			err := expand.Read{Ref: ref, Offset: from, Limit: readLines}.Lines(ctx, &out, s.Tenant(workload.Tenant), expand.Limits{})
			times[i] = append(times[i], time.Since(start))
			if err != nil {
				return nil, err
			}
			if got := bytes.Count(out.Bytes(), []byte("\n")) + 1; got < readLines {
				return nil, fmt.Errorf("%d lines from %d on, want %d", got, from, readLines)
			}
		}
	}
	var answer storage.ReadAnswer
	for i, percent := range places {
		slices.Sort(times[i])
		answer.Reads = append(answer.Reads, storage.Read{
			Percent: percent, Median: times[i][readRounds/2], Best: times[i][0], Worst: times[i][readRounds-1],
		})
	}
	answer.Peak = peak()
	return answer, nil
}

// grep searches all of the text.
func grep(ctx context.Context, file, ref string) (any, error) {
	s, err := open(ctx, file, nil)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	var out bytes.Buffer
	g := expand.Grep{Ref: ref, Pattern: storage.Needle}
	if err := g.Matches(ctx, &out, s.Tenant(workload.Tenant), expand.Limits{TextTime: 10 * time.Minute}); err != nil {
		return nil, err
	}
	return storage.GrepAnswer{Matches: bytes.Count(out.Bytes(), []byte(storage.Needle)), Peak: peak()}, nil
}
