package measure

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/bench/internal/peers"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
)

// exact compares every peer's ids with those of OpenAI's own code, over the whole
// texts and the edge strings.
func (r *run) exact() error {
	if r.clients[peers.Reference] == nil {
		r.Failures = append(r.Failures, peers.Reference+": not there, so nothing says who is exact")
		return nil
	}
	var all []string
	for _, t := range r.Options.Texts {
		all = append(all, t.Data)
	}
	all = append(all, texts.Edges()...)
	batch := filepath.Join(r.dir, "batch")
	if err := write(batch, string(batchOf(all))); err != nil {
		return err
	}
	for _, encoding := range Encodings {
		r.log("compare ids, %s", encoding)
		want, err := r.ids(r.clients[peers.Reference], encoding, batch, len(all))
		if err != nil {
			return fmt.Errorf("%s: %w", peers.Reference, err)
		}
		for _, p := range r.Options.Peers {
			client := r.clients[p.Name]
			if client == nil || p.Name == peers.Reference {
				continue
			}
			got, err := r.ids(client, encoding, batch, len(all))
			if err != nil {
				r.fail(p, "ids "+encoding, err)
				continue
			}
			e := compare(all, got, want)
			e.Peer, e.Encoding, e.Reference = p.Name, encoding, peers.Reference
			r.Exact = append(r.Exact, e)
		}
	}
	return nil
}

func batchOf(all []string) []byte {
	var batch []byte
	for _, text := range all {
		batch = line.AppendText(batch, text)
	}
	return batch
}

func (r *run) ids(client *line.Client, encoding, batch string, n int) ([][]uint32, error) {
	file := filepath.Join(r.dir, "ids")
	if _, err := client.Do(timeout, "ids", encoding, batch, file); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	ids, err := line.IDs(data)
	if err == nil && len(ids) != n {
		err = fmt.Errorf("ids of %d texts, want %d", len(ids), n)
	}
	return ids, err
}

// compare finds the texts whose ids differ, and the shortest of them.
func compare(all []string, got, want [][]uint32) Exactness {
	e := Exactness{Texts: len(all)}
	shortest := -1
	for i, text := range all {
		if slices.Equal(got[i], want[i]) {
			continue
		}
		e.Differ++
		if shortest < 0 || len(text) < len(all[shortest]) {
			shortest = i
		}
	}
	if shortest >= 0 {
		e.Example, e.Got, e.Want = texts.Cut(all[shortest], 40), len(got[shortest]), len(want[shortest])
	}
	return e
}
