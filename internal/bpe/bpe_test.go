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
	text, _ := e.Decode(ids, nil)
	fmt.Println(e.Count("Ships must not be overloaded."), len(ids), string(text))
	// Output: 7 7 Ships must not be overloaded.
}

func ExampleEncoding_Truncate() {
	prefix, tokens := O200K().Truncate("The line on the hull shows how much she may carry.", 5)
	fmt.Printf("%q %d\n", prefix, tokens)
	// Output: "The line on the hull" 5
}

func ExampleEncoding_EncodeSpecial() {
	e := CL100K()
	ids, _ := e.EncodeSpecial("one<|endoftext|>", Special{All: true}, nil)
	fmt.Println(ids)
	_, err := e.EncodeSpecial("one<|endoftext|>", Special{Forbid: true}, nil)
	fmt.Println(err)
	// Output:
	// [606 100257]
	// bpe: special token <|endoftext|> at offset 3 is not allowed
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
	sizes := map[string]int{"r50k_base": 50257, "p50k_base": 50281, "cl100k_base": 100277, "o200k_base": 200019}
	for _, name := range Names() {
		e, err := Get(name)
		if err != nil {
			t.Fatal(err)
		}
		if e.Name() != name || e.VocabSize() != sizes[name] {
			t.Errorf("Get(%q) is %s with %d tokens, want %d", name, e.Name(), e.VocabSize(), sizes[name])
		}
	}
	var unknown *UnknownEncodingError
	if _, err := Get("cl100k"); !errors.As(err, &unknown) || unknown.Name != "cl100k" {
		t.Errorf("Get of an unknown name gives %v", err)
	}
}

func TestSpecialTokensFollowThePolicy(t *testing.T) {
	t.Parallel()
	e := CL100K()
	const text = "a<|fim_prefix|>b<|endoftext|>c<|<|endoftext|>"
	tests := []struct {
		name   string
		policy Special
		want   []uint32
		err    error
	}{
		{"the zero policy takes them as text", Special{}, e.Encode(text, nil), nil},
		{"all become their ids", Special{All: true}, []uint32{64, 100258, 65, 100257, 66, 27, 91, 100257}, nil},
		{
			"one is allowed, the other is text",
			Special{Allow: []string{"<|fim_prefix|>"}},
			append([]uint32{64, 100258}, e.Encode("b<|endoftext|>c<|<|endoftext|>", nil)...), nil,
		},
		{
			"one is allowed, the other an error",
			Special{Allow: []string{"<|fim_prefix|>"}, Forbid: true},
			nil,
			&SpecialError{Token: "<|endoftext|>", Offset: 16},
		},
		{"every one is an error", Special{Forbid: true}, nil, &SpecialError{Token: "<|fim_prefix|>", Offset: 1}},
		{"all allowed leaves nothing to forbid", Special{All: true, Forbid: true}, []uint32{64, 100258, 65, 100257, 66, 27, 91, 100257}, nil},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := e.EncodeSpecial(text, tt.policy, nil)
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("ids (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(tt.err, err); diff != "" {
				t.Errorf("error (-want +got):\n%s", diff)
			}
		})
	}
}

func TestDecodeReportsUnknownTokens(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		e    *Encoding
		id   uint32
	}{
		{"the gap before the special tokens", CL100K(), 100256},
		{"a gap between special tokens", CL100K(), 100261},
		{"beyond the last id", O200K(), 200019},
		{"the largest number", R50K(), 1<<32 - 1},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := tt.e.Decode([]uint32{0, tt.id, 0}, []byte("x"))
			if diff := cmp.Diff(error(&UnknownTokenError{ID: tt.id, Index: 1}), err); diff != "" || string(got) != "x!" {
				t.Errorf("got %q; error (-want +got):\n%s", got, diff)
			}
		})
	}
	if got, err := P50K().Decode([]uint32{50256, 50257}, nil); err != nil || string(got) != "<|endoftext|>  " {
		t.Errorf("p50k: got %q, %v", got, err)
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
