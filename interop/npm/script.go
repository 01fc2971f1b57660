package npm

import (
	_ "embed"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll"
)

//go:embed sdk/session.mjs
var session []byte

// Session is what a conversation is led with; see sdk/session.mjs.
type Session struct {
	Dialect plimsoll.Dialect `json:"dialect"`
	URL     string           `json:"url"`
	Key     string           `json:"key"`
	Stream  bool             `json:"stream"`
	Prompt  string           `json:"prompt"`
}

// Outcome is what came of it.
type Outcome struct {
	// Text of the last answer, and the tokens that were billed for its prompt.
	Text   string `json:"text"`
	Prompt int    `json:"prompt"`
	// Tools that were called, in order.
	Tools []string `json:"tools"`
	Error *Failure `json:"error"`
}

// Failure is an error as a program sees it.
type Failure struct {
	// Known says that it is of the library's own type.
	Known   bool   `json:"known"`
	Status  int    `json:"status"`
	Code    string `json:"code"`
	Message string `json:"message"`
}

// Lead leads a conversation with the provider's library for JavaScript.
func Lead(t testing.TB, s Session) Outcome {
	t.Helper()
	node, modules := Node(t), filepath.Join(Install(t, "sdk"), "node_modules")
	dir := t.TempDir()
	script := filepath.Join(dir, "session.mjs")
	if err := os.WriteFile(script, session, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(modules, filepath.Join(dir, "node_modules")); err != nil {
		t.Fatal(err)
	}
	argument, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), node, script, string(argument))
	cmd.Env = []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir}
	out, err := cmd.Output()
	if err != nil {
		var ended *exec.ExitError
		if errors.As(err, &ended) {
			t.Logf("%.2000s", ended.Stderr)
		}
		t.Fatalf("%v\n%s", err, out)
	}
	var o Outcome
	if err := json.Unmarshal(out, &o); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return o
}
