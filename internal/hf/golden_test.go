package hf_test

import (
	"compress/gzip"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"hash/crc32"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hf"
)

// golden is what testdata/golden.py wrote with Hugging Face's own library.
type golden struct {
	Library    string            `json:"library"`
	Vocabulary string            `json:"vocabulary"`
	Size       int               `json:"size"`
	IDs        [][]uint32        `json:"ids"`
	Decoded    map[string]string `json:"decoded"`
	Random     [][2]uint32       `json:"random"`
	Special    [][2]uint32       `json:"special"`
}

// vocabularyDir is where the real vocabularies lie, which are not part of the repository.
func vocabularyDir(t testing.TB) string {
	if dir := os.Getenv("PLIMSOLL_TOKENIZERS"); dir != "" {
		return dir
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Skipf("no PLIMSOLL_TOKENIZERS and no cache directory: %v", err)
	}
	return filepath.Join(cache, "plimsoll", "tokenizers")
}

// vocabulary returns the path of a real vocabulary, or skips and says how to get it.
func vocabulary(t testing.TB, name string) string {
	path := filepath.Join(vocabularyDir(t), name)
	if _, err := os.Stat(path); err != nil {
		t.Skipf("NOT TESTED against the real %s vocabulary: %v; run: go run ./internal/hf/internal/fetchvocab", name, err)
	}
	return path
}

func readGzip(t testing.TB, path string, into any) {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(z).Decode(into); err != nil {
		t.Fatal(err)
	}
}

// goldenTexts returns the texts of golden.py in its order: edge cases, then whole files.
func goldenTexts(t testing.TB) []string {
	t.Helper()
	data, err := os.ReadFile("testdata/edge.json")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	if err := json.Unmarshal(data, &texts); err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob("testdata/texts/*.txt")
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(files)
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts = append(texts, string(data))
	}
	return texts
}

func digest(ids []uint32) [2]uint32 {
	var buf []byte
	for _, id := range ids {
		buf = binary.LittleEndian.AppendUint32(buf, id)
	}
	return [2]uint32{uint32(len(ids)), crc32.ChecksumIEEE(buf)}
}

func TestIdsEqualThoseOfHuggingFace(t *testing.T) {
	t.Parallel()
	files, err := filepath.Glob("testdata/golden/*.json.gz")
	if err != nil || len(files) < 13 {
		t.Fatalf("golden files: %d, %v", len(files), err)
	}
	texts := goldenTexts(t)
	var noise []string
	readGzip(t, "testdata/golden/random.json.gz", &noise)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".json.gz")
		if name == "random" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			if underRace && !slices.Contains([]string{"claude", "llama2", "qwen3"}, name) {
				t.Skip("left to the run without the race detector")
			}
			path := vocabulary(t, name)
			var g golden
			readGzip(t, file, &g)
			checkVocabulary(t, filepath.Join(path, "tokenizer.json"), g.Vocabulary)
			tok, err := hf.Load(path)
			if err != nil {
				t.Fatal(err)
			}
			if tok.Name() != name || tok.VocabSize() != g.Size {
				t.Errorf("name %q, size %d; want %q, %d", tok.Name(), tok.VocabSize(), name, g.Size)
			}
			checkTexts(t, tok, &g, texts)
			checkDigests(t, tok, noise, g.Random)
			framed := tok.With(hf.Options{ParseSpecial: true, AddSpecial: true})
			checkDigests(t, framed, slices.Concat(texts, noise), g.Special)
		})
	}
}

// checkVocabulary tells another vocabulary from a wrong encoder.
func checkVocabulary(t *testing.T, file, want string) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != want {
		t.Fatalf("%s has checksum %s, the golden ids are for %s; fetch it again", file, got, want)
	}
}

func checkTexts(t *testing.T, tok *hf.Tokenizer, g *golden, texts []string) {
	t.Helper()
	for i, text := range texts {
		ids := tok.Encode(text, nil)
		if !slices.Equal(ids, g.IDs[i]) {
			t.Errorf("text %d %.60q (-want +got):\n%.600s", i, text, cmp.Diff(g.IDs[i], ids))
			continue
		}
		if n := tok.Count(text); n != len(ids) {
			t.Errorf("text %d %.60q: Count %d, Encode %d", i, text, n, len(ids))
		}
		want, changed := g.Decoded[strconv.Itoa(i)]
		if !changed {
			want = text
		}
		if got, err := tok.Decode(ids); err != nil || got != want {
			t.Errorf("text %d: Decode = %.80q, %v; want %.80q", i, got, err, want)
		}
	}
}

func checkDigests(t *testing.T, tok *hf.Tokenizer, texts []string, want [][2]uint32) {
	t.Helper()
	for i, text := range texts {
		ids := tok.Encode(text, nil)
		if got := digest(ids); got != want[i] {
			t.Errorf("text %d %.200q: %d tokens with checksum %x, want %d with %x: %v", i, text, got[0], got[1], want[i][0], want[i][1], ids)
		}
		if n := tok.Count(text); n != len(ids) {
			t.Errorf("text %d %.60q: Count %d, Encode %d", i, text, n, len(ids))
		}
	}
}
