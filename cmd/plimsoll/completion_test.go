package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// script writes the completion of a shell to a file, or skips where there is no
// such shell.
func script(t *testing.T, shell string) string {
	t.Helper()
	if _, err := exec.LookPath(shell); err != nil {
		t.Skipf("no %s here", shell)
	}
	var out, problems bytes.Buffer
	if status := run(&process{args: []string{"completion", shell}, stdout: &out, stderr: &problems}); status != 0 {
		t.Fatalf("status %d: %s", status, &problems)
	}
	path := filepath.Join(t.TempDir(), "completion")
	if err := os.WriteFile(path, out.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

// completions are what every shell must offer, and must not, for a line whose
// last word is still being written.
var completions = []struct {
	name         string
	words        []string
	want, unwant []string
}{
	{"commands come first", []string{""}, []string{"count", "models", "version", "completion"}, []string{"auto", "chat.json"}},
	{"a command is finished", []string{"co"}, []string{"count", "completion"}, []string{"models"}},
	{"flags of the program", []string{"--"}, []string{"--color", "--help"}, []string{"--limit"}},
	{"flags of a command", []string{"count", "--f"}, []string{"--format", "--fail-over"}, []string{"--json"}},
	{"flags of the program behind a command", []string{"models", "--c"}, []string{"--color"}, []string{"--limit"}},
	{"values of a flag", []string{"count", "--format", ""}, []string{"auto", "json", "jsonl", "text"}, []string{"chat.json"}},
	{"values of a short flag", []string{"count", "-f", "js"}, []string{"json", "jsonl"}, []string{"text"}},
	{"values of a flag of the program", []string{"models", "--color", "a"}, []string{"auto", "always"}, []string{"never"}},
	{"models for a flag", []string{"count", "--model", "gpt-4o"}, []string{"gpt-4o", "gpt-4o-mini"}, []string{"claude-sonnet-4-5"}},
	{"models for an argument", []string{"models", "claude-sonnet-4"}, []string{"claude-sonnet-4-5"}, []string{"gpt-4o"}},
	{"encodings and estimators", []string{"count", "--encoding", ""}, []string{"o200k_base", "heuristic"}, []string{"chat.json"}},
	{"files for an argument", []string{"count", ""}, []string{"chat.json", "folder"}, []string{"count", "auto"}},
	{"files behind a flag without a value", []string{"count", "--json", "ch"}, []string{"chat.json"}, []string{"folder"}},
	{"directories for a flag", []string{"count", "--tokenizers", ""}, []string{"folder"}, []string{"chat.json"}},
	{"shells", []string{"completion", ""}, []string{"bash", "fish", "zsh"}, []string{"chat.json"}},
}

// checkCompletions compares what a shell offers with what it must. The command
// runs in a directory with a file and a folder.
func checkCompletions(t *testing.T, ask func(words []string) *exec.Cmd) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "chat.json"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, "folder"), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, tc := range completions {
		cmd := ask(tc.words)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		var offered []string
		for line := range strings.Lines(string(out)) {
			word, _, _ := strings.Cut(strings.TrimSpace(line), "\t")
			offered = append(offered, strings.TrimSuffix(word, "/"))
		}
		for _, w := range tc.want {
			if !slices.Contains(offered, w) {
				t.Errorf("%s: %q is not offered, only %q", tc.name, w, offered)
			}
		}
		for _, w := range tc.unwant {
			if slices.Contains(offered, w) {
				t.Errorf("%s: %q is offered", tc.name, w)
			}
		}
	}
}

func TestBashCompletes(t *testing.T) {
	t.Parallel()
	path := script(t, "bash")
	checkCompletions(t, func(words []string) *exec.Cmd { return bash(path, words...) })

	// bash hands over --format=js in three words
	out, err := bash(path, "count", "--format", "=", "js").Output()
	if err != nil || string(out) != "json\njsonl\n" {
		t.Errorf("--format=js: %q, %v", out, err)
	}
	if out, err = bash(path, "count", "--format", "=").Output(); err != nil || string(out) != "auto\njson\njsonl\ntext\n" {
		t.Errorf("--format=: %q, %v", out, err)
	}
}

// bash asks the completion function as the shell does, without a terminal.
func bash(path string, words ...string) *exec.Cmd {
	const ask = `source "$1"; shift; COMP_WORDS=(plimsoll "$@"); COMP_CWORD=$#; _plimsoll; printf '%s\n' "${COMPREPLY[@]}"`
	return exec.Command("bash", append([]string{"--norc", "-c", ask, "bash", path}, words...)...)
}

func TestFishCompletes(t *testing.T) {
	t.Parallel()
	path := script(t, "fish")
	checkCompletions(t, func(words []string) *exec.Cmd {
		return exec.Command("fish", "--no-config", "-c", "source $argv[1]; complete -C $argv[2]", path, "plimsoll "+strings.Join(words, " "))
	})
}

func TestZshReadsItsScript(t *testing.T) {
	t.Parallel()
	path := script(t, "zsh")
	const load = `autoload -Uz compinit && compinit -D -u && source "$1" && print -r -- "$_comps[plimsoll]"`
	out, err := exec.Command("zsh", "-f", "-c", load, "zsh", path).CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != "_plimsoll" {
		t.Errorf("%q, %v", out, err)
	}
}
