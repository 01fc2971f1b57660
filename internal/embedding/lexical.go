package embedding

import (
	"context"
	"math"
	"math/bits"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// Dimensions is the length of a vector of [Lexical].
const Dimensions = 4096

// Lexical returns a vector of the words and character sequences of a text. Two
// texts are alike as far as they are written with the same ones, weighed by the
// root of how often they occur. It knows no meaning: a synonym is another word,
// and a paraphrase another text.
//
// Words count alone, in twos and by the sequences of three characters in them.
// Scripts that do not put blanks between words (Chinese, Japanese, Thai, …)
// count by sequences of one, two and three characters. Case, width and
// compatibility forms do not matter. Features are hashed to [Dimensions] places.
//
// The vector has the length 1, or is all zeros for a text without a letter or
// digit. It is the same on every machine. The error is always nil.
func Lexical(_ context.Context, text string) ([]float64, error) {
	f := features{counts: map[uint64]int{}}
	for _, r := range norm.NFKC.String(text) {
		f.add(unicode.ToLower(r))
	}
	f.endWord()
	return f.vector(), nil
}

// features counts what a text is written with.
type features struct {
	counts map[uint64]int
	word   []rune
	// last is the hash of the word before, 0 at the beginning of a text.
	last uint64
	// run are the last characters of a script without blanks.
	run []rune
}

func (f *features) add(r rune) {
	switch {
	case isDense(r):
		f.endWord()
		f.run = append(f.run, r)
		for n := 1; n <= min(3, len(f.run)); n++ {
			f.counts[hash(dense, f.run[len(f.run)-n:])]++
		}
		if len(f.run) == 3 {
			f.run = append(f.run[:0], f.run[1:]...)
		}
		return
	case unicode.In(r, unicode.L, unicode.N, unicode.M):
		f.word = append(f.word, r)
	default:
		f.endWord()
	}
	f.run = f.run[:0]
}

// isDense recognises scripts that are written without blanks between words, and
// Korean, whose words carry their grammar with them. Marks of prolonged sounds
// and of repetition belong to the script around them.
func isDense(r rune) bool {
	return r >= 0x0e00 && (r == 'ー' || r == '々' || unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana,
		unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar))
}

// longestWord bounds what is kept of a word, for texts that are no language, such
// as encoded pictures.
const longestWord = 64

// endWord counts the word that has been gathered.
func (f *features) endWord() {
	if len(f.word) == 0 {
		return
	}
	w := f.word[:min(len(f.word), longestWord)]
	this := hash(whole, w)
	f.counts[this]++
	if f.last != 0 {
		f.counts[mix(bits.RotateLeft64(f.last, 1)^this)]++
	}
	f.last = this
	edged := append(append([]rune{' '}, w...), ' ')
	for i := 0; i+3 <= len(edged) && len(w) > 1; i++ {
		f.counts[hash(inWord, edged[i:i+3])]++
	}
	f.word = f.word[:0]
}

// Kinds of features are hashed apart.
const (
	whole = iota + 1
	inWord
	dense
)

// hash is FNV-1a over characters, with its bits mixed.
func hash(kind uint64, text []rune) uint64 {
	const offset, prime = 14695981039346656037, 1099511628211
	h := (offset ^ kind) * prime
	for _, r := range text {
		h = (h ^ uint64(r)) * prime
	}
	return mix(h)
}

// mix spreads the bits of a hash, so that any of them can be used.
func mix(h uint64) uint64 {
	h = (h ^ h>>33) * 0xff51afd7ed558ccd
	h = (h ^ h>>33) * 0xc4ceb9fe1a85ec53
	return h ^ h>>33
}

// vector adds each feature to one place, half of them as negative numbers, so
// that features which share a place do not make texts look alike. The sums are
// whole numbers: they do not depend on the order of a map.
func (f *features) vector() []float64 {
	var sums [Dimensions]int64
	for h, n := range f.counts {
		weight := root(n)
		if h>>63 == 1 {
			weight = -weight
		}
		sums[h%Dimensions] += weight
	}
	v := make([]float64, Dimensions)
	for i, s := range sums {
		v[i] = float64(s)
	}
	return unit(v)
}

// root returns the square root of n, times 1024.
func root(n int) int64 { return int64(math.Sqrt(float64(n) * (1 << 20))) }

// unit returns the vector with the length 1; zeros stay zeros.
func unit(v []float64) []float64 {
	sum := 0.0
	for _, x := range v {
		sum += float64(x * x) // the conversion keeps processors from fusing
	}
	if length := math.Sqrt(sum); length > 0 {
		for i := range v {
			v[i] /= length
		}
	}
	return v
}
