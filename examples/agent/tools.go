package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/store"
)

// The bounds of what tools print. Plimsoll would shorten more than that, but there is
// no need to keep what no one will read.
const (
	maxLines   = 400
	maxOutput  = 40_000
	maxEntries = 500
	maxMatches = 100
	maxFile    = 1 << 20
	runTime    = 20 * time.Second
)

// tools work on one directory. All but run cannot leave it.
type tools struct {
	dir  string
	root *os.Root
	// kept is what was cut and can be read again; nil without a store.
	kept *store.Tenant
}

// tool is one that the model may call.
type tool struct {
	declared plimsoll.Tool
	call     func(*tools, context.Context, arguments) (string, error)
}

// arguments are those of all tools.
type arguments struct {
	Path    string `json:"path,omitempty"`
	Offset  int    `json:"offset,omitempty"`
	Pattern string `json:"pattern,omitempty"`
	Command string `json:"command,omitempty"`
}

var ours = []tool{
	{plimsoll.Tool{
		Name: "read_file", Description: "Reads a text file, at most 400 lines from line offset on, counted from 0.",
		Schema: `{"type":"object","properties":{"path":{"type":"string"},"offset":{"type":"integer"}},"required":["path"]}`,
	}, (*tools).readFile},
	{plimsoll.Tool{
		Name: "list_files", Description: "Lists a directory. Names of directories end with a slash.",
		Schema: `{"type":"object","properties":{"path":{"type":"string"}},"required":["path"]}`,
	}, (*tools).listFiles},
	{plimsoll.Tool{
		Name: "grep", Description: "Searches all files below a path for a regular expression (RE2) and prints the lines with their places.",
		Schema: `{"type":"object","properties":{"pattern":{"type":"string"},"path":{"type":"string"}},"required":["pattern"]}`,
	}, (*tools).grep},
	{plimsoll.Tool{
		Name: "run", Description: "Runs a shell command in the directory, for 20 seconds at most, and prints what it prints.",
		Schema: `{"type":"object","properties":{"command":{"type":"string"}},"required":["command"]}`,
	}, (*tools).run},
}

func openTools(dir string) (*tools, error) {
	root, err := os.OpenRoot(dir)
	if err != nil {
		return nil, &plimsoll.Error{Op: "open the directory", Code: plimsoll.CodeInvalid, Err: err, Hint: "name one with --dir"}
	}
	return &tools{dir: dir, root: root}, nil
}

func (t *tools) close() { _ = t.root.Close() }

// declarations lists the tools as Chat Completions wants them. With a store, those
// that read what was cut are among them.
func (t *tools) declarations() json.RawMessage {
	var all []plimsoll.Tool
	for _, o := range ours {
		all = append(all, o.declared)
	}
	if t.kept != nil {
		all = append(all, expand.Tools()...)
	}
	var list []any
	for _, d := range all {
		list = append(list, map[string]any{"type": "function", "function": map[string]any{
			"name": d.Name, "description": d.Description, "parameters": json.RawMessage(d.Schema),
		}})
	}
	return encode(list)
}

// call runs a tool and returns the text for the model, failures too.
func (t *tools) call(ctx context.Context, name, text string) string {
	i := slices.IndexFunc(ours, func(o tool) bool { return o.declared.Name == name })
	if i < 0 && t.kept != nil {
		found, err := expand.Call(ctx, t.kept, name, text, nil)
		if err != nil {
			return expand.Explain(err)
		}
		return found.Text
	}
	if i < 0 {
		return fmt.Sprintf("Error: there is no tool %q.", name)
	}
	var a arguments
	if err := json.Unmarshal([]byte(text), &a); err != nil {
		return "Error: the arguments are no JSON object: " + err.Error()
	}
	out, err := ours[i].call(t, ctx, a)
	if err != nil {
		var place *os.PathError
		if errors.As(err, &place) {
			err = fmt.Errorf("%s: %w", place.Path, place.Err)
		}
		return out + "Error: " + err.Error()
	}
	if out == "" {
		return "(nothing)"
	}
	return out
}
