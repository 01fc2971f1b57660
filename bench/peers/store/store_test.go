package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
	"github.com/plimsoll/plimsoll/bench/internal/workload"
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

func TestWhatIsStoredIsReadAndFound(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "store.db")
	var text bytes.Buffer
	if err := workload.Write(&text, source(t), 2<<20); err != nil {
		t.Fatal(err)
	}
	answer, err := put(t.Context(), file, &text)
	if err != nil {
		t.Fatal(err)
	}
	stored := answer.(storage.Stored)
	found, err := grep(t.Context(), file, stored.Ref)
	if err != nil || found.(storage.GrepAnswer).Matches != workload.Needles {
		t.Errorf("got %+v, %v; want %d matches", found, err, workload.Needles)
	}
	read, err := reads(t.Context(), file, stored.Ref, stored.Lines)
	if err != nil || len(read.(storage.ReadAnswer).Reads) != 5 {
		t.Errorf("got %+v, %v; want five places", read, err)
	}
}
