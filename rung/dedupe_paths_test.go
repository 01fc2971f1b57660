package rung

import (
	"fmt"
	"runtime"
	"strings"
	"testing"
)

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
