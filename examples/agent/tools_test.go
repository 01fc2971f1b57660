package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestToolsWorkOnTheirDirectoryAndNowhereElse(t *testing.T) {
	t.Parallel()
	outside := t.TempDir()
	dir := filepath.Join(outside, "inside")
	for name, text := range map[string]string{
		"secret.txt": "the secret", "inside/notes.txt": "first\nsecond ship\nthird", "inside/sub/more.txt": "another ship",
		"inside/long.txt": strings.Repeat("line\n", 1000), "inside/wide.txt": strings.Repeat("満", 50_000), "inside/.git/x": "hidden ship", "inside/binary": "\x00ship",
	} {
		path := filepath.Join(outside, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o750); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("../secret.txt", filepath.Join(dir, "link")); err != nil {
		t.Fatal(err)
	}
	tools, err := openTools(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.close)
	for _, tt := range []struct{ name, tool, arguments, want string }{
		{"a file", "read_file", `{"path":"notes.txt"}`, "first\nsecond ship\nthird"},
		{"a file from a line on", "read_file", `{"path":"./notes.txt","offset":2}`, "third"},
		{"a file from behind its end", "read_file", `{"path":"notes.txt","offset":99}`, "(nothing)"},
		{"a long file", "read_file", `{"path":"long.txt","offset":-1}`, "[601 more lines; go on with offset 400]"},
		{"a wide file", "read_file", `{"path":"wide.txt"}`, "[cut: long lines]"},
		{"no text", "read_file", `{"path":"binary"}`, "Error: binary is no text"},
		{"a file that is not there", "read_file", `{"path":"none"}`, "Error: none: no such file"},
		{"a file outside", "read_file", `{"path":"../secret.txt"}`, "Error: ../secret.txt: path escapes"},
		{"a file outside by its whole path", "read_file", `{"path":"/etc/hostname"}`, "Error: /etc/hostname: path escapes"},
		{"a link that leads outside", "read_file", `{"path":"link"}`, "Error: link: path escapes"},
		{"a directory", "list_files", `{"path":""}`, "notes.txt\nsub/\n"},
		{"a directory below", "list_files", `{"path":"sub/"}`, "sub/more.txt\n"},
		{"a directory outside", "list_files", `{"path":".."}`, "Error: "},
		{"a search", "grep", `{"pattern":"sh.p"}`, "notes.txt:2: second ship\nsub/more.txt:1: another ship\n"},
		{"a search below", "grep", `{"pattern":"ship","path":"sub"}`, "sub/more.txt:1: another ship\n"},
		{"a search with too many matches", "grep", `{"pattern":"line"}`, "[more; search for something rarer]"},
		{"a search outside", "grep", `{"pattern":"secret","path":".."}`, "Error: "},
		{"no pattern", "grep", `{"pattern":"("}`, "Error: error parsing regexp"},
		{"a command", "run", `{"command":"cat sub/more.txt; echo; pwd"}`, "another ship\n" + dir},
		{"a command that fails", "run", `{"command":"echo so; exit 3"}`, "so\nError: exit status 3"},
		{"a command that prints too much", "run", `{"command":"yes | head -c 100000"}`, "[cut: it printed more]"},
		{"a tool that is not there", "write_file", `{}`, `Error: there is no tool "write_file".`},
		{"arguments that are no JSON", "run", `rm`, "Error: the arguments are no JSON object"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := tools.call(t.Context(), tt.tool, tt.arguments)
			if !strings.Contains(got, tt.want) {
				t.Errorf("got %q, want %q", got[:min(len(got), 300)], tt.want)
			}
			if strings.Contains(got, "the secret") || strings.Contains(got, "hidden ship") {
				t.Errorf("it read what it must not: %q", got)
			}
			if len(got) > maxOutput+1000 {
				t.Errorf("it printed %d bytes", len(got))
			}
		})
	}
}

func TestCommandsDoNotSeeTheKey(t *testing.T) {
	t.Setenv("OPENAI_API_KEY", "key-of-the-model")
	tools, err := openTools(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(tools.close)
	if got := tools.call(t.Context(), "run", `{"command":"env"}`); strings.Contains(got, "key-of-the-model") || !strings.Contains(got, "PATH=") {
		t.Errorf("the environment is %q", got)
	}
}
