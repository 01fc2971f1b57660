package embedding_test

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/trim"
)

var _ trim.Embedder = embedding.Lexical

func lexical(text string) []float64 {
	v, err := embedding.Lexical(context.Background(), text)
	if err != nil {
		panic(err)
	}
	return v
}

// likeness is the cosine of two texts' vectors, which have the length 1.
func likeness(a, b string) float64 {
	sum := 0.0
	v, w := lexical(a), lexical(b)
	for i := range v {
		sum += v[i] * w[i]
	}
	return sum
}

func TestT10_LexicalTellsTextsApartByTheirWording(t *testing.T) {
	t.Parallel()
	const quay = "The Aster may berth at Quay 4 until the morning tide."
	const kanji = "アスター号は朝の満潮まで第四岸壁に停泊できます。"
	for _, tc := range []struct {
		name, a, b string
		low, high  float64
	}{
		{"the same", quay, quay, 0.999999, 1.000001},
		{"other case and width", "Quay 4 IS FREE", "ｑｕａｙ　４ is free", 0.999999, 1.000001},
		{"composed and decomposed", "caf\u00e9 \u304c", "cafe\u0301 \u304b\u3099", 0.999999, 1.000001},
		{"half-width kana", "ｱｽﾀｰ号", "アスター号", 0.999999, 1.000001},
		{"half of it", quay, "The Aster may berth at Quay 4", 0.6, 0.95},
		{"other words", quay, "Invoices are due within thirty days of receipt.", -0.1, 0.15},
		{"an inflected form is near", "berthing", "berthed", 0.3, 0.8},
		{"the order of words matters a little", "tide before ship", "ship before tide", 0.6, 0.99},
		{"Japanese: the same", kanji, kanji, 0.999999, 1.000001},
		{"Japanese: half of it", kanji, "アスター号は朝の満潮まで", 0.5, 0.9},
		{"Japanese: other words", kanji, "請求書のお支払期限をご確認ください", -0.1, 0.25},
		{"a paraphrase is another text", "The vessel is able to moor", "Ships can dock there", -0.1, 0.2},
	} {
		if got := likeness(tc.a, tc.b); got < tc.low || got > tc.high {
			t.Errorf("%s: %.3f, want %v to %v", tc.name, got, tc.low, tc.high)
		}
	}
}

func TestLexicalHasNothingToSayAboutTextsWithoutLetters(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " \n\t", "—…!?"} {
		if v := lexical(text); len(v) != embedding.Dimensions || slices.Max(v) != 0 || slices.Min(v) != 0 {
			t.Errorf("%q has a direction", text)
		}
	}
}

// TestLexicalIsTheSameEverywhere pins the figures, which logs compare over years:
// thirteen features (a word, its four sequences, a digit, both together, and six
// of three Japanese characters), each a root of 1/13.
func TestLexicalIsTheSameEverywhere(t *testing.T) {
	t.Parallel()
	got := ""
	for i, x := range lexical("Quay 4 は空き") {
		if x != 0 {
			got += fmt.Sprintf("%d:%+.6f ", i, x)
		}
	}
	const want = "370:+0.277350 637:-0.277350 1110:+0.277350 1260:+0.277350 1344:-0.277350 1388:+0.277350 1480:-0.277350 " +
		"1562:+0.277350 1919:+0.277350 2681:-0.277350 2804:-0.277350 3159:+0.277350 3392:+0.277350 "
	if got != want {
		t.Errorf("got %s", got)
	}
}

func TestMoreOfATextIsMoreLikeIt(t *testing.T) {
	t.Parallel()
	words := strings.Fields("The harbour master writes down which ship lies where and when the tide lets her leave. " +
		"Every berth has a depth, every ship a draught, and between both there must be half a metre of water at the lowest tide of the night.")
	whole := strings.Join(words, " ")
	last := 0.0
	for n := 5; n <= len(words); n += 5 {
		now := likeness(whole, strings.Join(words[:n], " "))
		if now <= last {
			t.Errorf("%d words of %d: %.3f, after %.3f", n, len(words), now, last)
		}
		last = now
	}
}

func TestLexicalVectorsHaveLengthOneOrNone(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.String().Draw(t, "text")
		sum := 0.0
		for _, x := range lexical(text) {
			sum += x * x
		}
		if sum != 0 && math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the length is %v", math.Sqrt(sum))
		}
		if !slices.Equal(lexical(text), lexical(text)) {
			t.Fatal("two vectors of one text")
		}
	})
}

func ExampleLexical() {
	before, _ := embedding.Lexical(context.Background(), "Quay 4 is free. Quay 5 is taken.")
	after, _ := embedding.Lexical(context.Background(), "Quay 4 is free.")
	likeness := 0.0
	for i := range before {
		likeness += before[i] * after[i]
	}
	fmt.Printf("%.2f\n", likeness)
	// Output: 0.82
}
