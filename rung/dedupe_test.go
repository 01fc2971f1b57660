package rung_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

// content is a file of about 600 letters; versions differ.
func content(version string) string { return strings.Repeat("code of "+version+";\n", 40) }

// deduped applies Dedupe and says what became of each output: x stays, s became a
// reference to the same output, r to a later read, w to a later change.
func deduped(t *testing.T, d *rung.Dedupe, c plimsoll.Conversation, pins ...fit.Pin) string {
	t.Helper()
	plan := fitted(t, fit.Options{Window: 1_000_000, Arrival: []fit.Rung{d}, Pins: pins}, c)
	word := ""
	for _, text := range outputsOf(plan.Conversation()) {
		switch {
		case strings.HasPrefix(text, "[same output as "):
			word += "s"
		case strings.Contains(text, "which was read again later"):
			word += "r"
		case strings.Contains(text, "which was changed later"):
			word += "w"
		default:
			word += "x"
		}
	}
	return word
}

func TestDedupeLeavesTheNewestForm(t *testing.T) {
	t.Parallel()
	read := func(path, version string) step {
		return used("Read", fmt.Sprintf(`{"file_path":%q}`, path), content(version))
	}
	part := func(from, n int, version string) step {
		return used("Read", fmt.Sprintf(`{"file_path":"a.go","offset":%d,"limit":%d}`, from, n), content(version))
	}
	edit := func(path string) step {
		return used("Edit", fmt.Sprintf(`{"file_path":%q,"old_string":"x"}`, path), "ok")
	}
	failing := edit("a.go")
	failing.failed = true
	for _, tc := range []struct {
		name  string
		steps []step
		want  string
	}{
		{"nothing alike", []step{ran("a", content("1")), ran("b", content("2"))}, "xx"},
		{"the same output of any tool", []step{ran("a", content("1")), ran("b", content("1")), ran("c", content("1"))}, "ssx"},
		{"small outputs are not worth it", []step{ran("a", "ok"), ran("b", "ok")}, "xx"},
		{"the same picture", []step{{tool: "a", content: parts(content("1"), picture)}, {tool: "b", content: parts(content("1"), picture)}}, "sx"},
		{"a picture more", []step{{tool: "a", content: parts(content("1"), picture)}, ran("b", content("1"))}, "xx"},

		{"read again", []step{read("a.go", "1"), read("b.go", "2"), read("a.go", "3")}, "rxx"},
		{"read again by another name", []step{read("./a.go", "1"), read("x/../a.go", "2")}, "rx"},
		{"read again by another tool", []step{read("a.go", "1"), used("mcp__files__read_text_file", `{"path":"a.go"}`, content("2"))}, "rx"},
		{"changed since", []step{read("a.go", "1"), edit("a.go")}, "wx"},
		{"another file changed", []step{read("a.go", "1"), edit("b.go")}, "xx"},
		{"changed before", []step{edit("a.go"), read("a.go", "1")}, "xx"},
		{"read after the change", []step{read("a.go", "1"), edit("a.go"), read("a.go", "2")}, "rxx"},
		{"read and changed again", []step{read("a.go", "1"), edit("a.go"), read("a.go", "2"), edit("a.go")}, "rxwx"},
		{"the change failed", []step{read("a.go", "1"), failing}, "xx"},
		{"the second read failed", []step{read("a.go", "1"), {tool: "Read", args: `{"file_path":"a.go"}`, content: parts(content("2")), failed: true}}, "xx"},
		{"the second read only says that nothing changed", []step{read("a.go", "1"), used("Read", `{"file_path":"a.go"}`, "File unchanged since last read; refer to it.")}, "xx"},

		{"another part", []step{part(0, 100, "1"), part(200, 100, "2")}, "xx"},
		{"the same part", []step{part(10, 100, "1"), part(10, 100, "2")}, "rx"},
		{"a larger part", []step{part(10, 100, "1"), part(0, 400, "2")}, "rx"},
		{"a smaller part", []step{part(0, 400, "1"), part(10, 100, "2")}, "xx"},
		{"the whole file", []step{part(10, 100, "1"), read("a.go", "2")}, "rx"},
		{"a part beyond what a whole read returns", []step{part(5000, 100, "1"), read("a.go", "2")}, "xx"},
		{"lines by number", []step{
			used("view_file", `{"path":"a.go","start_line":5,"end_line":10}`, content("1")), used("view_file", `{"path":"a.go","start_line":1,"end_line":10}`, content("2")),
		}, "rx"},
		{"an argument that is not known", []step{
			used("read_file", `{"path":"a.go","mode":"slice"}`, content("1")), used("read_file", `{"path":"a.go","mode":"indent"}`, content("2")),
		}, "xx"},
		{"an editor that views and writes", []step{
			used("str_replace_editor", `{"command":"view","path":"/a.go","view_range":[1,20]}`, content("1")),
			used("str_replace_editor", `{"command":"view","path":"/a.go","view_range":[1,-1]}`, content("2")),
			used("str_replace_editor", `{"command":"insert","path":"/a.go"}`, "ok"),
		}, "rwx"},
		{"a patch", []step{
			read("a.go", "1"), read("b.go", "2"), used("apply_patch", `{"input":"*** Begin Patch\n*** Update File: a.go\n@@\n*** End Patch"}`, "Done"),
		}, "wxx"},
		{"a patch that is no JSON", []step{read("a.go", "1"), used("apply_patch", "*** Begin Patch\n*** Delete File: a.go\n*** End Patch", "Done")}, "wx"},
		{"a shell", []step{
			used("shell", `{"command":["bash","-lc","cat a.go"]}`, content("1")), used("exec_command", `{"cmd":"sed -n '1,200p' a.go"}`, content("2")),
			used("exec_command", `{"cmd":"sed -n '1,$p' a.go"}`, content("3")), used("shell", `{"command":["cat","a.go"]}`, content("4")),
		}, "rrrx"},
		{"a shell in other folders", []step{
			used("shell", `{"command":["cat","a.go"],"workdir":"/x"}`, content("1")), used("shell", `{"command":["cat","a.go"],"workdir":"/y"}`, content("2")),
		}, "xx"},
		{"a shell that does more", []step{
			used("bash", `{"command":"cat a.go | head"}`, content("1")), used("bash", `{"command":"cat a.go | head"}`, content("2")),
			used("bash", `{"command":"cat $(ls)"}`, content("3")), used("bash", `{"command":"cat 'a b'"}`, content("4")), used("bash", `{"command":"cat 'a b'"}`, content("5")),
		}, "xxxxx"},
		{"arguments that are no JSON", []step{used("Read", `{"file_path":`, content("1")), used("Read", `{"file_path":`, content("2"))}, "xx"},
		{"what is out already", []step{used("Read", `{"file_path":"a.go"}`, "[tool output trimmed; ref=0123456789abcdef]"), read("a.go", "2")}, "xx"},
		{"nothing gives way to a placeholder", []step{read("a.go", "1"), used("Read", `{"file_path":"a.go"}`, "[tool output trimmed; ref=0123456789abcdef]")}, "xx"},
	} {
		if got := deduped(t, &rung.Dedupe{All: true, KeepNewest: -1}, session(tc.steps...)); got != tc.want {
			t.Errorf("%s: got %s, want %s", tc.name, got, tc.want)
		}
	}
}

func TestDedupeFindsCopiesAmongParallelResults(t *testing.T) {
	t.Parallel()
	c := together(ran("a", content("1")), ran("b", content("1")), ran("c", content("2")))
	if got := deduped(t, &rung.Dedupe{All: true}, c); got != "sxx" {
		t.Errorf("got %s, want sxx", got)
	}
}

func TestDedupeLeavesWhatIsPinned(t *testing.T) {
	t.Parallel()
	c := session(ran("a", content("1")), ran("b", content("1")), ran("c", content("1")))
	if got := deduped(t, &rung.Dedupe{All: true}, c, pinAt(2)); got != "xsx" {
		t.Errorf("got %s, want xsx", got)
	}
}

func TestDedupeLetsTheNewestReadsStandThoughTheFileChanged(t *testing.T) {
	t.Parallel()
	read := func(path string) step { return used("Read", fmt.Sprintf(`{"file_path":%q}`, path), content(path)) }
	write := func(path string) step { return used("Write", fmt.Sprintf(`{"file_path":%q}`, path), "ok") }
	c := session(read("a"), write("a"), read("b"), write("b"), read("c"), write("c"))
	for keep, want := range map[int]string{-1: "wxwxwx", 0: "wxxxxx", 3: "wxwxxx"} {
		if got := deduped(t, &rung.Dedupe{All: true, KeepNewest: keep}, c); got != want {
			t.Errorf("%d are kept: got %s, want %s", keep, got, want)
		}
	}
}

func TestDedupeNamesTheFileAndStoresTheOldContent(t *testing.T) {
	t.Parallel()
	s := &shelf{}
	c := session(
		used("Read", `{"file_path":"a.go"}`, content("1")), used("Read", `{"file_path":"a.go"}`, content("1")),
		used("Read", `{"file_path":"b.go"}`, content("2")), used("Write", `{"file_path":"b.go","content":"x"}`, "ok"))
	plan := fitted(t, fit.Options{Window: 1_000_000, Arrival: []fit.Rung{&rung.Dedupe{All: true, KeepNewest: -1}}, Archive: s}, c)
	first := plan.Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult).Ref
	third := plan.Conversation().Messages.At(6).Parts.At(0).(plimsoll.ToolResult).Ref
	if first == nil || third == nil || s.kept[first.ID] != content("1") || s.kept[third.ID] != content("2") {
		t.Fatalf("the references %v and %v do not lead to the outputs", first, third)
	}
	want := []string{
		"[same output as the newer result of Read of a.go; ref=" + first.ID + "]", content("1"),
		"[older content of b.go, which was changed later; ref=" + third.ID + "]", "ok",
	}
	if diff := cmp.Diff(want, outputsOf(plan.Conversation())); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
	reasons := []string{plan.Edits[0].Reason, plan.Edits[1].Reason}
	if diff := cmp.Diff([]string{"same output as message 4", "changed in message 8"}, reasons); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestDedupeTakesWhatLosesNothingFirstAndFailuresLast(t *testing.T) {
	t.Parallel()
	broken := "error: no\n" + content("4")
	c := session(
		ran("test", broken),
		used("Read", `{"file_path":"a.go"}`, content("1")), used("Write", `{"file_path":"a.go"}`, "ok"),
		ran("ls", content("3")), ran("ls", content("3")), ran("test", broken))
	order := []int{8, 4, 2}
	for n := range 4 {
		// Each reference saves about 400 letters of 2236.
		plan := fitted(t, fit.Options{Window: 2300 - 400*n, Rungs: []fit.Rung{&rung.Dedupe{KeepNewest: -1}}}, c)
		var got []int
		for _, e := range plan.Edits {
			got = append(got, e.Message)
		}
		if diff := cmp.Diff(order[:n], got, equateEmpty); diff != "" {
			t.Errorf("window %d (load %d): -want +got\n%s", plan.Line.Window, plan.Before.Total, diff)
		}
	}
}

var equateEmpty = cmp.Transformer("len", func(s []int) string { return fmt.Sprint(s) })

func TestDedupeTakesOtherToolsFromItsOptions(t *testing.T) {
	t.Parallel()
	paths := &rung.Paths{Read: []string{"fetch_source"}, Write: []string{"store_source"}, Args: []string{"unit"}}
	c := session(
		used("fetch_source", `{"unit":"A"}`, content("1")), used("Read", `{"file_path":"a"}`, content("2")),
		used("Read", `{"file_path":"a"}`, content("3")), used("STORE_SOURCE", `{"unit":"A"}`, "ok"))
	if got := deduped(t, &rung.Dedupe{All: true, Paths: paths, KeepNewest: -1}, c); got != "wxxx" {
		t.Errorf("got %s, want wxxx", got)
	}
}
