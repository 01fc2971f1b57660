package rung

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Paths says which tools read and write files, and which of their arguments name the
// files. Names of tools match in any case, and without the prefix that a server adds
// ("mcp__files__read_file").
type Paths struct {
	// Read and Write name tools that read a file and that change one.
	Read, Write []string
	// Editors name tools that read if their argument "command" is "view", and
	// write otherwise.
	Editors []string
	// Patches name tools that take a patch with lines such as
	// "*** Update File: a.go".
	Patches []string
	// Shells name tools that run a command. Dedupe understands only plain reads: cat,
	// nl -ba and sed -n.
	Shells []string
	// Args are the arguments that hold a path; the first that a call has counts.
	Args []string
	// Lines is how many lines a read returns that asks for no range; 0 means all.
	Lines int
}

// DefaultPaths returns the tools of well-known agents: Claude Code, Codex, Gemini
// CLI, Qwen Code, opencode, pi, Cline, Roo Code, Cursor, Anthropic's text editor
// and the file system server of MCP.
func DefaultPaths() *Paths {
	return &Paths{
		Read: []string{
			"read", "read_file", "readfile", "read_text_file", "notebookread", "view", "view_file", "open_file", "file_read", "cat",
		},
		Write: []string{
			"write", "write_file", "writefile", "edit", "edit_file", "multiedit", "notebookedit", "replace", "create_file", "delete_file",
			"write_to_file", "replace_in_file", "apply_diff", "insert_content", "search_replace", "search_and_replace", "str_replace",
			"edit_notebook", "file_write", "editor",
		},
		Editors: []string{"str_replace_editor", "str_replace_based_edit_tool", "text_editor"},
		Patches: []string{"apply_patch", "patch"},
		Shells:  []string{"shell", "bash", "local_shell", "shell_command", "exec_command", "run_shell_command", "execute_command", "run_command"},
		Args: []string{
			"file_path", "filePath", "absolute_path", "path", "notebook_path", "notebookPath", "target_file", "targetFile",
			"relative_path", "filename", "file_name", "file",
		},
		Lines: 2000,
	}
}

// access is what a call does to a file.
type access struct {
	path   string
	writes bool
	span   lineSpan
}

// lineSpan is the part of a file that a call reads. Two spans are comparable if they
// have the same way, which holds the arguments that span does not understand.
type lineSpan struct {
	from, to int
	way      string
}

// fileEnd is beyond the last line of any file.
const fileEnd = math.MaxInt

func (s lineSpan) covers(other lineSpan) bool {
	return s.way == other.way && s.from <= other.from && s.to >= other.to
}

// pathOf returns the clean path. The keeper remembers it for long, so it is a short copy
// that does not keep the arguments of the call in memory.
func pathOf(file string) string { return remembered(path.Clean(file), 4096) }

// remembered returns a copy of a text, or its hash if it has more than a number of
// bytes.
func remembered(text string, most int) string {
	if len(text) <= most {
		return strings.Clone(text)
	}
	return fmt.Sprintf("%x", sha256.Sum256([]byte(text)))
}

// fileTool is the kind of a tool that works with files.
type fileTool int

const (
	noFiles fileTool = iota
	patcher
	shell
	editor
	writer
	reader
)

// tools lists the names of tools by their kinds, from patcher on.
func (p *Paths) tools() [5][]string {
	return [...][]string{p.Patches, p.Shells, p.Editors, p.Write, p.Read}
}

// kind returns what kind of tool it is, by its name.
func (p *Paths) kind(tool string) fileTool {
	tool = bareName(tool)
	for i, names := range p.tools() {
		if isNamed(names, tool) {
			return patcher + fileTool(i)
		}
	}
	return noFiles
}

func bareName(tool string) string {
	tool = tool[strings.LastIndexByte(tool, '.')+1:]
	if i := strings.LastIndex(tool, "__"); i >= 0 {
		tool = tool[i+2:]
	}
	return tool
}

func isNamed(names []string, tool string) bool {
	return slices.ContainsFunc(names, func(name string) bool { return strings.EqualFold(name, tool) })
}

// accesses returns what a call does to files, or nothing if that is unknown.
func (p *Paths) accesses(kind fileTool, text string) []access {
	args, isObject := parseArguments(text)
	switch {
	case kind == patcher:
		return patched(text, args)
	case !isObject:
		return nil
	case kind == shell:
		return shellRead(args)
	case kind == editor:
		return p.one(args, argText(args, "command") != "view")
	case kind == writer:
		return p.one(args, true)
	case kind == reader:
		return p.one(args, false)
	}
	return nil
}

func (p *Paths) one(args arguments, writes bool) []access {
	for _, name := range p.Args {
		if file := argText(args, name); file != "" {
			a := access{path: pathOf(file), writes: writes}
			if !writes {
				a.span = p.span(args, name)
			}
			return []access{a}
		}
	}
	return nil
}

// span reads which lines a call asks for. Other arguments become the way of the span, so
// that it is compared only with calls that have the same.
func (p *Paths) span(args arguments, pathArg string) lineSpan {
	s := lineSpan{to: fileEnd}
	if p.Lines > 0 {
		s.to = p.Lines
	}
	var rest []string
	ranged := false
	for _, arg := range args {
		switch arg.name {
		case pathArg, "command", "description", "explanation":
		case "offset", "limit", "start_line", "end_line", "startLine", "endLine", "line_start", "line_end", "view_range":
			ranged = true
		default:
			rest = append(rest, arg.name+"="+string(arg.raw))
		}
	}
	slices.Sort(rest)
	s.way = remembered(strings.Join(rest, "&"), 256)
	if ranged {
		s.ask(args)
	}
	return s
}

// ask sets the lines that a call asks for.
func (s *lineSpan) ask(args arguments) {
	if from, limit := argNumber(args, "offset"), argNumber(args, "limit"); from > 0 || limit > 0 {
		from = max(0, from)
		if limit <= 0 {
			limit = s.to
		}
		s.from, s.to = from, saturated(from, limit)
	}
	for _, names := range [][2]string{{"start_line", "end_line"}, {"startLine", "endLine"}, {"line_start", "line_end"}} {
		if from, to := argNumber(args, names[0]), argNumber(args, names[1]); from > 0 || to > 0 {
			s.from, s.to = max(0, from), lineAfter(to)
		}
	}
	var view []int
	if json.Unmarshal(args.raw("view_range"), &view) == nil && len(view) == 2 {
		s.from, s.to = max(0, view[0]), lineAfter(view[1])
	}
}

// lineAfter returns the end of a span with the given last line; less than 1 means the
// end of the file.
func lineAfter(line int) int {
	if line < 1 || line == fileEnd {
		return fileEnd
	}
	return line + 1
}

func saturated(from, n int) int {
	if n > fileEnd-from {
		return fileEnd
	}
	return from + n
}

// arguments of a call, as JSON values. No two have the same name.
type arguments []argument

type argument struct {
	name string
	raw  []byte
}

// raw returns the value of an argument, or nil.
func (a arguments) raw(name string) []byte {
	for i := range a {
		if a[i].name == name {
			return a[i].raw
		}
	}
	return nil
}

// fewArguments are compared with each other sooner than looked up.
const fewArguments = 8

// parseArguments reads an object; of equal keys the last one counts. The arguments share
// the bytes of the text.
func parseArguments(text string) (arguments, bool) {
	data := rawjson.Bytes(text)
	s := rawjson.NewScanner(data)
	if s.Peek() != '{' {
		return nil, false
	}
	args := make(arguments, 0, 2)
	var places map[string]int
	for key := range s.Members() {
		arg := argument{rawjson.View(key), s.Value().Of(data)}
		if len(args) == fewArguments && places == nil {
			places = map[string]int{}
			for i := range args {
				places[args[i].name] = i
			}
		}
		at, again := places[arg.name]
		if places == nil {
			at = slices.IndexFunc(args, func(other argument) bool { return other.name == arg.name })
			again = at >= 0
		}
		if again {
			args[at] = arg
			continue
		}
		if places != nil {
			places[arg.name] = len(args)
		}
		args = append(args, arg)
	}
	return args, s.End() == nil
}

// argText returns an argument that is a text, or "".
func argText(args arguments, name string) string {
	raw := args.raw(name)
	s, _ := rawjson.Unquote(raw, rawjson.Span{End: len(raw)})
	return s
}

// argNumber returns an argument that is a number, also one written as a text, or -1.
func argNumber(args arguments, name string) int {
	raw := strings.Trim(string(args.raw(name)), `"`)
	n, err := strconv.Atoi(raw)
	if err != nil {
		return -1
	}
	return n
}

// patched returns the files that a patch changes.
func patched(text string, args arguments) []access {
	patch := text
	for _, name := range []string{"input", "patch", "patchText", "patch_text"} {
		if s := argText(args, name); s != "" {
			patch = s
		}
	}
	var all []access
	for line := range strings.SplitSeq(patch, "\n") {
		for _, start := range []string{"*** Update File: ", "*** Add File: ", "*** Delete File: ", "*** Move to: "} {
			if file, ok := strings.CutPrefix(line, start); ok {
				all = append(all, access{path: pathOf(strings.TrimSpace(file)), writes: true})
			}
		}
	}
	return all
}

// shellRead returns the file that a command reads, if it does nothing else.
func shellRead(args arguments) []access {
	words := commandWords(args)
	a := access{span: lineSpan{to: fileEnd}}
	switch {
	case len(words) == 2 && words[0] == "cat":
	case len(words) == 3 && words[0] == "nl" && words[1] == "-ba":
		a.span.way = "nl"
	case len(words) == 4 && words[0] == "sed" && words[1] == "-n" && strings.HasSuffix(words[2], "p"):
		first, final, found := strings.Cut(strings.TrimSuffix(words[2], "p"), ",")
		from, err1 := strconv.Atoi(first)
		to, err2 := strconv.Atoi(final)
		if final == "$" {
			to, err2 = fileEnd, nil
		}
		if !found || err1 != nil || err2 != nil {
			return nil
		}
		a.span.from, a.span.to = from, lineAfter(to)
	default:
		return nil
	}
	file := words[len(words)-1]
	if strings.HasPrefix(file, "-") {
		return nil
	}
	for _, name := range []string{"workdir", "cwd", "directory", "dir"} {
		if dir := argText(args, name); dir != "" && !path.IsAbs(file) {
			file = path.Join(dir, file)
		}
	}
	a.path = pathOf(file)
	return []access{a}
}

// commandWords splits a plain command into words; nil if it is not plain: with
// quotes around more than one word, pipes, variables or several commands.
func commandWords(args arguments) []string {
	var words []string
	for _, name := range []string{"command", "cmd"} {
		if json.Unmarshal(args.raw(name), &words) == nil && len(words) > 0 {
			break
		}
		if s := argText(args, name); s != "" {
			words = []string{"sh", "-c", s}
			break
		}
	}
	if len(words) != 3 || !strings.HasPrefix(words[1], "-") || !strings.HasSuffix(words[1], "c") {
		return words
	}
	line := words[2]
	if strings.ContainsAny(line, "|;&<>`\n\\*?(){}~#") || strings.Contains(line, "$") && !strings.Contains(line, ",$p") {
		return nil
	}
	words = strings.Fields(line)
	for i, word := range words {
		bare := strings.Trim(word, `'"`)
		if len(word)-len(bare) == 1 || strings.ContainsAny(bare, `'"`) {
			return nil
		}
		words[i] = bare
	}
	return words
}
