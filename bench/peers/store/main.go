// Command store measures Plimsoll's store for the benchmark. Each call is one
// process, so that its memory and its CPU time are those of one measurement.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/bench/internal/workload"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

func main() {
	answer, err := do(context.Background(), os.Args[1:])
	if err == nil && answer != nil {
		err = json.NewEncoder(os.Stdout).Encode(answer)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "store:", err)
		os.Exit(1)
	}
}

func do(ctx context.Context, args []string) (any, error) {
	switch {
	case len(args) == 3 && args[0] == "text":
		n, err := strconv.ParseInt(args[2], 10, 64)
		if err != nil {
			return nil, err
		}
		return nil, workload.Write(os.Stdout, args[1], n)
	case len(args) == 3 && args[0] == "pairs":
		return pairs(ctx, args[1], args[2])
	case len(args) == 2 && args[0] == "put":
		return put(ctx, args[1], os.Stdin)
	case len(args) == 4 && args[0] == "reads":
		lines, err := strconv.ParseInt(args[3], 10, 64)
		if err != nil {
			return nil, err
		}
		return reads(ctx, args[1], args[2], lines)
	case len(args) == 3 && args[0] == "grep":
		return grep(ctx, args[1], args[2])
	case len(args) == 3 && args[0] == "refs":
		return refs(ctx, args[1], args[2])
	}
	return nil, fmt.Errorf("unknown command %q", args)
}

// open opens the store in a file, with a clock if there is one.
func open(ctx context.Context, file string, now func() time.Time) (*store.Store, error) {
	db, err := sqlite.Open(ctx, file, &sqlite.Options{Now: now})
	if err != nil {
		return nil, err
	}
	return store.New(ctx, db, &store.Options{Now: now})
}

// peak returns the most memory that this process had so far. What the system adds up
// for its parent has the parent's own memory in it.
func peak() int64 {
	status, err := os.ReadFile(filepath.Join("/proc", "self", "status"))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if value, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kib, _ := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(value), "kB")), 10, 64)
			return kib << 10
		}
	}
	return 0
}
