package passage

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
)

// babble returns passages of words whose frequencies fall as in natural language.
func babble(n int) []Passage {
	r := rand.New(rand.NewPCG(1, 2))
	zipf := rand.NewZipf(r, 1.1, 4, 40_000)
	all := make([]Passage, n)
	for i := range all {
		var b strings.Builder
		for range 8 + r.IntN(24) {
			fmt.Fprintf(&b, "w%d ", zipf.Uint64())
		}
		all[i] = Passage{Message: i, Date: fmt.Sprintf("(%d May 2023)", i/1000), Speaker: user, Text: b.String()}
	}
	return all
}

// BenchmarkSearch asks questions of ten words of 100,000 passages. The goal is 2 ms.
func BenchmarkSearch(b *testing.B) {
	all := babble(100_000)
	x := NewIndex(all)
	for i := 0; b.Loop(); i++ {
		question := strings.Join(strings.Fields(all[i*7919%len(all)].Text)[:8], " ") + " w1 w2"
		if x.Search(question, 1000, words) == "" {
			b.Fatal("nothing found")
		}
	}
}

// BenchmarkNewIndex indexes 100,000 passages of twenty words.
func BenchmarkNewIndex(b *testing.B) {
	all := babble(100_000)
	b.ReportAllocs()
	for b.Loop() {
		NewIndex(all)
	}
}

// BenchmarkNotes takes 10,000 tokens out of 100,000 passages.
func BenchmarkNotes(b *testing.B) {
	all := babble(100_000)
	for b.Loop() {
		Notes(all, 10_000, words)
	}
}
