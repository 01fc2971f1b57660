package bpe

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func Example() {
	e := CL100K()
	ids := e.Encode("Ships must not be overloaded.", nil)
	fmt.Println(e.Count("Ships must not be overloaded."), ids)
	// Output: 7 [2059 3153 2011 539 387 75691 13]
}

func ExampleStream() {
	s := CL100K().NewStream()
	s.WriteString("over")
	s.WriteString("loaded sh")
	s.WriteString("ips")
	fmt.Println(s.Total(), CL100K().Count("overloaded ships"))
	// Output: 3 3
}

func TestGetKnowsEveryName(t *testing.T) {
	t.Parallel()
	sizes := map[string]int{"r50k_base": 50256, "p50k_base": 50281, "cl100k_base": 100256, "o200k_base": 199998}
	for _, name := range Names() {
		e, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != name || e.tables.size() != sizes[name] {
			t.Errorf("Get(%q) is %s with %d tokens, want %d", name, e.Name(), e.tables.size(), sizes[name])
		}
	}
	var unknown *UnknownEncodingError
	if _, err := Get("cl100k"); !errors.As(err, &unknown) || unknown.Name != "cl100k" {
		t.Errorf("Get of an unknown name gives %v", err)
	}
}

// decoded returns the bytes of tokens.
func decoded(e *Encoding, ids []uint32) string {
	var text []byte
	for _, id := range ids {
		text = append(text, e.tables.bytes(id)...)
	}
	return string(text)
}

func TestTheSpellingOfASpecialTokenIsText(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		e, _ := Get(name)
		if ids := e.Encode("<|endoftext|>", nil); len(ids) < 5 || decoded(e, ids) != "<|endoftext|>" {
			t.Errorf("%s has %d tokens for it: %q", name, len(ids), decoded(e, ids))
		}
	}
}

func TestEncodeAppends(t *testing.T) {
	t.Parallel()
	dst := make([]uint32, 1, 2)
	dst[0] = 7
	got := R50K().Encode(strings.Repeat("hull ", 40), dst)
	want := append([]uint32{7}, R50K().Encode(strings.Repeat("hull ", 40), nil)...)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("ids (-want +got):\n%s", diff)
	}
}

// Memos are kept from call to call, so a text is counted by many goroutines at once, first cold and then warm.
func TestConcurrentCountsAgree(t *testing.T) {
	t.Parallel()
	all := readGolden(t)
	var group sync.WaitGroup
	for part := range 12 {
		group.Go(func() {
			e := O200K()
			for i := range 400 {
				g := all[(i*5+part*37)%len(all)]
				want := max(g.O200K.Count, len(g.O200K.IDs))
				if got := e.CountBytes([]byte(g.Text)); got != want {
					t.Errorf("Count(%.100q) = %d, want %d", g.Text, got, want)
				}
			}
		})
	}
	group.Wait()
}

func TestCountDoesNotAllocate(t *testing.T) {
	e := CL100K()
	var texts []string
	for _, g := range readGolden(t) {
		texts = append(texts, g.Text)
	}
	text := strings.Join(texts, "\n")
	ids := slices.Grow(e.Encode(text, nil), 100)
	if n := testing.AllocsPerRun(5, func() { e.Count(text) }); n != 0 {
		t.Errorf("Count allocates %v times", n)
	}
	if n := testing.AllocsPerRun(5, func() { ids = e.Encode(text, ids[:0]) }); n != 0 {
		t.Errorf("Encode into a large enough slice allocates %v times", n)
	}
}
