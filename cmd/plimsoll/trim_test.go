package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestT10_TrimAsksAnEndpointWithTheKeyOfTheEnvironment(t *testing.T) {
	t.Parallel()
	var keys, models []string
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			Model string
			Input []string
		}
		if err := json.NewDecoder(r.Body).Decode(&asked); err != nil {
			t.Error(err)
		}
		keys, models = append(keys, r.Header.Get("Authorization")), append(models, asked.Model)
		text := strings.Join(asked.Input, "")
		fmt.Fprintf(w, `{"data":[{"index":0,"embedding":[%d,%d]}]}`, strings.Count(text, "a"), strings.Count(text, "b"))
	}))
	t.Cleanup(server.Close)
	var out, problems bytes.Buffer
	status := run(&process{
		args:    []string{"trim", "--max", "5", "--embedder", server.URL, "--embedding-model", "tide-1"},
		stdin:   strings.NewReader(`[{"role":"user","content":"aaaa"},{"role":"user","content":"bbb"}]`),
		stdout:  &out,
		stderr:  &problems,
		environ: []string{"OPENAI_API_KEY=secret"},
	})
	if status != 0 || problems.Len() > 0 || !strings.Contains(out.String(), `"semantic_retention":0.6}`) {
		t.Errorf("status %d, %s\n%s", status, &problems, &out)
	}
	if strings.Join(keys, ", ") != "Bearer secret, Bearer secret" || strings.Join(models, ", ") != "tide-1, tide-1" {
		t.Errorf("keys %q, models %q", keys, models)
	}
	if strings.Contains(out.String(), "secret") {
		t.Error("the key is in the output")
	}
}

func TestTrimEndsWithStatusOneWhenItsInputCannotBeRead(t *testing.T) {
	t.Parallel()
	var problems bytes.Buffer
	status := run(&process{args: []string{"trim", "--max", "9"}, stdin: &failingFile{}, stdout: io.Discard, stderr: &problems})
	if status != 1 || problems.String() != "plimsoll: trim standard input: input/output error\n" {
		t.Errorf("status %d, %q", status, problems.String())
	}
}
