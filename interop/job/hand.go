package job

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// hand is a tool of the client's by which a file can be read.
type hand struct {
	name   string
	schema schema
}

// schema is what is needed of the schema of a tool's arguments.
type schema struct {
	Properties map[string]struct {
		Type any `json:"type"`
	} `json:"properties"`
	Required []string `json:"required"`
}

var (
	readers = []string{"Read", "read_file", "read"}
	shells  = []string{"Bash", "bash", "run_shell_command", "exec_command", "shell_command", "shell"}
	// paths and commands are the arguments that name the file or what to run.
	paths    = []string{"file_path", "absolute_path", "filePath", "path"}
	commands = []string{"command", "cmd"}
)

// find returns the first tool that has one of the names.
func find(tools plimsoll.List[plimsoll.Tool], names []string) (hand, bool) {
	for _, name := range names {
		for _, t := range tools.All() {
			if t.Name != name {
				continue
			}
			h := hand{name: name}
			if json.Unmarshal([]byte(t.Schema), &h.schema) == nil {
				return h, true
			}
		}
	}
	return hand{}, false
}

// call returns how the tool is called for a file.
func (h hand) call(path string) plimsoll.ToolCall {
	arguments := map[string]any{}
	for name, p := range h.schema.Properties {
		switch {
		case slices.Contains(paths, name):
			arguments[name] = path
		case slices.Contains(commands, name) && is(p.Type, "array"):
			arguments[name] = []string{"bash", "-c", "cat " + path}
		case slices.Contains(commands, name):
			arguments[name] = "cat " + path
		case slices.Contains(h.schema.Required, name) && is(p.Type, "boolean"):
			arguments[name] = false
		case slices.Contains(h.schema.Required, name) && is(p.Type, "string"):
			arguments[name] = "reads a berth"
		}
	}
	if slices.Contains(shells, h.name) && !slices.Contains(h.schema.Required, "path") {
		delete(arguments, "path")
	}
	data, err := json.Marshal(arguments)
	if err != nil {
		panic(err) // of strings, lists of them and booleans it can be made
	}
	return plimsoll.ToolCall{Name: h.name, Arguments: string(data)}
}

// is reports whether a schema allows a type; Gemini writes them in capitals.
func is(kind any, want string) bool {
	return strings.Contains(strings.ToLower(fmt.Sprint(kind)), want)
}
