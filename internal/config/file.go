package config

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// FileName is the name of a file that is found without being named.
const FileName = "plimsoll.yaml"

// file is a file of settings that may be read.
type file struct {
	path string
	// named says that the user named it: it must be there, and it may set
	// everything.
	named bool
	// trusted says that it may make the program reach outside.
	trusted bool
}

// candidates are the files to read, strongest first.
func (o *Options) candidates() []file {
	if o.File != "" {
		return []file{{path: o.File, named: true, trusted: true}}
	}
	if named := o.env(envConfig); named != "" {
		return []file{{path: named, named: true, trusted: true}}
	}
	files := []file{{path: filepath.Join(o.Dir, FileName)}}
	if own := o.userFile(); own != "" {
		files = append(files, file{path: own, trusted: true})
	}
	return files
}

// userFile is where the user's own settings are; empty if there is no such place.
func (o *Options) userFile() string {
	if dir := o.env("XDG_CONFIG_HOME"); filepath.IsAbs(dir) {
		return filepath.Join(dir, "plimsoll", FileName)
	}
	if dir := o.env("APPDATA"); runtime.GOOS == "windows" && dir != "" {
		return filepath.Join(dir, "plimsoll", FileName)
	}
	if home := o.env("HOME"); home != "" {
		return filepath.Join(home, ".config", "plimsoll", FileName)
	}
	return ""
}

// read returns the file's content; a file that was not named may be missing.
func (f file) read() (node, bool, error) {
	data, err := f.bytes()
	if errors.Is(err, fs.ErrNotExist) && !f.named {
		return node{}, false, nil
	}
	if err != nil {
		return node{}, false, f.failed(err)
	}
	n, err := parseYAML(data)
	if err == nil && n.shape != mapping && n.shape != null {
		err = &SyntaxError{Line: max(1, n.line), Column: 1, Reason: "settings are keys with values", hint: hintKeys}
	}
	var syntax *SyntaxError
	if errors.As(err, &syntax) {
		return node{}, false, f.syntax(syntax)
	}
	return n, true, err
}

func (f file) bytes() ([]byte, error) {
	info, err := os.Stat(f.path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, errors.New("is a directory")
	case !f.named && !info.Mode().IsRegular():
		return nil, errors.New("not a regular file") // a pipe would keep us waiting
	}
	r, err := os.Open(f.path)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	return io.ReadAll(io.LimitReader(r, maxFile+1))
}

func (f file) failed(err error) error {
	e := &plimsoll.Error{Op: "read settings from " + f.path, Code: plimsoll.CodeInvalid, Err: err}
	var path *fs.PathError
	if errors.As(err, &path) {
		e.Err = path.Err
	}
	e.Hint = "make it a readable file, or name another with --config FILE"
	if errors.Is(err, fs.ErrNotExist) {
		e.Code, e.Err, e.Hint = plimsoll.CodeNotFound, errors.New("no such file"), "check the name that --config or "+envConfig+" has"
	}
	return e
}

func (f file) syntax(e *SyntaxError) error {
	return &plimsoll.Error{Op: fmt.Sprintf("%s:%d:%d", f.path, e.Line, e.Column), Code: plimsoll.CodeInvalid, Err: e, Hint: e.hint}
}

func (f file) origin(line int) Origin {
	name := f.path
	if line > 0 {
		name += ":" + strconv.Itoa(line)
	}
	return Origin{Kind: FromFile, Name: name}
}

// entries flattens the mapping of a file into settings.
func (f file) entries(fields []Field, n node) (layer, error) {
	w := fileWalk{file: f, fields: fields, lines: map[string]int{}}
	if filepath.Base(f.path) == geminiFile {
		n = geminiModel(n)
		field, _ := find(fields, "preset")
		w.layer = layer{{field: field, node: node{shape: scalar, text: "gemini"}, origin: f.origin(0)}}
	}
	w.walk("", n)
	return w.layer, errors.Join(w.errs...)
}

// geminiFile is the name of Gemini CLI's own settings. Such a file chooses the preset
// gemini, and sets what its section model says. Everything else in it is for Gemini CLI.
const geminiFile = "settings.json"

func geminiModel(n node) node {
	keep := func(n node, names ...string) node {
		n.pairs = slices.DeleteFunc(slices.Clone(n.pairs), func(p pair) bool { return !slices.Contains(names, p.key.text) })
		return n
	}
	n = keep(n, "model")
	for i, p := range n.pairs {
		n.pairs[i].value = keep(p.value, "name", "compressionThreshold")
	}
	return n
}

type fileWalk struct {
	file   file
	fields []Field
	layer  layer
	// lines says where each key was seen, since two spellings are one key.
	lines map[string]int
	errs  []error
}

func (w *fileWalk) walk(prefix string, n node) {
	for _, p := range n.pairs {
		if len(w.errs) == mostMistakes {
			return
		}
		key := prefix + p.key.text
		at := w.file.origin(p.key.line)
		field, known := find(w.fields, key)
		section, isSection := w.section(key)
		gone, instead := removedKey(key)
		id := fold(key)
		switch {
		case isSection && p.value.shape == mapping:
			known, id = false, fold(section)+"."
		case known:
			id = fold(field.Key)
		}
		if line, twice := w.lines[id]; twice {
			w.fail(at, fmt.Errorf("%q stands in line %d already", clip(key), line), "leave one of them out")
			continue
		}
		w.lines[id] = p.key.line
		switch {
		case known:
			w.layer = append(w.layer, rawSetting{field: field, node: p.value, origin: at, dir: filepath.Dir(w.file.path), refuse: w.refuse(field)})
		case gone != "":
			w.fail(at, fmt.Errorf("%s was removed", gone), "leave it out; "+instead)
		case !isSection:
			w.fail(at, fmt.Errorf("unknown key %q", clip(key)), w.hint(prefix, p.key.text))
		case p.value.shape == mapping:
			w.walk(section+".", p.value)
		case p.value.shape != null:
			w.fail(at, fmt.Errorf("%s has %q, and wants keys with values", section, clip(p.value.String())), w.hint(section+".", ""))
		}
	}
}

// refuse says why a setting is not taken from this file.
func (w *fileWalk) refuse(f Field) string {
	if !f.outside || w.file.trusted {
		return ""
	}
	return "not taken from a file that merely lies in the current directory; name it with --config to trust it"
}

func (w *fileWalk) fail(at Origin, err error, hint string) {
	w.errs = append(w.errs, &plimsoll.Error{Op: at.Name, Code: plimsoll.CodeInvalid, Err: err, Hint: hint})
}

// section returns the section with that key, as it is spelled here.
func (w *fileWalk) section(key string) (string, bool) {
	names := slices.Collect(maps.Keys(removed))
	for _, f := range w.fields {
		names = append(names, f.keys()...)
	}
	for _, name := range names {
		for i, c := range name {
			if c == '.' && fold(name[:i]) == fold(key) {
				return name[:i], true
			}
		}
	}
	return "", false
}

// hint names the key that may have been meant: the same word in another section,
// or one that is written alike in this one.
func (w *fileWalk) hint(prefix, name string) string {
	var siblings []string
	for _, f := range w.fields {
		if fold(f.Key[strings.LastIndexByte(f.Key, '.')+1:]) == fold(name) {
			return "did you mean " + f.Key + "?"
		}
		for _, key := range f.keys() {
			rest, ok := strings.CutPrefix(key, prefix)
			if word, _, _ := strings.Cut(rest, "."); ok && !slices.Contains(siblings, word) {
				siblings = append(siblings, word)
			}
		}
	}
	if near := nearest(name, siblings); near != "" {
		return "did you mean " + prefix + near + "?"
	}
	if siblings == nil {
		return "leave it out: all settings of this section were removed"
	}
	return "known keys are " + strings.Join(siblings, ", ")
}
