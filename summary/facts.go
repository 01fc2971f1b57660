package summary

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// action is what a call did.
type action uint8

const (
	otherAction action = iota
	readFile
	wroteFile
	editedFile
	deletedFile
	ranCommand
	wrotePlan
)

// String is the word for it in ledgers and summaries.
func (d action) String() string {
	return [...]string{"used", "read", "written", "edited", "deleted", "ran", "planned"}[d]
}

// call is a tool call of the old part with its result.
type call struct {
	at     plimsoll.PartRef
	name   string
	action action
	// files that the call names as its object.
	files []fileUse
	// command line, for ranCommand.
	command string
	// plan items, for wrotePlan.
	plan []planItem
	// result, if answered.
	result   plimsoll.PartRef
	answered bool
	failed   bool
	// problem has the lines of a failed result that say what went wrong.
	problem []string
}

// fileUse is what was done to a file.
type fileUse struct {
	path   string
	action action
}

// callsOf returns the calls of a span, oldest first.
func callsOf(c plimsoll.Conversation, span plimsoll.Span) []call {
	answers := map[plimsoll.PartRef]plimsoll.PartRef{}
	for _, p := range c.Outline().Pairs {
		answers[p.Call] = p.Result
	}
	var calls []call
	for i := span.Start; i < span.End; i++ {
		for j, part := range c.Messages.At(i).Parts.All() {
			made, ok := part.(plimsoll.ToolCall)
			if !ok {
				continue
			}
			k := readCall(made)
			k.at = plimsoll.PartRef{Message: i, Part: j}
			if at, ok := answers[k.at]; ok && at.Message < span.End {
				k.result, k.answered = at, true
				if r, ok := c.Messages.At(at.Message).Parts.At(at.Part).(plimsoll.ToolResult); ok {
					k.failed, k.problem = outcome(r)
				}
			}
			calls = append(calls, k)
		}
	}
	return calls
}

// readCall finds out what a call does from the words of the tool's name and the names of
// its arguments. Most programs use the same words.
func readCall(made plimsoll.ToolCall) call {
	k := call{name: made.Name, action: actionOf(made.Name)}
	var args map[string]any
	if json.Unmarshal([]byte(made.Arguments), &args) != nil {
		k.files = patchedFiles(made.Arguments)
		return k
	}
	path, command := "", ""
	for key, value := range args {
		switch plainKey(key) {
		case "filepath", "path", "file", "filename", "absolutepath", "relativepath", "notebookpath", "targetfile":
			if s, ok := value.(string); ok && (path == "" || s < path) {
				path = s
			}
		case "command", "cmd", "script":
			command = commandLine(value)
		}
	}
	switch {
	case k.action == wrotePlan:
		k.plan = planOf(args)
	case path != "":
		if d := actionOf(command); d != otherAction && k.action != readFile {
			k.action = d
		}
		if k.action == ranCommand || k.action == otherAction {
			k.action = readFile
		}
		k.files = []fileUse{{path, k.action}}
	case command != "":
		k.action, k.command = ranCommand, command
		k.files = patchedFiles(command)
	default:
		for _, key := range slices.Sorted(maps.Keys(args)) {
			if s, ok := args[key].(string); ok {
				k.files = append(k.files, patchedFiles(s)...)
			}
		}
	}
	return k
}

func plainKey(key string) string {
	return strings.ToLower(joined.Replace(key))
}

// joined removes the characters between the words of a key.
var joined = strings.NewReplacer("_", "", "-", "")

// commandLine reads a command that is a text, or a list such as bash -lc TEXT.
func commandLine(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case []any:
		var words []string
		for _, w := range v {
			if s, ok := w.(string); ok {
				words = append(words, s)
			}
		}
		if len(words) == 3 && strings.HasPrefix(words[1], "-") && strings.HasSuffix(words[1], "c") {
			return words[2]
		}
		return strings.Join(words, " ")
	}
	return ""
}

var actionWords = map[string]action{
	"read": readFile, "view": readFile, "cat": readFile, "open": readFile, "show": readFile,
	"write": wroteFile, "create": wroteFile, "save": wroteFile,
	"edit": editedFile, "multiedit": editedFile, "replace": editedFile, "patch": editedFile, "insert": editedFile, "update": editedFile, "modify": editedFile,
	"delete": deletedFile, "remove": deletedFile,
	"bash": ranCommand, "shell": ranCommand, "run": ranCommand, "exec": ranCommand, "execute": ranCommand, "terminal": ranCommand, "command": ranCommand,
	"todo": wrotePlan, "todos": wrotePlan, "plan": wrotePlan,
}

// actionOf returns the action with the highest rank that the words of a tool's name mean.
// So TodoWrite is a plan, and str_replace_editor edits.
func actionOf(name string) action {
	found := otherAction
	if len(name) > maxAtom {
		return found
	}
	for word := range nameWords(name) {
		found = max(found, actionWords[word])
	}
	return found
}

// nameWords yields the words of an identifier in lower case.
func nameWords(name string) func(yield func(string) bool) {
	return func(yield func(string) bool) {
		start := 0
		for i := 0; i <= len(name); i++ {
			letter := i < len(name) && classOf[name[i]]&(upperByte|lowerByte) != 0
			hump := letter && i > start && classOf[name[i]]&upperByte != 0 && classOf[name[i-1]]&lowerByte != 0
			if letter && !hump {
				continue
			}
			if i > start && !yield(strings.ToLower(name[start:i])) {
				return
			}
			start = i
			if !letter {
				start++
			}
		}
	}
}

// patchedFiles reads the headings of a patch.
func patchedFiles(text string) []fileUse {
	if !strings.Contains(text, "*** ") {
		return nil
	}
	var files []fileUse
	for line := range strings.Lines(text) {
		for _, h := range [...]struct {
			heading string
			action  action
		}{{"*** Update File: ", editedFile}, {"*** Add File: ", wroteFile}, {"*** Delete File: ", deletedFile}} {
			if path, ok := strings.CutPrefix(strings.TrimSpace(line), h.heading); ok {
				files = append(files, fileUse{path, h.action})
			}
		}
	}
	return files
}
