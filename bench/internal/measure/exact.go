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

// exact compares every peer's ids with those of OpenAI's own code, over the edge
// strings and the texts as the peer gets them.
func (r *run) exact() error {
	reference := r.clients[peers.Reference]
	if reference == nil {
		r.Failures = append(r.Failures, peers.Reference+": not there, so nothing says who is exact")
		return nil
	}
	for _, encoding := range Encodings {
		for _, slow := range []bool{false, true} {
			r.log("compare ids, %s, short texts: %v", encoding, slow)
			all := r.exactTexts(slow)
			want, err := r.ids(reference, encoding, all)
			if err != nil {
				return fmt.Errorf("%s: %w", peers.Reference, err)
			}
			for _, p := range r.Options.Peers {
				if p.Slow == slow && p.Name != peers.Reference {
					r.exactPeer(p, encoding, all, want)
				}
			}
		}
	}
	return nil
}

func (r *run) exactPeer(p peers.Peer, encoding string, all []string, want [][]uint32) {
	client := r.clients[p.Name]
	if client == nil {
		return
	}
	got, err := r.ids(client, encoding, all)
	if err != nil {
		r.fail(p, "ids "+encoding, err)
		return
	}
	e := compare(all, got, want)
	e.Peer, e.Encoding, e.Reference = p.Name, encoding, peers.Reference
	r.Exact = append(r.Exact, e)
}

func (r *run) exactTexts(slow bool) []string {
	all := texts.Edges()
	for _, t := range r.Options.Texts {
		if slow {
			t.Data = texts.Cut(t.Data, r.Short)
		}
		all = append(all, t.Data)
	}
	return all
}

func batchOf(all []string) []byte {
	var batch []byte
	for _, text := range all {
		batch = line.AppendText(batch, text)
	}
	return batch
}

func (r *run) ids(client *line.Client, encoding string, all []string) ([][]uint32, error) {
	batch, file := filepath.Join(r.dir, "batch"), filepath.Join(r.dir, "ids")
	if err := write(batch, string(batchOf(all))); err != nil {
		return nil, err
	}
	if _, err := client.Do(timeout, "ids", encoding, batch, file); err != nil {
		return nil, err
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	ids, err := line.IDs(data)
	if err == nil && len(ids) != len(all) {
		err = fmt.Errorf("ids of %d texts, want %d", len(ids), len(all))
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
