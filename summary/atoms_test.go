package summary

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/survival"
)

func TestAtomsKeepWhatBelongsToThem(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name, text string
		want       []string
	}{
		{"an absolute path has its slash", "open /home/dev/main.go, please", []string{"/home/dev/main.go"}},
		{"a relative path has its dots", "go test ./summary/sub/... and ../shared/x.json", []string{"./summary/sub", "../shared/x.json"}},
		{"a hidden file has its dot", "edit .goreleaser.yaml", []string{".goreleaser.yaml"}},
		{"an address has its scheme", "see https://example.com/a/b.", []string{"https://example.com/a/b"}},
		{"another scheme is left out", "git://example.com/a", []string{"example.com/a"}},
		{"words are no atoms", "The quick brown fox, e.g. SHOUTING", nil},
		{"Japanese stands between", "関数getUserNameを直す", []string{"getUserName"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var got []string
			eachAtom(test.text, func(a atom) { got = append(got, a.lead+a.text) })
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestArgumentsShowWhereANameBeginsBehindAnEscape(t *testing.T) {
	t.Parallel()
	var got []string
	eachArgument(`{"new_string":"x\n\tfooBar \u003cbarFoo\u003e C:\\tempDir1"}`, func(a atom) { got = append(got, a.lead+a.text) })
	want := []string{"new_string", `\tfooBar`, "barFoo", "tempDir1"}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func FuzzAtomsAreThoseOfTheResearch(f *testing.F) {
	for _, seed := range []string{"", "/a/b_c.go", "..--..", "x.y.z_abc", `\n\tfooBar`, "日本語getName。", "A1b2C3--", strings.Repeat("ab_", 60)} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := map[string]bool{}
		eachAtom(text, func(a atom) { got[a.text] = true })
		if want := survival.Atoms(text); !maps.Equal(got, want) {
			t.Errorf("atoms of %q: %v, want %v", text, slices.Sorted(maps.Keys(got)), slices.Sorted(maps.Keys(want)))
		}
	})
}

func FuzzArgumentsNeverPanic(f *testing.F) {
	f.Add(`{"a":"\u0000\\u00"}`)
	f.Add(`{"path":"/x/y.go","command":["bash","-lc","ls"]}`)
	f.Add(`{"todos":[{"content":"a","status":"done"}]}`)
	f.Add("*** Begin Patch\n*** Update File: a.go")
	f.Fuzz(func(t *testing.T, arguments string) {
		eachArgument(arguments, func(a atom) {
			if !isName(a.lead + a.text) {
				t.Errorf("%q is no name", a.lead+a.text)
			}
		})
		for _, tool := range []string{"Bash", "TodoWrite", "edit_file", "x"} {
			k := readCall(toolCall(tool, arguments))
			if shape := commandShape(k.command); strings.ContainsAny(shape, "<>\n\"'") {
				t.Errorf("shape %q", shape)
			}
		}
		if !json.Valid([]byte(arguments)) {
			_ = patchedFiles(arguments)
		}
	})
}
