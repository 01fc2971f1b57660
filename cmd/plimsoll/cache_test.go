package main

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/pgtest"
)

// runHere runs a command line in this process and returns what it prints.
func runHere(stdin string, args ...string) (out string, status int) {
	var stdout, stderr strings.Builder
	status = run(&process{args: args, stdin: strings.NewReader(stdin), stdout: &stdout, stderr: &stderr})
	return stdout.String() + stderr.String(), status
}

var anyRef = regexp.MustCompile(`\b[a-z0-9]{26}\b`)

// session does everything with a store and returns what it printed.
func session(t *testing.T, where string) string {
	t.Helper()
	var log strings.Builder
	do := func(stdin string, want int, args ...string) string {
		out, status := runHere(stdin, append(args, "--store", where)...)
		if status != want {
			t.Errorf("%q: status %d, want %d\n%s", args, status, want, out)
		}
		log.WriteString(anyRef.ReplaceAllString(out, "REF"))
		return out
	}
	text := strings.Repeat("the tide turns\nand turns again\r\n", 20_000) + "at 22:06"
	ref := anyRef.FindString(do(text, 0, "cache", "put", "--note", "tides"))
	do("", 0, "cache", "get", ref, "--offset", "39999")
	if got := do("", 0, "cache", "get", ref, "--raw"); got != text {
		t.Errorf("%d bytes came back, want %d", len(got), len(text))
	}
	do("", 0, "cache", "grep", ref, "22:0[0-9]", "--regex", "-B", "2")
	do("", 2, "cache", "get", ref, "--tenant", "other")
	// What a reference weighs depends on its letters, so the figures of fit differ.
	if out, status := runHere("", "fit", "--example", "--window", "12000", "--store", where); status != 0 || !strings.Contains(out, "archived=") {
		t.Errorf("fit: status %d\n%s", status, out)
	}
	const parts = `[{"type":"text","text":"see"},{"type":"media","kind":"image","mime":"image/png","data":"iVBORw=="}]` + "\n"
	mixed := anyRef.FindString(do(parts, 0, "cache", "put", "--parts"))
	if got := do("", 0, "cache", "get", mixed, "--raw"); got != parts {
		t.Errorf("%q came back, want %q", got, parts)
	}
	do("", 0, "cache", "get", mixed, "--part", "1")
	do("", 0, "cache", "check")
	do("", 0, "cache", "gc", "--unreferenced", "--dry-run", "--erase", "--grace", "0s")
	do("", 0, "cache", "rm", ref, "--erase")
	do("", 2, "cache", "get", ref)
	do("", 0, "cache", "gc", "--unreferenced", "--erase", "--grace", "0s", "--max-age", "0s")
	do("", 0, "cache", "stats")
	return log.String()
}

func TestO08_PostgreSQLGivesWhatSQLiteGives(t *testing.T) {
	t.Parallel()
	database := pgtest.Database(t)
	want := session(t, filepath.Join(t.TempDir(), "store.db"))
	if diff := cmp.Diff(want, session(t, database)); diff != "" {
		t.Errorf("-sqlite +postgres\n%s", diff)
	}
}

func TestAgesAndSizesAreReadAsPeopleWriteThem(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]time.Duration{"90m": 90 * time.Minute, "12h": 12 * time.Hour, "30d": 720 * time.Hour, "1.5d": 36 * time.Hour, "2w": 336 * time.Hour, "0s": 0, "0": 0, "-1h": -1, "d": -1, "x": -1, "-2d": -1} {
		var got age
		if err := got.UnmarshalText([]byte(text)); err != nil {
			got = -1
		}
		if time.Duration(got) != want {
			t.Errorf("%q is %v, want %v", text, time.Duration(got), want)
		}
	}
	for text, want := range map[string]int64{"0": 0, "1024": 1024, "500MB": 500_000_000, "2GiB": 2 << 30, "1.5 kib": 1536, "7b": 7, "-1": -1, "MB": -1, "9e30": -1} {
		var got byteSize
		if err := got.UnmarshalText([]byte(text)); err != nil {
			got = -1
		}
		if int64(got) != want {
			t.Errorf("%q is %d, want %d", text, got, want)
		}
	}
}

func TestForeignTextCannotSteerTheTerminal(t *testing.T) {
	t.Parallel()
	var out strings.Builder
	n, err := cleaner{&out}.Write([]byte("    1  a\x1b[2Jb\tc\n    2  \u202ed"))
	if want := "    1  a?[2Jb\tc\n    2  ?d"; out.String() != want || n != len("    1  a\x1b[2Jb\tc\n    2  \u202ed") || err != nil {
		t.Errorf("%q, want %q", out.String(), want)
	}
}
