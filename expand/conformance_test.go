package expand

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// row is a case of the source text about tool outputs, or one of ours in its form:
// Unit repeated Times, then Text.
type row struct {
	ID, Text, Unit string
	Times          int
	Arguments      map[string]any
	WantBefore     string `json:"want_before"`
	WantUnit       string `json:"want_unit"`
	WantTimes      int    `json:"want_times"`
	Want           string
}

func (r row) call(t *testing.T) (c *memory, arguments, want string) {
	t.Helper()
	if r.Arguments == nil {
		r.Arguments = map[string]any{}
	}
	r.Arguments["ref_id"] = "REF"
	data, err := json.Marshal(r.Arguments)
	if err != nil {
		t.Fatal(err)
	}
	return newMemory(strings.Repeat(r.Unit, r.Times)+r.Text, 7), string(data), r.WantBefore + strings.Repeat(r.WantUnit, r.WantTimes) + r.Want
}

func readRows(t *testing.T) (rows struct{ Reads, Greps []row }) {
	t.Helper()
	data, err := os.ReadFile("testdata/conformance.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &rows); err != nil {
		t.Fatal(err)
	}
	return rows
}

func TestO08_ReadsNumberedLinesAsTheSourceTextHasThem(t *testing.T) {
	t.Parallel()
	for _, r := range readRows(t).Reads {
		c, arguments, want := r.call(t)
		read, err := parseRead(arguments)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := read.write(t.Context(), &b, c, Limits{}.withDefaults()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s %s\n-want +got\n%s", r.ID, arguments, diff)
		}
	}
}

func TestO09_SearchesOneOutputAsTheSourceTextHasIt(t *testing.T) {
	t.Parallel()
	for _, r := range readRows(t).Greps {
		c, arguments, want := r.call(t)
		grep, err := parseGrep(arguments)
		if err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		if err := grep.write(t.Context(), &b, c, patient.withDefaults()); err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, b.String()); diff != "" {
			t.Errorf("%s\n-want +got\n%s", arguments, diff)
		}
	}
}
