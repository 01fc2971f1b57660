package bpe

import (
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode"
	"unicode/utf8"
)

// The texts of the benchmarks are generated, about a megabyte each and the same on every run. Latin words are those of
// the vocabulary in its order, which is about that of their frequency, and are drawn by Zipf's law; one in twenty is
// put together from two. Other languages are put together from syllables by the same law.
var benchTexts = []struct {
	name string
	make func(*rand.Rand) string
}{
	{"english", englishText},
	{"code", codeText},
	{"json", jsonText},
	{"logs", logText},
	{"japanese", japaneseText},
	{"russian", russianText},
	{"minified", minifiedText},
	{"base64", func(rng *rand.Rand) string { return base64.StdEncoding.EncodeToString(randomBytes(rng, 700_000)) }},
	{"hex", func(rng *rand.Rand) string { return hex.EncodeToString(randomBytes(rng, 500_000)) }},
}

// BenchmarkCount counts texts that were counted before, BenchmarkCountCold with memos that know the vocabulary only.
func BenchmarkCount(b *testing.B) {
	forEachText(b, func(b *testing.B, e *Encoding, text string) {
		for b.Loop() {
			e.Count(text)
		}
	})
}

func BenchmarkCountCold(b *testing.B) {
	forEachText(b, func(b *testing.B, e *Encoding, text string) {
		for b.Loop() {
			b.StopTimer()
			w := newWorker(e)
			b.StartTimer()
			w.count(text)
		}
	})
}

func BenchmarkEncode(b *testing.B) {
	forEachText(b, func(b *testing.B, e *Encoding, text string) {
		var ids []uint32
		for b.Loop() {
			ids = e.Encode(text, ids[:0])
		}
	})
}

// BenchmarkAdversarial counts a megabyte that is one piece, or nearly so.
func BenchmarkAdversarial(b *testing.B) {
	rng := rand.New(rand.NewPCG(7, 7))
	for _, tt := range []struct{ name, text string }{
		{"one letter", strings.Repeat("a", 1<<20)},
		{"spaces", strings.Repeat(" ", 1<<20)},
		{"newlines", strings.Repeat("\n", 1<<20)},
		{"equal signs", strings.Repeat("=", 1<<20)},
		{"digits", strings.Repeat("7", 1<<20)},
		{"random letters", randomRunes(rng, 'a', 26, 1<<20)},
		{"random han", randomRunes(rng, 0x4e00, 0x2000, 1<<20/3)},
		{"one han word", strings.Repeat("日本語港船長", 1<<20/18)},
		{"emoji", strings.Repeat("🚢", 1<<18)},
		{"invalid", strings.Repeat("\xff", 1<<20)},
	} {
		for _, e := range []*Encoding{CL100K(), O200K()} {
			b.Run(tt.name+"/"+e.Name(), func(b *testing.B) {
				b.SetBytes(int64(len(tt.text)))
				for b.Loop() {
					e.Count(tt.text)
				}
			})
		}
	}
}

// BenchmarkLoad unpacks a vocabulary, which is what the first count of a process waits for.
func BenchmarkLoad(b *testing.B) {
	for name, planes := range map[string]string{"r50k_base": r50kPlanes, "cl100k_base": cl100kPlanes, "o200k_base": o200kPlanes} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				newWorker(&Encoding{tables: newTables(unpack(planes))})
			}
		})
	}
}

// BenchmarkStreamAppend adds a short text to a long one and asks for the total.
func BenchmarkStreamAppend(b *testing.B) {
	s := CL100K().NewStream()
	s.WriteString(strings.Repeat("a conversation of some length, ", 7000))
	s.Total()
	b.ReportAllocs()
	for b.Loop() {
		s.WriteString(" sixteen more b.")
		s.Total()
	}
}

func forEachText(b *testing.B, run func(*testing.B, *Encoding, string)) {
	for _, tt := range benchTexts {
		text := tt.make(rand.New(rand.NewPCG(1, 2)))
		for _, e := range []*Encoding{CL100K(), O200K()} {
			b.Run(tt.name+"/"+e.Name(), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				run(b, e, text)
			})
		}
	}
}

const benchSize = 1_000_000

var (
	russian  = strings.Fields("по на пре ста ние ко ро во ра ли ка ме сто ть ся ост грузо под тер мин ал ский ная ого ему")
	japanese = strings.Fields("の は が を に で と も から まで 船 港 積 荷 線 会話 文脈 要約 数 える ない した ている こと もの 東京 データ トークン モデル 長 大 小 新 古 する です ます")

	latin = sync.OnceValue(func() []string {
		var words []string
		v := &CL100K().tables.vocab
		for id := range uint32(60_000) {
			w, spaced := strings.CutPrefix(string(v.bytes(id)), " ")
			if spaced && len(w) > 1 && strings.Trim(w, "abcdefghijklmnopqrstuvwxyz") == "" {
				words = append(words, w)
			}
		}
		return words
	})
)

// source draws words.
type source struct {
	*rand.Rand
	zipf *rand.Zipf
}

func newSource(rng *rand.Rand, words int) source {
	return source{rng, rand.NewZipf(rng, 1.2, 8, uint64(words-1))}
}

func (s source) latin() string {
	w := latin()[s.zipf.Uint64()]
	if s.IntN(20) == 0 {
		w += latin()[s.zipf.Uint64()]
	}
	return w
}

// syllables makes the i-th word of a language for a random i: the smaller i, the shorter the word.
func (s source) syllables(of []string) string {
	i := int(s.zipf.Uint64())
	w := of[i%len(of)]
	for i /= len(of); i > 0; i /= len(of) {
		w += of[i%len(of)]
	}
	return w
}

// prose puts words into sentences.
func prose(rng *rand.Rand, word func() string) string {
	var b strings.Builder
	for b.Len() < benchSize {
		w := word()
		first, size := utf8.DecodeRuneInString(w)
		b.WriteString(string(unicode.ToUpper(first)) + w[size:])
		for range 4 + rng.IntN(14) {
			b.WriteString([]string{" ", " ", " ", " ", " ", " ", " ", ", ", " -- ", "'s "}[rng.IntN(10)] + word())
		}
		b.WriteString([]string{". ", ". ", "? ", ".\n\n"}[rng.IntN(4)])
	}
	return b.String()
}

func englishText(rng *rand.Rand) string { return prose(rng, newSource(rng, len(latin())).latin) }

func russianText(rng *rand.Rand) string {
	words := newSource(rng, 15_000)
	return prose(rng, func() string { return words.syllables(russian) })
}

func japaneseText(rng *rand.Rand) string {
	words := newSource(rng, 2000)
	var b strings.Builder
	for b.Len() < benchSize {
		for range 2 + rng.IntN(10) {
			b.WriteString(words.syllables(japanese))
		}
		b.WriteString([]string{"、", "。", "。\n", "「", "」"}[rng.IntN(5)])
	}
	return b.String()
}

func codeText(rng *rand.Rand) string {
	name := newSource(rng, len(latin())).latin
	var b strings.Builder
	for b.Len() < benchSize {
		fmt.Fprintf(&b, "func (%c *%sServer) %sCount(%s []string, n int) (int, error) {\n", 'a'+rune(rng.IntN(26)), strings.ToUpper(name()[:1]), name(), name())
		for range 1 + rng.IntN(6) {
			fmt.Fprintf(&b, "\tif %s, ok := s.%s[%s+%d]; !ok || %s.%s_%s() != nil {\n\t\treturn %d, fmt.Errorf(\"%s: %%w\", err)\n\t}\n",
				name(), name(), name(), rng.IntN(1000), name(), name(), name(), rng.IntN(1<<10), name())
		}
		b.WriteString("}\n\n")
	}
	return b.String()
}

func jsonText(rng *rand.Rand) string {
	word := newSource(rng, len(latin())).latin
	var b strings.Builder
	for b.Len() < benchSize {
		fmt.Fprintf(&b, `{"role":"tool","tool_call_id":"call_%x","content":"%s %s %s","size":%d,"ok":%v,"score":%.3f},`+"\n",
			rng.Uint32(), word(), word(), word(), rng.IntN(1e6), rng.IntN(2) == 0, rng.Float64())
	}
	return b.String()
}

func logText(rng *rand.Rand) string {
	word := newSource(rng, 400).latin
	var b strings.Builder
	for i := 0; b.Len() < benchSize; i++ {
		fmt.Fprintf(&b, "2025-03-%02dT%02d:%02d:%02d.%03dZ INFO [worker-%d] %s.%s: GET /api/%s/%d 200 %dms\n", 1+i/5000%28, rng.IntN(24),
			rng.IntN(60), rng.IntN(60), rng.IntN(1000), rng.IntN(32), word(), word(), word(), rng.IntN(1e5), rng.IntN(900))
	}
	return b.String()
}

func minifiedText(rng *rand.Rand) string {
	word := newSource(rng, 5000).latin
	v := func() string { return string(rune('a' + rng.IntN(26))) }
	var b strings.Builder
	for b.Len() < benchSize {
		fmt.Fprintf(&b, "function %s(%s,%s){return %s&&%s.%s?%s[%d]:void 0}var %s=%s(%d),", v(), v(), v(), v(), v(), word(), v(), rng.IntN(99), v(), v(), rng.IntN(9999))
	}
	return b.String()
}

func randomBytes(rng *rand.Rand, n int) []byte {
	b := make([]byte, n)
	for i := range b {
		b[i] = byte(rng.Uint32())
	}
	return b
}

func randomRunes(rng *rand.Rand, first rune, kinds, n int) string {
	runes := make([]rune, n)
	for i := range runes {
		runes[i] = first + rune(rng.IntN(kinds))
	}
	return string(runes)
}
