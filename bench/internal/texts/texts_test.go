package texts

import (
	"hash/fnv"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

func goRoot(t *testing.T) string {
	t.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

func TestGeneratedTextsAreTheSameForEver(t *testing.T) {
	t.Parallel()
	words := []string{"load", "line", "Harbour", "of", "the", "depth"}
	tests := []struct {
		name string
		text string
		want uint64
	}{
		{"logs", fill(20_000, newLogs(words).line), 0x227f840e3479d2c2},
		{"blob", fill(20_000, newBlob().block), 0xa6bfefe361240b67},
		{"minified", fill(20_000, newMinified(words).statement), 0x43a1a9b88c7e5df7},
		{"requests", fill(20_000, newChat(4, words).request), 0xea0025e88ff153ef},
		{"chat", fill(20_000, newChat(5, words).turn), 0x66d292b1fc45d961},
		{"japanese", fill(20_000, (&kana{6}).phrase), 0x131e743587107769},
		{"edges", strings.Join(Edges(), "\x01"), 0x796a39ce54142107},
	}
	for _, test := range tests {
		h := fnv.New64a()
		h.Write([]byte(test.text))
		if got := h.Sum64(); got != test.want {
			t.Errorf("%s: hash %#x, want %#x: figures of other runs cannot be compared with this text", test.name, got, test.want)
		}
	}
}

func TestAllTextsAreValidAndLongEnough(t *testing.T) {
	t.Parallel()
	const n = 50_000
	all, err := All(Options{GoRoot: goRoot(t), Bytes: n})
	if err != nil {
		t.Fatal(err)
	}
	for _, text := range all {
		want := n
		if text.Name == "blob" || text.Name == "minjs" {
			want = n / 2
		}
		if len(text.Data) > want || len(text.Data) < want-3 {
			t.Errorf("%s has %d bytes, want %d", text.Name, len(text.Data), want)
		}
		if !utf8.ValidString(text.Data) {
			t.Errorf("%s is not valid UTF-8", text.Name)
		}
	}
}

func TestAdversarialTextsHaveTheLengthAskedFor(t *testing.T) {
	t.Parallel()
	for _, a := range Adversarials() {
		if got := len(a.Make(10_000)); got > 10_000 || got < 9_997 {
			t.Errorf("%s has %d bytes, want 10000", a.Name, got)
		}
	}
}

func TestEdgesAreValidUTF8(t *testing.T) {
	t.Parallel()
	for _, s := range Edges() {
		if !utf8.ValidString(s) {
			t.Errorf("%q is not valid UTF-8", s)
		}
	}
}

func TestCutNeverSplitsACharacter(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text string
		n    int
		want string
	}{
		{"abc", 5, "abc"},
		{"abc", 2, "ab"},
		{"a日本", 3, "a"},
		{"a日本", 4, "a日"},
		{"日", 1, ""},
	}
	for _, test := range tests {
		if got := Cut(test.text, test.n); got != test.want {
			t.Errorf("Cut(%q, %d) = %q, want %q", test.text, test.n, got, test.want)
		}
	}
}

func TestCommentsKeepProseAndLeaveTheRest(t *testing.T) {
	t.Parallel()
	source := strings.Join([]string{
		"// Copyright of someone,", "// two", "// three", "",
		"//go:build linux", "// One", "// two", "//", "//\tthree", "package p", "", "// too", "// short", "var x int // not a block", "",
	}, "\n")
	got := comments(source)
	want := "One\ntwo\n\n\tthree\n"
	if len(got) != 1 || got[0] != want {
		t.Errorf("got %q, want only %q", got, want)
	}
}

func TestMissingSourcesAreAnError(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "src"), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := All(Options{GoRoot: root}); err == nil {
		t.Error("no error for a Go distribution without sources")
	}
}

func TestInterleaveTakesFromEachListInTurn(t *testing.T) {
	t.Parallel()
	got := interleave([][]string{{"a", "b", "c"}, {"1"}}, 100)
	if want := "a\n1\nb\nc\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
