package hf_test

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hf"
)

// tiny is a valid file; %s takes further sections.
const tiny = `{%s "model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]}}`

func withModel(model string) string { return `{"model": ` + model + `}` }

func TestWhatIsNotSupportedIsRefusedByField(t *testing.T) {
	t.Parallel()
	deep := strings.Repeat(`{"type": "Sequence", "normalizers": [`, 40) + strings.Repeat(`{"type": "NFC"},`, 20) + `{"type": "NFC"}` + strings.Repeat(`]}`, 40)
	tests := []struct{ name, file, field, found string }{
		{"nothing at all", ``, "file", ""},
		{"something else than an object", `[1, 2]`, "file", "JSON ["},
		{"a file that is cut off", `{"model": {"type": "BPE", "vocab": {"a": 0`, "file.model", ""},
		{"an object of another kind", `{"hello": 1}`, "model", "nothing"},
		{"WordPiece", withModel(`{"type": "WordPiece", "vocab": {"a": 0}}`), "model.type", `"WordPiece"`},
		{"Unigram", withModel(`{"type": "Unigram", "vocab": [["a", -1.5]]}`), "model.type", `"Unigram"`},
		{"a model without type and merges", withModel(`{"vocab": {"a": 0}}`), "model.type", "nothing"},
		{"no vocabulary", withModel(`{"type": "BPE", "merges": []}`), "model.vocab", "nothing"},
		{"a vocabulary that is a list", withModel(`{"type": "BPE", "vocab": ["a"], "merges": []}`), "model.vocab", "JSON ["},
		{"an id that is no number", withModel(`{"type": "BPE", "vocab": {"a": "x"}, "merges": []}`), "model.vocab", `"a"`},
		{"a negative id", withModel(`{"type": "BPE", "vocab": {"a": -1}, "merges": []}`), "model.vocab", `"a"`},
		{"an id with a fraction", withModel(`{"type": "BPE", "vocab": {"a": 1.5}, "merges": []}`), "model.vocab", `"a"`},
		{"an id far above the others", withModel(`{"type": "BPE", "vocab": {"a": 4000000000}, "merges": []}`), "model.vocab", `"a"`},
		{"no merges", withModel(`{"type": "BPE", "vocab": {"a": 0}}`), "model.merges", "nothing"},
		{"a merge without a space", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": ["ab"]}`), "model.merges[0]", "no pair"},
		{"a merge with two spaces", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": ["a b c"]}`), "model.merges[0]", "no pair"},
		{"a merge of three", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": [["a", "b", "c"]]}`), "model.merges[0]", "no pair"},
		{"a merge of unknown tokens", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": ["a x"]}`), "model.merges[0]", `"x"`},
		{"a merge into an unknown token", withModel(`{"type": "BPE", "vocab": {"a": 0, "b": 1}, "merges": [["a", "b"]]}`), "model.merges[0]", `"b"`},
		{"an unknown token that is unknown", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": [], "unk_token": "?"}`), "model.unk_token", `"?"`},
		{"dropout", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": [], "dropout": 0.1}`), "model.dropout", "0.1"},
		{"a prefix inside words", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": [], "continuing_subword_prefix": "##"}`), "model.continuing_subword_prefix", `"##"`},
		{"a suffix of words", withModel(`{"type": "BPE", "vocab": {"a": 0}, "merges": [], "end_of_word_suffix": "</w>"}`), "model.end_of_word_suffix", `"</w>"`},
		{"an unknown normaliser", fmt.Sprintf(tiny, `"normalizer": {"type": "BertNormalizer"},`), "normalizer[0].type", `"BertNormalizer"`},
		{"a replacement by expression", fmt.Sprintf(tiny, `"normalizer": {"type": "Replace", "pattern": {"Regex": " +"}, "content": " "},`), "normalizer[0].pattern", "no plain string"},
		{"replacements that explode", fmt.Sprintf(tiny, `"normalizer": {"type": "Sequence", "normalizers": [`+strings.Repeat(`{"type": "Replace", "pattern": {"String": "a"}, "content": "aaaaaaaaaa"},`, 9)+`{"type": "NFC"}]},`), "normalizer[1].content", "100 times"},
		{"too many steps, deeply nested", fmt.Sprintf(tiny, `"normalizer": `+deep+`,`), "normalizer", "17 steps"},
		{"an unknown pre-tokenizer", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "BertPreTokenizer"},`), "pre_tokenizer[0].type", `"BertPreTokenizer"`},
		{"an unknown expression", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "Split", "pattern": {"Regex": "[a-z]+"}, "behavior": "Isolated", "invert": false},`), "pre_tokenizer[0].pattern", `"[a-z]+"`},
		{"a known expression used otherwise", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "Split", "pattern": {"Regex": `+quoted(cl100k)+`}, "behavior": "Removed", "invert": false},`), "pre_tokenizer[0].pattern", `"Removed"`},
		{"a split without a pattern", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "Split", "behavior": "Isolated"},`), "pre_tokenizer[0].pattern", "no pattern"},
		{"a literal turned around", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "Split", "pattern": {"String": "-"}, "behavior": "Isolated", "invert": true},`), "pre_tokenizer[0].behavior", "invert true"},
		{"metaspace with two characters", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "Metaspace", "replacement": "__"},`), "pre_tokenizer[0]", `"__"`},
		{"a prefix space in the middle", fmt.Sprintf(tiny, `"pre_tokenizer": {"type": "Sequence", "pretokenizers": [{"type": "Digits"}, {"type": "ByteLevel"}]},`), "pre_tokenizer[1].add_prefix_space", "true"},
		{"an unknown post-processor", fmt.Sprintf(tiny, `"post_processor": {"type": "Other"},`), "post_processor[0].type", `"Other"`},
		{"a template with the text twice", fmt.Sprintf(tiny, `"post_processor": {"type": "TemplateProcessing", "single": [{"Sequence": {"id": "A"}}, {"Sequence": {"id": "A"}}]},`), "post_processor.single", "twice"},
		{"an unknown decoder", fmt.Sprintf(tiny, `"decoder": {"type": "WordPiece"},`), "decoder[0]", `"WordPiece"`},
		{"a huge added token", fmt.Sprintf(tiny, `"added_tokens": [{"id": 5, "content": "`+strings.Repeat("x", 5000)+`"}],`), "added_tokens[0].content", "5000 bytes"},
		{"a section of the wrong type", fmt.Sprintf(tiny, `"normalizer": "NFC",`), "normalizer", ""},
		{"a tekken file without tokens", `{"config": {"pattern": ` + quoted(cl100k) + `, "default_vocab_size": 300}, "vocab": []}`, "config.default_vocab_size", "300"},
		{"a tekken file with another pattern", `{"config": {"pattern": "x"}, "vocab": []}`, "config.pattern", `"x"`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, err := hf.Parse(strings.NewReader(tt.file))
			var format *hf.FormatError
			if !errors.As(err, &format) {
				t.Fatalf("got %v, want a FormatError", err)
			}
			if format.Field != tt.field || !strings.Contains(format.Found, tt.found) {
				t.Errorf("field %q found %q, want %q %q", format.Field, format.Found, tt.field, tt.found)
			}
			if !strings.HasPrefix(err.Error(), "hf: "+tt.field) || len(err.Error()) > 500 {
				t.Errorf("message: %s", err)
			}
		})
	}
}

func quoted(s string) string {
	data, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(data)
}

func TestTheErrorForAnotherKindOfModelSaysWhatToDo(t *testing.T) {
	t.Parallel()
	_, err := hf.Parse(strings.NewReader(withModel(`{"type": "Unigram", "vocab": []}`)))
	want := `hf: model.type: found "Unigram": supported is "BPE" (count this model by an estimate, or convert its tokenizer to BPE)`
	if err == nil || err.Error() != want {
		t.Errorf("got  %v\nwant %s", err, want)
	}
}

func TestMergesMayStandBeforeTheVocabulary(t *testing.T) {
	t.Parallel()
	tok := parse(t, []byte(`{"model": {"merges": ["a b"], "vocab": {"a": 0, "b": 1, "ab": 2}, "type": "BPE"}}`))
	if got := tok.Encode("aab", nil); !slices.Equal(got, []uint32{0, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestOfTwoEntriesForOneTokenTheLaterCounts(t *testing.T) {
	t.Parallel()
	tok := parse(t, []byte(`{"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2, "ba": 5, "a": 4}, "merges": ["a b", "b a", "a b"]}}`))
	if got := tok.Encode("aaba", nil); !slices.Equal(got, []uint32{4, 4, 5}) {
		t.Errorf("got %v", got)
	}
}

func TestEscapedTokensAreRead(t *testing.T) {
	t.Parallel()
	tok := parse(t, []byte(`{"model": {"type": "BPE", "vocab": {"\"": 0, "\u65e5": 1, "\\": 2, "\"\u65e5": 3}, "merges": [["\"", "\u65e5"]]}}`))
	if got := tok.Encode(`"日\`, nil); !slices.Equal(got, []uint32{3, 2}) {
		t.Errorf("got %v", got)
	}
}

func TestLoadTakesADirectoryOrAFileAndNamesIt(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "my-model")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := hf.Load(dir); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("an empty directory: %v", err)
	}
	for _, name := range []string{"tokenizer.json", "other.json"} {
		if err := os.WriteFile(filepath.Join(dir, name), fmt.Appendf(nil, tiny, ""), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]string{dir: "my-model", filepath.Join(dir, "tokenizer.json"): "my-model", filepath.Join(dir, "other.json"): "other"} {
		tok, err := hf.Load(path)
		if err != nil {
			t.Fatal(err)
		}
		if tok.Name() != want || tok.Count("abab") != 2 {
			t.Errorf("%s: name %q, count %d; want %q, 2", path, tok.Name(), tok.Count("abab"), want)
		}
	}
	if _, err := hf.Load(filepath.Join(dir, "missing.json")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
}

// tekkenFile writes a vocabulary in Mistral's format: the bytes, then longer tokens in order.
func tekkenFile(t *testing.T, specials int, longer []string) []byte {
	t.Helper()
	type entry struct {
		Rank  int    `json:"rank"`
		Bytes []byte `json:"token_bytes"`
	}
	var list []entry
	for b := range 256 {
		list = append(list, entry{b, []byte{byte(b)}})
	}
	for _, token := range longer {
		list = append(list, entry{len(list), []byte(token)})
	}
	data, err := json.Marshal(object{
		"config": object{"pattern": cl100k, "default_vocab_size": specials + len(list) - 1, "default_num_special_tokens": specials},
		"vocab":  list,
	})
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// The last token of the file is beyond default_vocab_size and not used.
func TestTekkenFilesMergeByRankOfTheResult(t *testing.T) {
	t.Parallel()
	tok := parse(t, tekkenFile(t, 10, []string{"bc", "ab", "abcd", "cd", "the"}))
	id := func(s string) uint32 {
		return 10 + 256 + uint32(slices.Index([]string{"bc", "ab", "abcd", "cd", "the"}, s))
	}
	tests := []struct {
		text string
		want []uint32
	}{
		{"abc", []uint32{10 + 'a', id("bc")}},
		{"ab", []uint32{id("ab")}},
		{"abcd", []uint32{id("abcd")}},                              // a piece that is a token
		{"xabcd", []uint32{10 + 'x', 10 + 'a', id("bc"), 10 + 'd'}}, // bc comes first and blocks ab and cd
		{"cdcd", []uint32{id("cd"), id("cd")}},
		{"the", []uint32{10 + 't', 10 + 'h', 10 + 'e'}},
	}
	for _, tt := range tests {
		got := tok.Encode(tt.text, nil)
		if !slices.Equal(got, tt.want) {
			t.Errorf("%s: got %v, want %v", tt.text, got, tt.want)
		}
		if back, err := tok.Decode(got); err != nil || back != tt.text {
			t.Errorf("%s: decoded to %q, %v", tt.text, back, err)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add(fmt.Appendf(nil, tiny, ""))
	for _, c := range miniCases(f) {
		f.Add(shrink(f, c.File))
	}
	f.Add([]byte(`{"config": {"pattern": "x", "default_vocab_size": 1}, "vocab": [{"rank": 0, "token_bytes": "` + base64.StdEncoding.EncodeToString([]byte("a")) + `"}]}`))
	f.Fuzz(func(t *testing.T, file []byte) {
		tok, err := hf.Parse(strings.NewReader(string(file)))
		if err != nil {
			var format *hf.FormatError
			if !errors.As(err, &format) {
				t.Fatalf("%T: %v", err, err)
			}
			return
		}
		framed := tok.With(hf.Options{ParseSpecial: true, AddSpecial: true})
		for _, text := range []string{"", "the <s>  b\n\nab", "\xff日e\u0301"} {
			if n, ids := framed.Count(text), framed.Encode(text, nil); n != len(ids) {
				t.Errorf("Count %d, Encode %d", n, len(ids))
			}
			if _, err := tok.Decode(tok.Encode(text, nil)); err != nil {
				t.Error(err)
			}
		}
	})
}

// shrink leaves the 256 bytes out of a vocabulary, so that the fuzzer has less to carry.
func shrink(f *testing.F, file []byte) []byte {
	var top map[string]any
	if err := json.Unmarshal(file, &top); err != nil {
		f.Fatal(err)
	}
	model := top["model"].(map[string]any)
	vocab := model["vocab"].(map[string]any)
	used := strings.ToLower(fmt.Sprint(model["merges"]))
	for token := range vocab {
		if len(token) < 7 && !strings.Contains(used, strings.ToLower(token)) && token != "<unk>" {
			delete(vocab, token)
		}
	}
	data, err := json.Marshal(top)
	if err != nil {
		f.Fatal(err)
	}
	return data
}
