// Package faults is the suite of faults and attacks: what can go wrong at the edge, in a
// conversation, in a store and by malice, one case each. A case starts the real binary
// between a strict upstream and a client that may be hostile. docs/faults.md lists the cases
// and says how to run them.
//
// The package has tests only. It knows the proxy by its address, its files and its log.
package faults

import (
	"flag"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

var (
	all    = flag.Bool("faults", false, "run the long cases too, and print a table")
	seed   = flag.Uint64("seed", 1, "the first seed of the cases that draw at random")
	seeds  = flag.Int("seeds", 1, "how many seeds those cases run with")
	during = flag.Duration("for", 0, "run those cases with one seed after another for so long")
	others = flag.Bool("others", true, "with -faults, also run the tests of other packages that hold a case")
	update = flag.Bool("update", false, "write the table of docs/faults.md, with -faults its figures too")
)

// fault is one case.
type fault struct {
	// id is the number of the case; IDs never change.
	id string
	// sentence says what must hold.
	sentence string
	// run returns a figure for the table. It is nil for cases that other tests hold.
	run func(*testing.T) string
	// seeded is run instead, with each seed; the figure is that of the last one.
	seeded func(*testing.T, *rand.Rand) string
	// long cases take seconds, or depend on the load of the machine: only -faults runs them.
	long bool
	// alone says that the case measures memory or time, so that no other runs beside it.
	alone bool
	// held names the tests that hold the case, or parts of it: FOLDER TestName.
	held []string
}

var cases = slices.Concat(edgeCases, conversationCases, storeCases, securityCases, furtherCases)

// results are what became of the cases, by their IDs.
var results struct {
	sync.Mutex
	verdict, figure map[string]string
}

func record(id, verdict, figure string) {
	results.Lock()
	defer results.Unlock()
	if results.verdict == nil {
		results.verdict, results.figure = map[string]string{}, map[string]string{}
	}
	results.verdict[id], results.figure[id] = verdict, figure
}

// TestFaults runs every case. Without -faults it runs the quick ones.
func TestFaults(t *testing.T) {
	if *all || *update {
		t.Cleanup(func() { tabulate(t) })
	}
	for _, c := range cases {
		t.Run(c.id, func(t *testing.T) {
			if !c.alone {
				t.Parallel()
			}
			if c.long && !*all {
				t.Skip("SKIPPED: a long case; make test-faults runs it")
			}
			c.try(t)
		})
	}
}

// try runs a case and records its verdict.
func (c fault) try(t *testing.T) {
	figure := ""
	defer func() {
		switch {
		case t.Failed():
			record(c.id, "FAIL", figure)
		case t.Skipped():
			record(c.id, "skip", figure)
		default:
			record(c.id, "pass", figure)
		}
	}()
	if *all && *others && len(c.held) > 0 {
		runHeld(t, c.held)
	}
	switch {
	case c.run != nil:
		figure = c.run(t)
	case c.seeded != nil:
		n := 0
		for begun := time.Now(); n < *seeds || time.Since(begun) < *during; n++ {
			s := *seed + uint64(n)
			figure = c.seeded(t, rand.New(rand.NewPCG(s, 1)))
			if t.Failed() {
				t.Logf("run it again: go test ./internal/faults -run 'TestFaults/^%s$' -faults -seed %d", c.id, s)
				return
			}
		}
		if n > 1 {
			figure = fmt.Sprintf("%d seeds; %s", n, figure)
		}
	}
}

// runHeld runs the tests of other packages that hold a case.
func runHeld(t *testing.T, held []string) {
	t.Helper()
	for _, name := range held {
		dir, test, _ := strings.Cut(name, " ")
		out, err := exec.Command("go", "test", "-vet=off", "-run", "^"+test+"$", "../../"+dir).CombinedOutput()
		if err != nil {
			t.Errorf("%s: %v\n%.2000s", name, err, out)
		}
	}
}

// tabulate prints what became of each case, and writes it into the document on demand.
func tabulate(t *testing.T) {
	t.Helper()
	results.Lock()
	defer results.Unlock()
	if *all {
		for _, c := range cases {
			if v := results.verdict[c.id]; v != "" {
				fmt.Printf("%-4s %-5s %s | %s\n", c.id, v, c.sentence, results.figure[c.id])
			}
		}
	}
	if *update {
		text, err := os.ReadFile(document)
		if err != nil {
			t.Fatal(err)
		}
		head, _, ok := strings.Cut(string(text), tableHead)
		if !ok {
			t.Fatalf("%s has no table", document)
		}
		figures := figuresIn(string(text))
		var b strings.Builder
		for _, c := range cases {
			if *all && results.figure[c.id] != "" {
				figures[c.id] = results.figure[c.id]
			}
			fmt.Fprintf(&b, "%s %s |\n", c.row(), figures[c.id])
		}
		if err := os.WriteFile(document, []byte(head+tableHead+b.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
}

const (
	document  = "../../docs/faults.md"
	tableHead = "| id | case | tested by | run by | figure |\n| --- | --- | --- | --- | --- |\n"
)

// row is the line of a case in the document, without the figure.
func (c fault) row() string {
	by := []string{}
	if c.run != nil || c.seeded != nil {
		by = append(by, "TestFaults/"+c.id)
	}
	for _, name := range c.held {
		dir, test, _ := strings.Cut(name, " ")
		by = append(by, fmt.Sprintf("`%s` %s", dir, test))
	}
	target := "make test"
	if c.long {
		target = "make test-faults"
	}
	return fmt.Sprintf("| %s | %s | %s | %s |", c.id, c.sentence, strings.Join(by, ", "), target)
}

// figuresIn reads the last column of the document's table.
func figuresIn(text string) map[string]string {
	figures := map[string]string{}
	_, table, _ := strings.Cut(text, tableHead)
	for line := range strings.Lines(table) {
		cells := strings.Split(strings.TrimSpace(line), " | ")
		if len(cells) == 5 {
			figures[strings.TrimPrefix(cells[0], "| ")] = strings.TrimSuffix(strings.TrimSuffix(cells[4], "|"), " ")
		}
	}
	return figures
}

// TestEveryCaseHasATestThatExists holds the list to its length, and the document to the list.
func TestEveryCaseHasATestThatExists(t *testing.T) {
	t.Parallel()
	var want []string
	for i := 1; i <= 54; i++ {
		switch i {
		case 34, 37:
			want = append(want, fmt.Sprint(i, "a"), fmt.Sprint(i, "b"), fmt.Sprint(i, "c"))
		default:
			want = append(want, fmt.Sprint(i))
		}
	}
	for i := 1; i <= 20; i++ {
		want = append(want, fmt.Sprint("E", i))
	}
	text, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for _, c := range cases {
		if seen[c.id] {
			t.Errorf("%s is there twice", c.id)
		}
		seen[c.id] = true
		if c.run == nil && c.seeded == nil && len(c.held) == 0 {
			t.Errorf("%s has no test", c.id)
		}
		if !*update && !strings.Contains(string(text), c.row()) {
			t.Errorf("docs/faults.md lacks %s (go test ./internal/faults -run TestFaults -update)", c.row())
		}
		for _, name := range c.held {
			if dir, test, ok := strings.Cut(name, " "); !ok || !hasTest(t, dir, test) {
				t.Errorf("%s is held by %s, which does not exist", c.id, name)
			}
		}
	}
	for _, id := range want {
		if !seen[id] {
			t.Errorf("there is no case %s", id)
		}
	}
}

// hasTest reports whether a folder has a test of this name.
func hasTest(t *testing.T, dir, test string) bool {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("../..", dir, "*_test.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range files {
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range file.Decls {
			if f, ok := d.(*ast.FuncDecl); ok && f.Recv == nil && f.Name.Name == test {
				return true
			}
		}
	}
	return false
}
