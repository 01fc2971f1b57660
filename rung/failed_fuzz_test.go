package rung

import (
	"testing"
	"unicode/utf8"
)

// FuzzOutputs reads whatever tools print and models write as arguments: nothing
// panics, and a view holds its limits.
func FuzzOutputs(f *testing.F) {
	f.Add("exit code: 1\nerror: x", "Read", `{"file_path":"a.go","offset":-1,"limit":9223372036854775807}`, 100)
	f.Add("a\r\nb\n\n[tool output truncated; ref=c1]", "shell", `{"command":["bash","-lc","sed -n '1,$p' a"]}`, 3)
	f.Add("日本語\nエラー：だめ", "str_replace_editor", `{"command":"view","path":"a","view_range":[3,-1]}`, 7)
	f.Add("{\"exit_code\":01}", "apply_patch", "*** Update File: a\n", 1000)
	paths := DefaultPaths()
	f.Fuzz(func(t *testing.T, text, tool, arguments string, limit int) {
		failed(false, []string{text})
		startsFailed(false, []string{text})
		for _, a := range paths.accesses(paths.kind(tool), arguments) {
			if a.path == "" || !a.writes && !a.span.covers(a.span) {
				t.Errorf("%q of %s: got %+v", arguments, tool, a)
			}
		}
		v := &View{MaxBytes: 1 + limit&0xfff, MaxLine: 50, Tail: 0.4, Errors: true}
		view := v.Text(text, "c1")
		body, placeholder := cutPlaceholder(view)
		if view != text && placeholder != "" && len(body) > v.MaxBytes {
			t.Errorf("%d bytes, want at most %d", len(body), v.MaxBytes)
		}
		if utf8.ValidString(text) && !utf8.ValidString(view) {
			t.Error("a character was cut")
		}
		if again := v.Text(view, "c1"); again != view {
			t.Errorf("a view of the view differs: %q and %q", view, again)
		}
	})
}
