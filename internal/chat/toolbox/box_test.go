package toolbox_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
)

// harbour is a directory with files in it, beside a secret that is not in it.
func harbour(t testing.TB) string {
	t.Helper()
	top := t.TempDir()
	dir := filepath.Join(top, "harbour")
	for name, text := range map[string]string{
		"secret.txt":             "the secret\n",
		"harbour/notes.txt":      "one quay\ntwo ships\nthree tugs\n",
		"harbour/empty.txt":      "",
		"harbour/picture.bin":    "quay\x00\x01",
		"harbour/latin.txt":      "qu\xe9 quay",
		"harbour/berths/plan.go": "package berths\n\n// Quay is deep.\n",
		"harbour/.git/config":    "quay in git\n",
		"harbour/wide.txt":       strings.Repeat("岸", 400) + "quay" + strings.Repeat("壁", 400) + "\n",
	} {
		path := filepath.Join(top, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for link, target := range map[string]string{"out.txt": "../secret.txt", "up": "..", "in.txt": "notes.txt"} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Skipf("no links here: %v", err)
		}
	}
	return dir
}

func open(t testing.TB, dir string, o *toolbox.Options) *toolbox.Box {
	t.Helper()
	box, problems, err := toolbox.New(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range problems {
		t.Error(p)
	}
	t.Cleanup(func() {
		if err := box.Close(); err != nil {
			t.Error(err)
		}
	})
	return box
}

func yes(context.Context, chat.Confirmation) bool { return true }

func use(t testing.TB, box *toolbox.Box, tool, arguments string) (text string, failed bool) {
	t.Helper()
	r := box.Call(t.Context(), plimsoll.ToolCall{Name: tool, Arguments: arguments}, yes)
	return plimsoll.TextOf(r.Content), r.IsError
}

func TestToolsShowWhatIsInTheDirectory(t *testing.T) {
	t.Parallel()
	dir := harbour(t)
	box := open(t, dir, nil)
	tests := []struct{ name, tool, arguments, want string }{
		{"a file is read whole", "read", `{"path":"notes.txt"}`, "one quay\ntwo ships\nthree tugs\n"},
		{"a file is read by lines", "read", `{"path":"./notes.txt","first":2,"last":2}`, "two ships\n"},
		{"a file is read to its end", "read", `{"path":"berths/../notes.txt","first":3}`, "three tugs\n"},
		{"a file is named absolutely", "read", `{"path":"` + filepath.ToSlash(filepath.Join(dir, "notes.txt")) + `","last":1}`, "one quay\n"},
		{"a link that stays inside is followed", "read", `{"path":"in.txt","last":1}`, "one quay\n"},
		{"an empty file says so", "read", `{"path":"empty.txt"}`, "(empty)"},
		{"bytes that are no text become marks", "read", `{"path":"latin.txt"}`, "qu\uFFFD quay"},
		{"a directory is listed", "list", `{"path":"berths"}`, "berths/plan.go 33\n"},
		{"the working directory is listed without arguments", "list", "", ".git/\nberths/\nempty.txt 0\nin.txt (link)\nlatin.txt 8\nnotes.txt 30\nout.txt (link)\npicture.bin 6\nup (link)\nwide.txt 2405\n"},
		{"directories are searched, but not what is no text", "grep", `{"pattern":"quay$"}`, "latin.txt:1: qu\uFFFD quay\nnotes.txt:1: one quay\n"},
		{"upper case is passed over on demand", "grep", `{"pattern":"quay","ignore_case":true,"files":"*.go"}`, "berths/plan.go:3: // Quay is deep.\n"},
		{"one file is searched", "grep", `{"pattern":"t[wu]","path":"notes.txt"}`, "notes.txt:2: two ships\nnotes.txt:3: three tugs\n"},
		{"a long line is shown around the match", "grep", `{"pattern":"quay","path":"wide.txt"}`, "wide.txt:1: …" + strings.Repeat("岸", 34) + "quay" + strings.Repeat("壁", 99) + "…\n"},
		{"nothing is found", "grep", `{"pattern":"submarine"}`, "no matches\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got, failed := use(t, box, tt.tool, tt.arguments); got != tt.want || failed {
				t.Errorf("got %q (failed: %v)\nwant %q", got, failed, tt.want)
			}
		})
	}
}

func TestWhatIsRefusedSaysWhy(t *testing.T) {
	t.Parallel()
	box := open(t, harbour(t), nil)
	tests := []struct{ name, tool, arguments, want string }{
		{"a path that climbs out", "read", `{"path":"../secret.txt"}`, "outside of the working directory"},
		{"a path that climbs out later", "read", `{"path":"berths/../../secret.txt"}`, "outside of the working directory"},
		{"an absolute path elsewhere", "read", `{"path":"/etc/passwd"}`, "outside of the working directory"},
		{"a link to a file outside", "read", `{"path":"out.txt"}`, "outside of the working directory"},
		{"a path through a link to a directory outside", "read", `{"path":"up/secret.txt"}`, "outside of the working directory"},
		{"a list of a directory outside", "list", `{"path":"up"}`, "outside of the working directory"},
		{"a search outside", "grep", `{"pattern":"secret","path":".."}`, "outside of the working directory"},
		{"a search of a link to a file outside", "grep", `{"pattern":"secret","path":"out.txt"}`, "outside of the working directory"},
		{"a file that is not there", "read", `{"path":"tide.go"}`, "there is no tide.go"},
		{"a directory is not read", "read", `{"path":"berths"}`, "is a directory"},
		{"a file without a name", "read", `{}`, "name a file"},
		{"a file that is no text", "read", `{"path":"picture.bin"}`, "not text (6 bytes)"},
		{"lines behind the end", "read", `{"path":"notes.txt","first":4}`, "has only 3 lines"},
		{"lines in the wrong order", "read", `{"path":"notes.txt","first":3,"last":2}`, "before line 3"},
		{"an argument that the tool does not have", "read", `{"file":"notes.txt"}`, `"required":["path"]`},
		{"an argument of another type", "list", `{"path":7}`, "its schema is"},
		{"arguments that are no JSON", "grep", `quay`, "its schema is"},
		{"arguments twice", "list", `{}{}`, "its schema is"},
		{"a pattern that is none", "grep", `{"pattern":"("}`, "no regular expression"},
		{"an empty pattern", "grep", `{}`, "name a regular expression"},
		{"a pattern for names that is none", "grep", `{"pattern":"a","files":"["}`, "no pattern for names"},
		{"an empty command", "run", `{"command":" "}`, "name a command line"},
		{"a tool that is not there", "write", `{}`, "there are read, list, grep, run"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, failed := use(t, box, tt.tool, tt.arguments)
			if !strings.Contains(got, tt.want) || !failed {
				t.Errorf("got %q (failed: %v), want %q", got, failed, tt.want)
			}
			if strings.Contains(got, "the secret") {
				t.Error("the secret is out")
			}
		})
	}
}

func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	dir := harbour(t)
	if err := os.WriteFile(filepath.Join(dir, "log.txt"), []byte(strings.Repeat("quay\n", 100_000)), 0o600); err != nil {
		t.Fatal(err)
	}
	box := open(t, dir, &toolbox.Options{MaxBytes: 1000, MaxEntries: 3, MaxMatches: 5, Consent: toolbox.Allow})
	tests := []struct{ name, tool, arguments, want string }{
		{"a file", "read", `{"path":"log.txt"}`, "[cut in line 201 after 1000 bytes"},
		{"a list", "list", `{"depth":9}`, "[more than 3 entries"},
		{"a search", "grep", `{"pattern":"quay","path":"log.txt"}`, "[only the first 5 matches"},
		{"a command", "run", `{"command":"cat log.txt"}`, "[cut after 1000 bytes]"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, failed := use(t, box, tt.tool, tt.arguments)
			if !strings.Contains(got, tt.want) || len(got) > 1200 || failed {
				t.Errorf("%d bytes (failed: %v): %.1300q", len(got), failed, got)
			}
		})
	}
}

func TestASearchEndsInTime(t *testing.T) {
	t.Parallel()
	box := open(t, harbour(t), &toolbox.Options{GrepTime: time.Nanosecond})
	if got, failed := use(t, box, "grep", `{"pattern":"quay"}`); !strings.Contains(got, "not all was searched within 1ns") || failed {
		t.Errorf("got %q (failed: %v)", got, failed)
	}
}
