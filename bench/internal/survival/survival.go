// Package survival measures how many of the identifiers that an agent needs next are
// still named after a compaction, by what stands in the place of the old messages:
// our checkpoint without a model, the summary that a model wrote at the time, random
// identifiers and the end of the conversation. The measure itself is not ours; it is
// in the package of the same name in the main module.
package survival

import (
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/internal/survival"
)

// Result is what a run found.
type Result struct {
	Compactions int `json:"compactions"`
	// Needed identifiers, with arguments as they are written and decoded.
	Needed  int        `json:"needed"`
	Decoded int        `json:"needed_decoded"`
	Ways    []Way      `json:"ways"`
	Cuts    []Cut      `json:"cuts"`
	Times   []Duration `json:"times"`
}

// Way is what one way kept.
type Way struct {
	Name string `json:"name"`
	// Tokens is the mean size, Most the largest, in o200k_base.
	Tokens int `json:"tokens"`
	Most   int `json:"most_tokens"`
	// Exact and Lenient are shares of what was needed; Meant is the exact share with
	// decoded arguments.
	Exact   float64 `json:"exact"`
	Lenient float64 `json:"lenient"`
	Meant   float64 `json:"exact_decoded"`
}

// Duration is how long the checkpoint of a conversation took.
type Duration struct {
	Tokens int           `json:"tokens"`
	Took   time.Duration `json:"took_ns"`
}

// Measure reads the sessions under the folder of shared data.
func Measure(shared string) (*Result, error) {
	file := filepath.Join(shared, "corpora", "entire-claude-code", "sessions.jsonl.gz")
	written, err := survival.Events(file, survival.AsWritten)
	if err != nil {
		return nil, err
	}
	decoded, err := survival.Events(file, survival.Decoded)
	if err != nil {
		return nil, err
	}
	r := &Result{Compactions: len(written), Ways: make([]Way, len(ways()))}
	for i, w := range ways() {
		r.Ways[i].Name = w.name
	}
	if err := r.add(written, true); err != nil {
		return nil, err
	}
	if err := r.add(decoded, false); err != nil {
		return nil, err
	}
	for i := range r.Ways {
		w := &r.Ways[i]
		w.Tokens /= len(written)
		w.Exact, w.Lenient, w.Meant = w.Exact/float64(r.Needed), w.Lenient/float64(r.Needed), w.Meant/float64(r.Decoded)
	}
	r.Cuts, err = measureCuts(shared)
	return r, err
}

func (r *Result) add(events []survival.Event, asWritten bool) error {
	count := bpe.O200K().Count
	for _, compaction := range events {
		start := time.Now()
		if _, err := NewCheckpoint(compaction.Before, compaction.Old, count); err != nil {
			return err
		}
		took := time.Since(start)
		e, err := newEvent(compaction, count)
		if err != nil {
			return err
		}
		if asWritten {
			r.Needed += len(e.Needed)
			r.Times = append(r.Times, Duration{e.size(), took})
		} else {
			r.Decoded += len(e.Needed)
		}
		size := count(e.checkpoint.whole())
		for i, w := range ways() {
			text := w.make(e, size)
			exact, lenient := e.Kept(text)
			if !asWritten {
				r.Ways[i].Meant += float64(exact)
				continue
			}
			r.Ways[i].Exact += float64(exact)
			r.Ways[i].Lenient += float64(lenient)
			r.Ways[i].Tokens += count(text)
			r.Ways[i].Most = max(r.Ways[i].Most, count(text))
		}
	}
	return nil
}

// size counts the conversation.
func (e *event) size() int {
	n := 0
	for _, m := range e.Before.Messages.All() {
		n += e.count(survival.Text(m, survival.AsWritten))
	}
	return n
}
