package hf_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plimsoll/plimsoll/internal/hf"
	"github.com/plimsoll/plimsoll/internal/split"
)

// A family is a small tokenizer of our own in the shape of a real one, as a file and as a reference.
type family struct {
	name string
	file []byte
	ref  *reference
	// reversible says that decoding gives back any text.
	reversible bool
}

// object is JSON in a test.
type object = map[string]any

const (
	cl100k = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
)

func splitBy(regex string) object {
	return object{"type": "Split", "pattern": object{"Regex": regex}, "behavior": "Isolated", "invert": false}
}

func byteLevel(regex bool) object {
	return object{"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": regex}
}

func sequence(field string, steps ...object) object {
	return object{"type": "Sequence", field: steps}
}

// smallFamilies returns all of them, trained once.
var smallFamilies = sync.OnceValue(func() []family {
	return []family{gpt2(), llama3(), qwen(), llama2(), gemma(), mistral(), shuffled(), unknowns(), dropper()}
})

// trainingText is what the small tokenizers learn from.
func trainingText() string {
	var all strings.Builder
	for _, name := range []string{"prose", "code", "scripts"} {
		data, err := os.ReadFile("testdata/texts/" + name + ".txt")
		if err != nil {
			panic(err)
		}
		all.Write(data)
	}
	return all.String()
}

func patternPieces(p split.Pattern) func(string, bool) []string {
	return func(text string, _ bool) []string {
		var out []string
		for pos := 0; pos < len(text); {
			end := p.Next(text, pos)
			out = append(out, text[pos:end])
			pos = end
		}
		return out
	}
}

func unchanged(text string) string { return text }

// recipe says how to make a family.
type recipe struct {
	alphabet []string
	merges   int
	shuffled bool // all ways to make each token, in any order, instead of the merges that training found
	pairs    bool // write merges as pairs
	added    []added
	settings object // of the model section
	sections object
}

// build trains a tokenizer and writes its file.
func build(name string, ref *reference, r recipe) family {
	var pieces [][]string
	for _, p := range ref.pieces(ref.normalize(trainingText()), true) {
		pieces = append(pieces, ref.symbols(p))
	}
	got := train(pieces, r.alphabet, r.merges)
	if r.shuffled {
		got.merges = allSplits(got.tokens)
		rand.New(rand.NewPCG(1, 2)).Shuffle(len(got.merges), func(i, j int) { got.merges[i], got.merges[j] = got.merges[j], got.merges[i] })
	}
	ref.ids = make(map[string]uint32)
	ref.ranks = make(map[[2]string]int)
	for i, t := range got.tokens {
		ref.ids[t] = uint32(i)
	}
	var list []any
	for i, m := range got.merges {
		ref.ranks[m] = i
		if r.pairs {
			list = append(list, m)
		} else {
			list = append(list, m[0]+" "+m[1])
		}
	}
	for i := range r.added {
		id, ok := ref.ids[r.added[i].Content]
		if !ok {
			id = uint32(len(got.tokens) + i)
		}
		r.added[i].ID = id
	}
	ref.added = r.added
	model := object{"type": "BPE", "vocab": ref.ids, "merges": list}
	for k, v := range r.settings {
		model[k] = v
	}
	file := object{"version": "1.0", "added_tokens": r.added, "model": model}
	for k, v := range r.sections {
		file[k] = v
	}
	data, err := json.Marshal(file)
	if err != nil {
		panic(err)
	}
	return family{name: name, file: data, ref: ref}
}

func allBytes() []string {
	var out []string
	for b := range 256 {
		out = append(out, byteChar(byte(b)))
	}
	return out
}

func special(content string) added  { return added{Content: content, Special: true} }
func ordinary(content string) added { return added{Content: content} }

func gpt2() family {
	ref := &reference{normalize: unchanged, pieces: patternPieces(split.GPT2), symbols: byteChars}
	f := build("GPT-2", ref, recipe{
		alphabet: allBytes(), merges: 300, added: []added{special("<|endoftext|>")},
		sections: object{"pre_tokenizer": byteLevel(true), "decoder": byteLevel(true), "post_processor": byteLevel(true)},
	})
	f.reversible = true
	return f
}

func llama3() family {
	ref := &reference{normalize: unchanged, pieces: patternPieces(split.CL100K), symbols: byteChars, whole: true}
	f := build("Llama 3", ref, recipe{
		alphabet: allBytes(), merges: 400, pairs: true, added: []added{special("<|begin|>"), special("<|eot|>")},
		settings: object{"ignore_merges": true},
		sections: object{"pre_tokenizer": sequence("pretokenizers", splitBy(cl100k), byteLevel(false)), "decoder": byteLevel(true)},
	})
	f.reversible = true
	return f
}

func qwen() family {
	ref := &reference{normalize: norm.NFC.String, pieces: patternPieces(split.Qwen2), symbols: byteChars}
	return build("Qwen", ref, recipe{
		alphabet: allBytes(), merges: 300, pairs: true,
		added: []added{special("<|im_start|>"), ordinary("<tool_call>"), ordinary("</tool_call>"), ordinary("<tool")},
		sections: object{
			"normalizer": object{"type": "NFC"}, "decoder": byteLevel(true),
			"pre_tokenizer": sequence("pretokenizers", splitBy(qwen2), byteLevel(false)),
		},
	})
}

// fewChars is an alphabet without most characters, so that the others need a fallback.
func fewChars(tokens ...string) []string {
	out := slices.Clone(tokens)
	for _, r := range "▁etaoinshrdlucmfwypvbgkqjxzABCDEFGHISTW.,'\"()-0123\né日本語のカ" {
		out = append(out, string(r))
	}
	return out
}

func withFallback() []string {
	out := []string{"<unk>", "<s>"}
	for b := range 256 {
		out = append(out, fallbackToken(byte(b)))
	}
	return fewChars(out...)
}

func known(alphabet []string) map[string]uint32 {
	m := make(map[string]uint32)
	for i, s := range alphabet {
		if utf8.RuneCountInString(s) == 1 {
			m[s] = uint32(i)
		}
	}
	return m
}

func replaceSpace(text string) string { return strings.ReplaceAll(text, " ", "▁") }

func spaceReplacer() object {
	return object{"type": "Replace", "pattern": object{"String": " "}, "content": "▁"}
}

func spaceDecoder(strip bool) object {
	steps := []object{{"type": "Replace", "pattern": object{"String": "▁"}, "content": " "}, {"type": "ByteFallback"}, {"type": "Fuse"}}
	if strip {
		steps = append(steps, object{"type": "Strip", "content": " ", "start": 1, "stop": 0})
	}
	return sequence("decoders", steps...)
}

func onePiece(text string, _ bool) []string { return []string{text} }

func fallbackSettings() object {
	return object{"unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true}
}

func llama2() family {
	ref := &reference{
		normalize: func(text string) string { return "▁" + replaceSpace(text) },
		pieces:    onePiece,
		symbols:   speller{known: known(withFallback()), fallback: true}.symbols,
	}
	return build("Llama 2", ref, recipe{
		alphabet: withFallback(), merges: 300, added: []added{special("<s>"), special("<unk>")}, settings: fallbackSettings(),
		sections: object{"normalizer": sequence("normalizers", object{"type": "Prepend", "prepend": "▁"}, spaceReplacer()), "decoder": spaceDecoder(true)},
	})
}

func gemma() family {
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(withFallback()), fallback: true}.symbols}
	return build("Gemma", ref, recipe{
		alphabet: withFallback(), merges: 500, pairs: true, settings: fallbackSettings(),
		added: []added{special("<s>"), ordinary("\n"), ordinary("\n\n"), ordinary("\n\n\n"), ordinary("▁▁"), ordinary("<b>")},
		sections: object{
			"normalizer": spaceReplacer(), "decoder": spaceDecoder(false),
			"pre_tokenizer": object{"type": "Split", "pattern": object{"String": " "}, "behavior": "MergedWithPrevious", "invert": false},
		},
	})
}

// allSplits returns every pair of tokens that together are a token.
func allSplits(tokens []string) [][2]string {
	var pairs [][2]string
	for _, t := range tokens {
		for i := range t {
			left, right := t[:i], t[i:]
			if i > 0 && slices.Contains(tokens, left) && slices.Contains(tokens, right) {
				pairs = append(pairs, [2]string{left, right})
			}
		}
	}
	return pairs
}

// shuffled has merges as no training gives them: several for one token, and a merge may make way for
// one of a lower rank. Gemma's list is of this kind.
func shuffled() family {
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(withFallback()), fallback: true}.symbols}
	return build("shuffled merges", ref, recipe{
		alphabet: withFallback(), merges: 500, pairs: true, shuffled: true, settings: fallbackSettings(),
		sections: object{"normalizer": spaceReplacer(), "decoder": spaceDecoder(false)},
	})
}

func mistral() family {
	ref := &reference{
		normalize: unchanged,
		pieces: func(text string, first bool) []string {
			text = replaceSpace(text)
			if first && !strings.HasPrefix(text, "▁") {
				text = "▁" + text
			}
			var out []string
			for text != "" {
				_, n := utf8.DecodeRuneInString(text)
				end := strings.Index(text[n:], "▁")
				if end < 0 {
					end = len(text) - n
				}
				out = append(out, text[:n+end])
				text = text[n+end:]
			}
			return out
		},
		symbols: speller{known: known(withFallback()), fallback: true}.symbols,
	}
	meta := object{"type": "Metaspace", "replacement": "▁", "prepend_scheme": "first", "split": true}
	return build("Mistral", ref, recipe{
		alphabet: withFallback(), merges: 200, added: []added{special("<s>"), ordinary("[X]")}, settings: fallbackSettings(),
		sections: object{"pre_tokenizer": meta, "decoder": spaceDecoder(true)},
	})
}

// unknowns has no byte tokens: what it does not know is one unknown token per run.
func unknowns() family {
	alphabet := fewChars("<unk>")
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(alphabet), unknown: "<unk>", fuse: true}.symbols}
	return build("unknown fused", ref, recipe{
		alphabet: alphabet, merges: 200, pairs: true, settings: object{"unk_token": "<unk>", "fuse_unk": true},
		sections: object{"normalizer": spaceReplacer()},
	})
}

// dropper has not even an unknown token: what it does not know leaves no trace.
func dropper() family {
	alphabet := fewChars()
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(alphabet)}.symbols}
	return build("unknown dropped", ref, recipe{alphabet: alphabet, merges: 200, pairs: true, sections: object{"normalizer": spaceReplacer()}})
}

func parse(t testing.TB, file []byte) *hf.Tokenizer {
	t.Helper()
	tok, err := hf.Parse(strings.NewReader(string(file)))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
