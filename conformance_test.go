package plimsoll_test

import (
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write docs/conformance.md")

// sourceTexts are the texts that the demands come from, by the letter of their IDs.
var sourceTexts = []struct{ letter, title string }{
	{"T", "Trimming messages (text 000, preset `cookbook`, `plimsoll trim`)"},
	{"O", "Tool output cache (text 001 §1, preset `agent`)"},
	{"C", "Compaction by summary (text 001 §2, preset `agent`)"},
	{"S", "Sliding window of turns (text 002, preset `multichat`, `plimsoll prune`)"},
	{"F", "Requirements of context compression (text 003)"},
	{"G", "Compaction as in Gemini CLI (text 004, preset `gemini`)"},
	{"R", "Points of the texts that the rows above leave out"},
}

// TestEveryDemandHasATest writes docs/conformance.md from testdata/demands.tsv and the
// names of the tests: an ID in a name says that the test holds the demand.
func TestEveryDemandHasATest(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/demands.tsv")
	if err != nil {
		t.Fatal(err)
	}
	tests := testsByID(t)
	var doc strings.Builder
	doc.WriteString(conformanceHead)
	known := map[string]bool{}
	for _, text := range sourceTexts {
		fmt.Fprintf(&doc, "\n## %s\n\n| ID | demand | see it | tests | state |\n| --- | --- | --- | --- | --- |\n", text.title)
		for line := range strings.Lines(string(data)) {
			row := strings.Split(strings.TrimSpace(line), "\t")
			if len(row) < 3 || len(row) > 4 {
				t.Fatalf("a demand has an ID, a sentence, a command and at most a reason, each behind a tab: %q", line)
			}
			id, state := row[0], "works"
			if !strings.HasPrefix(id, text.letter) {
				continue
			}
			if known[id] {
				t.Errorf("%s is there twice", id)
			}
			known[id] = true
			switch {
			case len(tests[id]) > 0:
			case len(row) == 4:
				state = row[3]
			default:
				t.Errorf("no test carries %s in its name, and no reason is given", id)
			}
			fmt.Fprintf(&doc, "| %s | %s | `%s` | %s | %s |\n", id, row[1], row[2], strings.Join(tests[id], "<br>"), state)
		}
	}
	for id := range tests {
		if !known[id] {
			t.Errorf("%s is in the name of a test and no demand: %v", id, tests[id])
		}
	}
	const path = "docs/conformance.md"
	if *update {
		if err := os.WriteFile(path, []byte(doc.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	written, err := os.ReadFile(path)
	if err != nil || string(written) != doc.String() {
		t.Errorf("%s is out of date (%v): run go test . -run TestEveryDemandHasATest -update", path, err)
	}
}

const conformanceHead = `# Conformance

Five source texts say what Plimsoll must do. This page has one row for each demand: a command with which you see it, and the tests that hold it. ` +
	`A test holds a demand if its name carries the ID; package names are before the colon. ` + "`go test . -run TestEveryDemandHasATest -update`" + ` writes the page from the names of the tests and testdata/demands.tsv. It fails if a demand has neither a test nor a reason.

The commands use files as in [cli.md](cli.md): chat.json and talk.json. REF is a reference that ` + "`plimsoll cache ls`" + ` lists.

Two places of the texts contradict each other or themselves:

- Text 000 says in its §4 that trimming starts at the newest message. In its §1 it walks from the newest message and keeps what fits. Plimsoll follows §1.
- Text 003 lets an invalid limit fall to the default. Plimsoll asks the table of models first, because the window of a known model is the better default.
`

var (
	testFunc = regexp.MustCompile(`(?m)^func Test((?:[TOCSFGR]\d\d_|\d_)+)\w+\(`)
	demandID = regexp.MustCompile(`[TOCSFGR]\d\d`)
	scriptID = regexp.MustCompile(`^(?:[a-z]+-)?((?:[TOCSFGR]\d\d(?:\.\d)?-)+)`)
)

// testsByID returns the tests that carry each ID, as "package: name".
func testsByID(t *testing.T) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	add := func(ids, dir, name string) {
		for _, id := range demandID.FindAllString(ids, -1) {
			if shown := fmt.Sprintf("%s: %s", dir, name); !slices.Contains(all[id], shown) {
				all[id] = append(all[id], shown)
			}
		}
	}
	err := filepath.WalkDir(".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			if d != nil && (path == "bench" || path == "interop" || d.Name() == ".git") {
				return filepath.SkipDir
			}
			return err
		}
		dir, name := filepath.Dir(path), filepath.Base(path)
		if m := scriptID.FindStringSubmatch(name); m != nil && strings.HasSuffix(name, ".txtar") {
			add(m[1], filepath.ToSlash(filepath.Dir(filepath.Dir(dir))), name)
		}
		if !strings.HasSuffix(name, "_test.go") {
			return nil
		}
		source, err := os.ReadFile(path)
		for _, m := range testFunc.FindAllStringSubmatch(string(source), -1) {
			whole := m[0][len("func ") : len(m[0])-1]
			add(m[1], filepath.ToSlash(dir), whole)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	for id := range all {
		slices.Sort(all[id])
	}
	return all
}
