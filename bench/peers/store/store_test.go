package main

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
		if err := write(to, dir, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(a.Bytes(), b.Bytes()) {
		t.Error("two texts differ")
	}
	if got := bytes.Count(a.Bytes(), []byte(storage.Needle+"\n")); got != needles {
		t.Errorf("%d needles, want %d", got, needles)
	}
	if a.Len() < 1<<20 || a.Len() > 1<<20+64<<10 {
		t.Errorf("%d bytes, want about %d", a.Len(), 1<<20)
	}
}

func TestWhatIsStoredIsReadAndFound(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "store.db")
	var text bytes.Buffer
	if err := write(&text, source(t), 2<<20); err != nil {
		t.Fatal(err)
	}
	answer, err := put(t.Context(), file, &text)
	if err != nil {
		t.Fatal(err)
	}
	stored := answer.(storage.Stored)
	found, err := grep(t.Context(), file, stored.Ref)
	if err != nil || found.(storage.GrepAnswer).Matches != needles {
		t.Errorf("got %+v, %v; want %d matches", found, err, needles)
	}
	read, err := reads(t.Context(), file, stored.Ref, stored.Lines)
	if err != nil || len(read.(storage.ReadAnswer).Reads) != 5 {
		t.Errorf("got %+v, %v; want five places", read, err)
	}
}

func TestOutputsHaveTheirSizeAndDiffer(t *testing.T) {
	t.Parallel()
	made, err := newText(source(t), 2)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for range 50 {
		output := made.output(refBytes)
		if len(output) > refBytes || len(output) < refBytes-3 {
			t.Errorf("%d bytes, want %d", len(output), refBytes)
		}
		if seen[output] {
			t.Error("the same output twice")
		}
		seen[output] = true
	}
}
