package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestCheckNamesWhatIsDamagedAndPutRepairsIt(t *testing.T) {
	t.Parallel()
	where := filepath.Join(t.TempDir(), "store.db")
	do := func(stdin string, want int, args ...string) string {
		t.Helper()
		out, status := runHere(stdin, append(args, "--store", where)...)
		if status != want {
			t.Errorf("%q: status %d, want %d\n%s", args, status, want, out)
		}
		return out
	}
	const text = "the harbour master's log"
	ref := do(text, 0, "cache", "put")
	id := anyRef.FindString(ref)
	if out := do("", 0, "cache", "check") + do("", 0, "cache", "check", "--json"); out != "[]\n" {
		t.Errorf("a sound store gave %q", out)
	}

	data, err := os.ReadFile(where)
	at := bytes.Index(data, []byte("harbour"))
	if err != nil || at < 0 {
		t.Fatalf("the text is not in the file: %v", err)
	}
	data[at] ^= 1
	if err := os.WriteFile(where, data, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{{"cache", "check"}, {"cache", "check", "--json"}} {
		out := do("", 1, args...)
		for _, want := range []string{"object " + id, "plimsoll: check the store: stored content is damaged: 2 findings", "hint: store it again"} {
			if !strings.Contains(out, want) {
				t.Errorf("%q does not say %q:\n%s", args, want, out)
			}
		}
	}
	do("", 1, "cache", "get", id)

	if again := do(text, 0, "cache", "put"); again != ref {
		t.Errorf("stored again as %s, want %s", again, ref)
	}
	if got := do("", 0, "cache", "get", id, "--raw"); got != text {
		t.Errorf("got %q", got)
	}
	do("", 0, "cache", "check")
}
