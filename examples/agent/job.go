package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// job is work that was written down: what the user asks, one task after the other, and
// what a scripted model does about it. Only what the tools answer is not known before.
type job struct {
	tasks []string
	steps []scripted.Step
}

// entry is a line of a file that holds a job: a task, or a step towards its answer.
type entry struct {
	User string `json:"user"`
	Say  string `json:"say"`
	Use  []struct {
		Tool string `json:"tool"`
		arguments
	} `json:"use"`
}

func readJob(name string) (*job, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, &plimsoll.Error{Op: "read the job", Code: plimsoll.CodeInvalid, Err: err, Hint: "name a file of JSON lines with --job"}
	}
	j, err := parseJob(data)
	if err != nil {
		return nil, &plimsoll.Error{Op: "read the job " + name, Code: plimsoll.CodeInvalid, Err: err, Hint: `a line is {"user":"a task"} or {"say":"a word","use":[{"tool":"read_file","path":"x"}]}`}
	}
	return j, nil
}

// parseJob reads a job. A task ends with a step that calls no tool, which is its answer.
func parseJob(data []byte) (*job, error) {
	j, answered := &job{}, true
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.DisallowUnknownFields()
	for n := 1; ; n++ {
		var e entry
		err := decoder.Decode(&e)
		switch {
		case errors.Is(err, io.EOF) && (!answered || len(j.tasks) == 0):
			return nil, errors.New("it ends without an answer")
		case errors.Is(err, io.EOF):
			return j, nil
		case err != nil:
			return nil, fmt.Errorf("entry %d: %w", n, err)
		case (e.User != "") == (e.Say != "" || len(e.Use) > 0):
			return nil, fmt.Errorf("entry %d is neither a task nor a step", n)
		case (e.User != "") != answered:
			return nil, fmt.Errorf("entry %d: a task stands in front of its steps, and behind the answer to the one before", n)
		case e.User != "":
			j.tasks = append(j.tasks, e.User)
		default:
			j.steps = append(j.steps, e.step())
		}
		answered = e.User == "" && len(e.Use) == 0
	}
}

func (e entry) step() scripted.Step {
	step := scripted.Say(e.Say)
	for _, u := range e.Use {
		step.Calls = append(step.Calls, use("", u.Tool, u.arguments).Calls...)
	}
	return step
}

// record writes a history as it would be if nothing had been cut: a request body,
// under gzip where the name says so.
func (h *history) record(name string) error {
	data := encode(&history{Model: h.Model, Tools: h.Tools, Messages: h.uncut})
	if strings.HasSuffix(name, ".gz") {
		var b bytes.Buffer
		z, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
		if err != nil {
			return err
		}
		_, err = z.Write(data)
		if err = errors.Join(err, z.Close()); err != nil {
			return err
		}
		data = b.Bytes()
	}
	if err := os.WriteFile(name, data, 0o644); err != nil {
		return &plimsoll.Error{Op: "record the session", Code: plimsoll.CodeInvalid, Err: err, Hint: "name a file with --record that can be written"}
	}
	return nil
}
