package hf_test

import (
	"encoding/json"
	"os"
	"slices"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/plimsoll/plimsoll/token/hf"
	"github.com/plimsoll/plimsoll/token/internal/split"
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
	return []family{gpt2(), llama3(), qwen(), llama2(), gemma(), mistral(), unknowns(), dropper()}
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

// build trains a tokenizer and writes its file. The settings are those of the model section.
func build(name string, ref *reference, alphabet []string, merges int, tokens []added, pairs bool, settings, sections object) family {
	var pieces [][]string
	for _, p := range ref.pieces(ref.normalize(trainingText()), true) {
		pieces = append(pieces, ref.symbols(p))
	}
	got := train(pieces, alphabet, merges)
	ref.ids = make(map[string]uint32)
	ref.ranks = make(map[[2]string]int)
	for i, t := range got.tokens {
		ref.ids[t] = uint32(i)
	}
	var list []any
	for i, m := range got.merges {
		ref.ranks[m] = i
		if pairs {
			list = append(list, m)
		} else {
			list = append(list, m[0]+" "+m[1])
		}
	}
	for i := range tokens {
		id, ok := ref.ids[tokens[i].Content]
		if !ok {
			id = uint32(len(got.tokens) + i)
		}
		tokens[i].ID = id
	}
	ref.added = tokens
	model := object{"type": "BPE", "vocab": ref.ids, "merges": list}
	for k, v := range settings {
		model[k] = v
	}
	file := object{"version": "1.0", "added_tokens": tokens, "model": model}
	for k, v := range sections {
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
	f := build("GPT-2", ref, allBytes(), 300, []added{special("<|endoftext|>")}, false, nil,
		object{"pre_tokenizer": byteLevel(true), "decoder": byteLevel(true), "post_processor": byteLevel(true)})
	f.reversible = true
	return f
}

func llama3() family {
	ref := &reference{normalize: unchanged, pieces: patternPieces(split.CL100K), symbols: byteChars, whole: true}
	f := build("Llama 3", ref, allBytes(), 400, []added{special("<|begin|>"), special("<|eot|>")}, true,
		object{"ignore_merges": true},
		object{"pre_tokenizer": sequence("pretokenizers", splitBy(cl100k), byteLevel(false)), "decoder": byteLevel(true)})
	f.reversible = true
	return f
}

func qwen() family {
	ref := &reference{normalize: norm.NFC.String, pieces: patternPieces(split.Qwen2), symbols: byteChars}
	return build("Qwen", ref, allBytes(), 300, []added{special("<|im_start|>"), ordinary("<tool_call>"), ordinary("</tool_call>"), ordinary("<tool")}, true, nil,
		object{"normalizer": object{"type": "NFC"}, "pre_tokenizer": sequence("pretokenizers", splitBy(qwen2), byteLevel(false)), "decoder": byteLevel(true)})
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

var fallbackSettings = object{"unk_token": "<unk>", "fuse_unk": true, "byte_fallback": true}

func llama2() family {
	ref := &reference{
		normalize: func(text string) string { return "▁" + replaceSpace(text) },
		pieces:    onePiece,
		symbols:   speller{known: known(withFallback()), fallback: true}.symbols,
	}
	return build("Llama 2", ref, withFallback(), 300, []added{special("<s>"), special("<unk>")}, false, fallbackSettings,
		object{"normalizer": sequence("normalizers", object{"type": "Prepend", "prepend": "▁"}, spaceReplacer()), "decoder": spaceDecoder(true)})
}

func gemma() family {
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(withFallback()), fallback: true}.symbols}
	return build("Gemma", ref, withFallback(), 500,
		[]added{special("<s>"), ordinary("\n"), ordinary("\n\n"), ordinary("\n\n\n"), ordinary("▁▁"), ordinary("<b>")}, true, fallbackSettings,
		object{
			"normalizer": spaceReplacer(), "decoder": spaceDecoder(false),
			"pre_tokenizer": object{"type": "Split", "pattern": object{"String": " "}, "behavior": "MergedWithPrevious", "invert": false},
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
	return build("Mistral", ref, withFallback(), 200, []added{special("<s>"), ordinary("[X]")}, false, fallbackSettings,
		object{"pre_tokenizer": meta, "decoder": spaceDecoder(true)})
}

// unknowns has no byte tokens: what it does not know is one unknown token per run.
func unknowns() family {
	alphabet := fewChars("<unk>")
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(alphabet), unknown: "<unk>", fuse: true}.symbols}
	return build("unknown fused", ref, alphabet, 200, nil, true, object{"unk_token": "<unk>", "fuse_unk": true},
		object{"normalizer": spaceReplacer()})
}

// dropper has not even an unknown token: what it does not know leaves no trace.
func dropper() family {
	alphabet := fewChars()
	ref := &reference{normalize: replaceSpace, pieces: onePiece, symbols: speller{known: known(alphabet)}.symbols}
	return build("unknown dropped", ref, alphabet, 200, nil, true, nil, object{"normalizer": spaceReplacer()})
}

func parse(t testing.TB, file []byte) *hf.Tokenizer {
	t.Helper()
	tok, err := hf.Parse(strings.NewReader(string(file)))
	if err != nil {
		t.Fatal(err)
	}
	return tok
}
