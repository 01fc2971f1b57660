package main

import (
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

func TestAJobIsTasksWithTheirSteps(t *testing.T) {
	t.Parallel()
	j, err := parseJob([]byte(`{"user":"Where?"}
{"say":"I look.","use":[{"tool":"read_file","path":"a","offset":3},{"tool":"run","command":"ls"}]}
{"say":"There."}
{"user":"And when?"}
{"say":"Now."}
`))
	if err != nil {
		t.Fatal(err)
	}
	if len(j.tasks) != 2 || len(j.steps) != 3 || len(j.steps[0].Calls) != 2 || j.steps[0].Text != "I look." || j.steps[2].Text != "Now." {
		t.Errorf("read %+v", j)
	}
	if c := j.steps[0].Calls; c[0].Arguments != `{"path":"a","offset":3}` || c[1].Name != "run" {
		t.Errorf("calls %+v", c)
	}
}

func TestAJobThatCannotBeDoneIsRefused(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, text, want string }{
		{"nothing", "", "without an answer"},
		{"no answer", `{"user":"a"}{"say":"b","use":[{"tool":"run","command":"ls"}]}`, "without an answer"},
		{"only a task", `{"user":"a"}`, "without an answer"},
		{"a step without a task", `{"say":"a"}`, "entry 1: a task stands in front"},
		{"a task inside of another", `{"user":"a"}{"user":"b"}{"say":"c"}`, "entry 2: a task stands in front"},
		{"a step behind the answer", `{"user":"a"}{"say":"b"}{"say":"c"}`, "entry 3: a task stands in front"},
		{"both at once", `{"user":"a","say":"b"}`, "entry 1 is neither"},
		{"neither", `{}`, "entry 1 is neither"},
		{"an unknown word", `{"user":"a"}{"shout":"b"}`, "entry 2: json: unknown field"},
		{"no JSON", `user: a`, "entry 1: invalid character"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if _, err := parseJob([]byte(tt.text)); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, want %q", err, tt.want)
			}
		})
	}
}

func FuzzJobsAreReadOrRefused(f *testing.F) {
	f.Add([]byte(`{"user":"a"}{"say":"b","use":[{"tool":"run","command":"ls"}]}{"say":"c"}`))
	f.Add([]byte(`{"user":"a"}{"say":"b"}{"user":"c"}{"use":[{}]}{"say":"d"}`))
	f.Add([]byte(`{"use":null}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		j, err := parseJob(data)
		if err != nil {
			return
		}
		answers := 0
		for _, s := range j.steps {
			if len(s.Calls) == 0 {
				answers++
			}
		}
		if len(j.tasks) == 0 || answers != len(j.tasks) {
			t.Errorf("%d tasks have %d answers", len(j.tasks), answers)
		}
	})
}

// TestARecordedSessionIsWhole does a job whose history is cut on the way and reads the
// recording back: nothing is missing in it.
func TestARecordedSessionIsWhole(t *testing.T) {
	t.Parallel()
	dir, out := project(t), t.TempDir()
	var lines strings.Builder
	fmt.Fprintln(&lines, `{"user":"Where do ships moor?"}`)
	for i := range 40 {
		fmt.Fprintf(&lines, `{"say":"","use":[{"tool":"read_file","path":"quay%d/berth%d.go"}]}`+"\n", i/10, i)
	}
	fmt.Fprintln(&lines, `{"say":"There."}`+"\n"+`{"user":"And when?"}`+"\n"+`{"say":"Now."}`)
	written, recorded := filepath.Join(out, "job.jsonl"), filepath.Join(out, "session.json.gz")
	if err := os.WriteFile(written, []byte(lines.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	var answers strings.Builder
	if err := run(t.Context(), []string{"--job", written, "--record", recorded, "--dir", dir, "--window", fmt.Sprint(window)}, noEnv, &answers, io.Discard); err != nil {
		t.Fatal(err)
	}
	if answers.String() != "There.\nNow.\n" {
		t.Errorf("answered %q", answers.String())
	}
	body := unpacked(t, recorded)
	if len(body) < 10*window {
		t.Errorf("%d bytes may fit into the window of the model, so this shows nothing", len(body))
	}
	session, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		t.Fatal(err)
	}
	if got, want := session.Conversation().Messages.Len(), 1+1+2*40+1+2; got != want {
		t.Errorf("%d messages, want %d", got, want)
	}
	for i := range 40 {
		if raw := string(session.Raw(3 + 2*i)); !strings.Contains(raw, fmt.Sprintf("moorShip%d_0(", i)) || !strings.Contains(raw, fmt.Sprintf("moorShip%d_19(", i)) {
			t.Errorf("file %d is not whole: %.80s", i, raw)
		}
	}
}

func unpacked(t *testing.T, name string) []byte {
	t.Helper()
	f, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return data
}
