package bills

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const (
	chatURL = "https://api.openai.com/v1/chat/completions"
	request = `{"model":"gpt-4o","messages":[{"role":"user","content":"hi"}]}`
	answer  = `{"model":"gpt-4o","choices":[],"usage":{"prompt_tokens":8,"completion_tokens":1}}`
)

// cassettes are the forms of recorders, with the same request.
var cassettes = map[string]string{
	"cassettes/vcrpy.yaml":    "interactions:\n- request:\n    body: '" + request + "'\n    uri: " + chatURL + "\n  response:\n    body:\n      string: '" + answer + "'\n",
	"vcr_cassettes/ruby.yml":  "http_interactions:\n- request:\n    uri: " + chatURL + "\n    body:\n      string: '" + request + "'\n  response:\n    body:\n      base64_string: e30=\n      string: '" + answer + "'\n",
	"testdata/stream.yaml":    "interactions:\n- request:\n    url: " + chatURL + "\n    body: '" + request + "'\n  response:\n    body: |\n      data: " + answer + "\n\n      data: [DONE]\n\n",
	"cassettes/mock.yaml":     "when:\n  path: /v1/models\nthen:\n  body: '{}'\n---\nwhen:\n  path: /v1/chat/completions\n  body: '" + request + "'\nthen:\n  body: '" + answer + "'\n",
	"__recordings__/own.json": `{"recordings":[{"request":{"url":"` + chatURL + `","body":` + request + `},"response":{"status":200,"body":` + answer + `}}]}`,
	"recordings/a.har":        `{"log":{"entries":[{"request":{"url":"` + chatURL + `","postData":{"text":` + quoted(request) + `}},"response":{"content":{"text":` + quoted(answer) + `}}}]}}`,
	"cassettes/binary.yaml":   "interactions:\n- request:\n    body: '" + request + "'\n    uri: " + chatURL + "\n  response:\n    body:\n      string: !!binary |\n        eyJtb2RlbCI6ImdwdC00byIsImNob2ljZXMiOltdLCJ1c2FnZSI6eyJwcm9tcHRfdG9rZW5zIjo4\n        fX0=\n",
}

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestRecordingsOfEveryFormAreExtractedAndWeighed(t *testing.T) {
	t.Parallel()
	for name, text := range cassettes {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			source, recordings := t.TempDir(), t.TempDir()
			file := filepath.Join(source, filepath.FromSlash(name))
			if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
			if n, err := Extract(source, recordings); err != nil || n != 1 {
				t.Fatalf("%d recordings, %v; want 1", n, err)
			}
			rows, err := Measure(recordings)
			if r := rows["OpenAI"]; err != nil || len(rows) != 1 || r == nil || len(r.Tokens) != 1 || r.Tokens[0] != 0 || r.Held != 1 {
				t.Errorf("rows %v, %v; want an exact request of OpenAI", rows, err)
			}
		})
	}
}

func TestAGitDirectoryIsASource(t *testing.T) {
	t.Parallel()
	source, recordings := t.TempDir(), t.TempDir()
	for name, text := range cassettes {
		file := filepath.Join(source, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q", "add .", "-c user.name=a -c user.email=a@example.com commit -q -m a"} {
		if out, err := exec.Command("git", append([]string{"-C", source}, strings.Fields(args)...)...).CombinedOutput(); err != nil {
			t.Skipf("git %s: %v: %s", args, err, out)
		}
	}
	// The path is all that the mock knows of the address, so it is another request.
	if n, err := Extract(filepath.Join(source, ".git"), recordings); err != nil || n != 2 {
		t.Errorf("%d recordings, %v; want 2", n, err)
	}
}

func TestAFolderWithoutRecordingsSaysWhatToDo(t *testing.T) {
	t.Parallel()
	for _, dir := range []string{"", t.TempDir()} {
		if _, err := Measure(dir); !errors.Is(err, ErrMissing) || !strings.Contains(err.Error(), "--recordings") || !strings.Contains(err.Error(), "--extract") {
			t.Errorf("%q: %v", dir, err)
		}
	}
}
