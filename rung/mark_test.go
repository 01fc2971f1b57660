package rung

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

func TestMarksNameTheirReference(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"[tool output trimmed; ref=c1]":                                         "c1",
		"a view\n\n[tool output truncated; ref=c1]":                             "c1",
		"[older content of a; ref=c2, which was changed later; ref=c1]":         "c1",
		"[older content of a; ref=c2, which was changed later]":                 "",
		"[ERROR] no such ticket; ref=c1]":                                       "",
		"[tool output trimmed; ref=c1":                                          "",
		"[tool output trimmed; ref=c1 or so]":                                   "",
		"[tool output trimmed; ref=c1]" + strings.Repeat("\n", markLimit) + "]": "",
		"says [tool output truncated; ref=c1]":                                  "",
	} {
		if got := markedRef(text); got != want {
			t.Errorf("markedRef(%.80q) = %q, want %q", text, got, want)
		}
	}
}

func TestAViewThatOnlyLosesLineEndsKeepsItsMark(t *testing.T) {
	t.Parallel()
	const mark = "\n\n[tool output truncated; ref=c1]"
	v := &View{MaxBytes: 100}
	if got, want := v.Text(strings.Repeat("line 1\r\n", 14)+mark, ""), strings.Repeat("line 1\n", 14)+mark; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

// It is not parallel, because it measures the memory of the process.
func TestWhatIsRememberedOfCallsDoesNotHoldThem(t *testing.T) {
	const calls, size = 16, 1 << 20
	paths := DefaultPaths()
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	var kept [][]access
	for i := range calls {
		rest := strings.Repeat("x", size)
		kept = append(kept,
			paths.accesses(patcher, fmt.Sprintf("*** Begin Patch\n*** Update File: f%d.go\n%s", i, rest)),
			paths.accesses(reader, fmt.Sprintf(`{"file_path":"f%d.go","mode":"%s"}`, i, rest)),
			paths.accesses(reader, fmt.Sprintf(`{"file_path":"%d%s"}`, i, rest)))
	}
	runtime.GC()
	runtime.ReadMemStats(&after)
	for _, list := range kept {
		if len(list) != 1 {
			t.Fatalf("found %d files", len(list))
		}
	}
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > size {
		t.Errorf("%d calls leave %d bytes", len(kept), grown)
	}
}
