package workload

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
)

// source makes a folder with code in it.
func source(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	code := "package a\n" + strings.Repeat("func f() string { return \"é\" }\n", 400)
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(code), 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestTheLargeTextIsAlwaysTheSameAndHasItsNeedles(t *testing.T) {
	t.Parallel()
	dir := source(t)
	var a, b bytes.Buffer
	for _, to := range []*bytes.Buffer{&a, &b} {
		if err := Write(to, dir, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two texts differ")
	}
	if got := bytes.Count(a.Bytes(), []byte(storage.Needle+"\n")); got != Needles {
		t.Errorf("%d needles, want %d", got, Needles)
	}
	if a.Len() < 1<<20 || a.Len() > 1<<20+64<<10 {
		t.Errorf("%d bytes, want about %d", a.Len(), 1<<20)
	}
}

func TestOutputsHaveTheirSizeAndDiffer(t *testing.T) {
	t.Parallel()
	made, err := NewText(source(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 50 {
		output := made.Output(Bytes)
		if len(output) > Bytes || len(output) < Bytes-3 {
			t.Errorf("%d bytes, want %d", len(output), Bytes)
		}
		if seen[output] {
			t.Error("the same output twice")
		}
		seen[output] = true
	}
}
