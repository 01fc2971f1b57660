package toolbox_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
)

// TestNoPathLeadsOut reads, lists and searches by paths that are made of what leads out.
func TestNoPathLeadsOut(t *testing.T) {
	t.Parallel()
	dir := harbour(t)
	box := open(t, dir, nil)
	steps := []string{"..", ".", "up", "out.txt", "secret.txt", "berths", "harbour", "in.txt", "", dir, "/", "\\", "C:", "\x00"}
	rapid.Check(t, func(r *rapid.T) {
		path := strings.Join(rapid.SliceOfN(rapid.SampledFrom(steps), 0, 6).Draw(r, "steps"), "/")
		name, err := json.Marshal(path)
		if err != nil {
			r.Fatal(err)
		}
		for tool, arguments := range map[string]string{
			"read": `{"path":` + string(name) + `}`,
			"grep": `{"pattern":"the secret","path":` + string(name) + `}`,
		} {
			if got, _ := use(t, box, tool, arguments); strings.Contains(got, "the secret") {
				r.Fatalf("%s %s shows %q", tool, arguments, got)
			}
		}
		if got, _ := use(t, box, "list", `{"path":`+string(name)+`,"depth":3}`); strings.Contains(got, "secret.txt 11") {
			r.Fatalf("list %s shows %q", name, got)
		}
	})
}

// FuzzArguments calls tools with whatever a model may write. Nothing runs.
func FuzzArguments(f *testing.F) {
	for _, arguments := range []string{
		"", "{}", `{"path":"notes.txt","first":2,"last":9223372036854775807}`, `{"path":"up/secret.txt"}`, `{"pattern":"(?i)q.*","files":"[a-z]*"}`,
		`{"path":"berths","depth":-1}`, `{"command":"exit 0","seconds":-1}`, `{"path":"notes.txt"}{}`, `[null]`, `null`,
	} {
		f.Add(arguments)
	}
	dir := harbour(f)
	f.Fuzz(func(t *testing.T, arguments string) {
		box := open(t, dir, &toolbox.Options{Consent: toolbox.Refuse})
		for _, tool := range box.Tools() {
			got, failed := use(t, box, tool.Name, arguments)
			if got == "" || tool.Name == "run" && !failed {
				t.Errorf("%s answers %q (failed: %v)", tool.Name, got, failed)
			}
			if strings.Contains(got, "the secret\n") {
				t.Errorf("%s shows the secret", tool.Name)
			}
		}
	})
}
