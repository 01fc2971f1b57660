package bpe

import (
	"bufio"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"os"
	"slices"
	"testing"
)

// golden is one line of testdata/golden/golden.jsonl.gz, which make.mjs beside it writes with OpenAI's own tiktoken.
type golden struct {
	Text   string
	R50K   goldenIDs `json:"r50k_base"`
	P50K   goldenIDs `json:"p50k_base"`
	CL100K goldenIDs `json:"cl100k_base"`
	O200K  goldenIDs `json:"o200k_base"`
}

// goldenIDs are the ids themselves or, for long texts, their number and hash.
type goldenIDs struct {
	IDs   []uint32
	Count int
	Hash  string
}

func (g *golden) byName() map[string]goldenIDs {
	return map[string]goldenIDs{"r50k_base": g.R50K, "p50k_base": g.P50K, "cl100k_base": g.CL100K, "o200k_base": g.O200K}
}

func readGolden(tb testing.TB) []golden {
	tb.Helper()
	f, err := os.Open("testdata/golden/golden.jsonl.gz")
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	zr, err := gzip.NewReader(f)
	if err != nil {
		tb.Fatal(err)
	}
	var all []golden
	for dec := json.NewDecoder(bufio.NewReader(zr)); dec.More(); {
		var g golden
		if err := dec.Decode(&g); err != nil {
			tb.Fatal(err)
		}
		all = append(all, g)
	}
	return all
}

func idsHash(ids []uint32) string {
	h := fnv.New64a()
	for _, id := range ids {
		h.Write(binary.LittleEndian.AppendUint32(nil, id))
	}
	return fmt.Sprintf("%016x", h.Sum64())
}

// diff says how ids differ from what tiktoken gave, or nothing.
func (g goldenIDs) diff(ids []uint32) string {
	switch {
	case g.Hash == "" && !slices.Equal(ids, g.IDs):
		return fmt.Sprintf("got %v, want %v", ids, g.IDs)
	case g.Hash != "" && len(ids) != g.Count:
		return fmt.Sprintf("got %d ids, want %d", len(ids), g.Count)
	case g.Hash != "" && idsHash(ids) != g.Hash:
		return "the ids differ, their number does not"
	}
	return ""
}

func TestIDsEqualThoseOfTiktoken(t *testing.T) {
	t.Parallel()
	all := readGolden(t)
	if len(all) < 2000 {
		t.Fatalf("read %d golden texts, want at least 2000", len(all))
	}
	for _, name := range Names() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			e, err := Get(name)
			if err != nil {
				t.Fatal(err)
			}
			for _, g := range all {
				ids := e.Encode(g.Text, nil)
				if diff := g.byName()[name].diff(ids); diff != "" {
					t.Errorf("%.200q: %s", g.Text, diff)
				}
				if n := e.Count(g.Text); n != len(ids) {
					t.Errorf("%.200q: Count is %d, Encode gives %d ids", g.Text, n, len(ids))
				}
			}
		})
	}
}
