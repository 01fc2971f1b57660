package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestDocumentsShowWhatPlimsollDoes runs every plimsoll command in the console
// blocks of the documents and compares what it prints with what is shown.
func TestDocumentsShowWhatPlimsollDoes(t *testing.T) {
	t.Parallel()
	sh, err := exec.LookPath("sh")
	if err != nil {
		t.Skip("no sh here")
	}
	documents := []string{"docs/cli.md", "docs/fitting.md", "docs/compaction.md", "docs/demo.md", "README.md", "README.ja.md"}
	for _, pattern := range []string{"docs/coming-from/*.md", "docs/ja/coming-from/*.md"} {
		found, err := filepath.Glob(filepath.Join("..", "..", pattern))
		if err != nil || len(found) != 5 {
			t.Fatalf("%s: %q, %v", pattern, found, err)
		}
		for _, path := range found {
			documents = append(documents, strings.TrimPrefix(filepath.ToSlash(path), "../../"))
		}
	}
	for _, document := range documents {
		text, err := os.ReadFile(filepath.Join("..", "..", document))
		if errors.Is(err, fs.ErrNotExist) && strings.HasPrefix(document, "README") {
			continue
		}
		if err != nil {
			t.Fatal(err)
		}
		dir := t.TempDir()
		if err := os.CopyFS(dir, os.DirFS("testdata/docs")); err != nil {
			t.Fatal(err)
		}
		for _, s := range consoleSteps(string(text)) {
			t.Run(document+" "+s.command, func(t *testing.T) { runStep(t, sh, dir, s) })
		}
	}
}

// step is a command in a document and what it shows.
type step struct {
	command string
	// output is empty when the document shows none; a line "..." stands for any
	// lines, and "…" in a line for any text.
	output string
}

// callsPlimsoll recognises commands that are run: plimsoll at the beginning of a
// line or of a part of a pipeline.
var callsPlimsoll = regexp.MustCompile(`(^|[|;&] *)plimsoll( |$)`)

// consoleSteps finds the commands in the console blocks of a document. They have
// a "$ " in front, and may go on behind a backslash.
func consoleSteps(text string) []step {
	var steps []step
	inside, open := false, false
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, "\r\n")
		command, isCommand := strings.CutPrefix(line, "$ ")
		switch {
		case strings.HasPrefix(line, "```"):
			inside = !inside && strings.HasPrefix(line, "```console")
			open = false
		case !inside:
		case isCommand:
			steps = append(steps, step{command: command})
			open = strings.HasSuffix(command, `\`)
		case len(steps) == 0:
		case open:
			last := &steps[len(steps)-1]
			last.command += "\n" + line
			open = strings.HasSuffix(line, `\`)
		default:
			steps[len(steps)-1].output += line + "\n"
		}
	}
	var run []step
	for _, s := range steps {
		if callsPlimsoll.MatchString(s.command) {
			run = append(run, s)
		}
	}
	return run
}

func runStep(t *testing.T, sh, dir string, s step) {
	cmd := exec.Command(sh, "-c", s.command)
	cmd.Dir = dir
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "LANG=C.UTF-8", "HOME=" + dir, "GORACE=" + noSleep}
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	if s.output != "" && !shows(s.output, string(out)) {
		t.Errorf("-document +plimsoll\n%s", cmp.Diff(s.output, string(out)))
	}
}

// shows compares shown output with real output.
func shows(shown, real string) bool {
	var pattern strings.Builder
	for line := range strings.Lines(shown) {
		if line == "...\n" {
			pattern.WriteString(`(?:.*\n)*?`)
			continue
		}
		text := regexp.QuoteMeta(strings.TrimRight(line, " \n"))
		pattern.WriteString(strings.ReplaceAll(text, "…", `.*`) + ` *\n`)
	}
	return regexp.MustCompile(`\A` + pattern.String() + `\z`).MatchString(real)
}

func TestConsoleStepsAreFoundInDocuments(t *testing.T) {
	t.Parallel()
	const text = "```console\n$ make setup\n$ plimsoll count a.json\n3 tokens\n...\n$ cat b | plimsoll count \\\n    --json\n```\n" +
		"```go\n$ plimsoll never\n```\n$ plimsoll neither\n```console\n$ plimsoll\n```\n"
	want := []step{
		{"plimsoll count a.json", "3 tokens\n...\n"},
		{"cat b | plimsoll count \\\n    --json", ""},
		{"plimsoll", ""},
	}
	if diff := cmp.Diff(want, consoleSteps(text), cmp.AllowUnexported(step{})); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestShownOutputMayLeaveLinesOut(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name, shown string
		want        bool
	}{
		{"the whole", "a\nb\nc\n", true},
		{"the beginning", "a\n...\n", true},
		{"the end", "...\nc\n", true},
		{"both ends", "a\n...\nc\n", true},
		{"dots for nothing", "a\nb\n...\nc\n", true},
		{"too little", "a\nb\n", false},
		{"another line", "a\nx\nc\n", false},
		{"part of a line", "...\nb\n", false},
		{"any text in a line", "a\n…\nc\n", true},
		{"any text in a line and no more", "a…\nc\n", false},
	} {
		if got := shows(tc.shown, "a\nb\nc\n"); got != tc.want {
			t.Errorf("%s: %v, want %v", tc.name, got, tc.want)
		}
	}
}
