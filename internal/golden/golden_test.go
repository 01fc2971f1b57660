package golden_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"
)

var update = flag.Bool("update", false, "rewrite the goldens")

// record is a golden in the making.
type record struct{ archive txtar.Archive }

// section appends a named text.
func (r *record) section(name, text string) {
	if text == "" || text[len(text)-1] != '\n' {
		text += "\n"
	}
	r.archive.Files = append(r.archive.Files, txtar.File{Name: name, Data: []byte(text)})
}

// compare compares the record with its golden, section by section, or writes it.
func (r *record) compare(t *testing.T, dir, name string) {
	t.Helper()
	path := filepath.Join("testdata", dir, name+".txtar")
	if *update {
		if err := os.WriteFile(path, txtar.Format(&r.archive), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatalf("%s has no golden; run the test with -update: %v", name, err)
	}
	if bytes.Equal(data, txtar.Format(&r.archive)) {
		return
	}
	want := txtar.Parse(data)
	for i := range max(len(want.Files), len(r.archive.Files)) {
		if diff := cmp.Diff(sectionAt(want, i), sectionAt(&r.archive, i)); diff != "" {
			t.Errorf("%s differs from its golden in section %d (-want +got):\n%s", name, i+1, diff)
		}
	}
}

func sectionAt(a *txtar.Archive, i int) string {
	if i >= len(a.Files) {
		return ""
	}
	return fmt.Sprintf("-- %s --\n%s", a.Files[i].Name, a.Files[i].Data)
}

// complete fails if there are goldens that no test compares, and deletes them under
// -update.
func complete(t *testing.T, dir string, names map[string]bool) {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		name := filepath.Base(f[:len(f)-len(".txtar")])
		if names[name] {
			continue
		}
		if !*update {
			t.Errorf("no case makes %s", f)
		} else if err := os.Remove(f); err != nil {
			t.Fatal(err)
		}
	}
}
