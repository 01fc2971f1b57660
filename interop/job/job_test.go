package job

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestEveryFileHasItsOwnMarksAtTheBeginningInTheMiddleAndAtTheEnd(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	j, err := New(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	all := Set{}
	for i := 1; i <= j.steps; i++ {
		data, err := os.ReadFile(filepath.Join(dir, fileName(i)))
		if err != nil {
			t.Fatal(err)
		}
		found := Marks(data)
		if len(found) != marks || len(found.Without(all)) != marks {
			t.Errorf("file %d has the marks %v", i, found)
		}
		if head, tail := Marks(data[:40]), Marks(data[len(data)-120:]); len(head) != 1 || len(tail) != 1 {
			t.Errorf("file %d has %d marks in the first line and %d in the last", i, len(head), len(tail))
		}
		all.Add(found)
	}
}

func TestToolsAreCalledByWhatTheirSchemasAskFor(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, tool, schema, want string }{
		{"a path", "Read", `{"properties":{"file_path":{"type":"string"},"limit":{"type":"number"}},"required":["file_path"]}`, `{"file_path":"/f"}`},
		{"another path", "read", `{"properties":{"filePath":{"type":"string"}},"required":["filePath"]}`, `{"filePath":"/f"}`},
		{"a command with a description", "Bash", `{"properties":{"command":{"type":"string"},"description":{"type":"string"}},"required":["command","description"]}`, `{"command":"cat /f","description":"reads a berth"}`},
		{"a command that is a list", "shell", `{"properties":{"command":{"type":"array"},"workdir":{"type":"string"}},"required":["command"]}`, `{"command":["bash","-c","cat /f"]}`},
		{"a command by another name", "exec_command", `{"properties":{"cmd":{"type":"string"}},"required":["cmd"]}`, `{"cmd":"cat /f"}`},
		{"types in capitals", "run_shell_command", `{"properties":{"command":{"type":"STRING"},"is_background":{"type":"BOOLEAN"}},"required":["command","is_background"]}`, `{"command":"cat /f","is_background":false}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tools := plimsoll.ListOf(plimsoll.Tool{Name: "other", Schema: `{}`}, plimsoll.Tool{Name: tt.tool, Schema: tt.schema})
			h, ok := find(tools, append(readers, shells...))
			if !ok {
				t.Fatal("it was not found")
			}
			if got := h.call("/f").Arguments; !sameJSON(got, tt.want) {
				t.Errorf("the arguments are %s, want %s", got, tt.want)
			}
		})
	}
}

func sameJSON(a, b string) bool {
	var x, y any
	if json.Unmarshal([]byte(a), &x) != nil || json.Unmarshal([]byte(b), &y) != nil {
		return false
	}
	first, _ := json.Marshal(x)
	second, _ := json.Marshal(y)
	return string(first) == string(second)
}
