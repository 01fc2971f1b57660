package token

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/internal/hf"
	"github.com/plimsoll/plimsoll/model"
)

// family is a line of models with a vocabulary of its own. This table is the one
// place to touch when a provider's tokenizer is added: the file is loaded when it
// is in the tokenizers directory, and the stand-in counts when it is not.
type family struct {
	name string
	// files are further names under which the vocabulary may lie.
	files []string
	// standIn is the built-in encoding whose counts come nearest.
	standIn string
	// percent of the stand-in's count: the largest ratio measured on agent
	// sessions and dialogues that the family's own tokenizer, or its provider's
	// bill, has counted; see docs/counting.md.
	percent int
	// spells says that the vocabulary may be small: it spells the letters of many scripts byte
	// by byte.
	spells bool
}

// The built-in encodings that count for families without a vocabulary.
const (
	o200k  = "o200k_base"
	cl100k = "cl100k_base"
)

// claude47 is the tokenizer that Claude has used since version 4.7.
const claude47 = "claude-4.7"

// unknownFamily is that of models without a known vocabulary, and strangers that of models
// without a known name: those may be small.
var (
	unknownFamily = family{standIn: o200k, percent: 120}
	strangers     = family{standIn: o200k, percent: 120, spells: true}
)

var families = [...]family{
	{name: "claude", standIn: o200k, percent: 116},
	{name: claude47, standIn: o200k, percent: 150},
	{name: "deepseek-v3", files: []string{"deepseek_v3"}, standIn: o200k, percent: 104},
	{name: "gemma2", standIn: o200k, percent: 120},
	{name: "gemma3", standIn: o200k, percent: 105},
	{name: "llama2", standIn: cl100k, percent: 127},
	{name: "llama3", standIn: o200k, percent: 101},
	{name: "mistral-7b", standIn: cl100k, percent: 127},
	{name: "qwen2.5", files: []string{"qwen2_5"}, standIn: o200k, percent: 115},
	{name: "qwen3", standIn: o200k, percent: 115},
	{name: "tekken", files: []string{"mistral_nemo"}, standIn: o200k, percent: 117},
}

// familyNamed returns the family with that name. A name that is not in the table is that
// of a vocabulary which only the directory can have.
func familyNamed(name string) family {
	for _, f := range families {
		if f.name == name {
			return f
		}
	}
	f := unknownFamily
	f.name = name
	return f
}

// CheckTokenizer reports a tokenizer that Plimsoll does not know and that the directory
// of vocabularies does not have: its models would be estimated. A file in the directory
// adds a tokenizer under its name.
func CheckTokenizer(name, dir string) error {
	known := slices.ContainsFunc(families[:], func(f family) bool { return f.name == name })
	if _, found := familyNamed(name).file(dir); name == "" || known || found || slices.Contains(bpe.Names(), name) {
		return nil
	}
	return &plimsoll.Error{
		Op: fmt.Sprintf("tokenizer %q", name), Code: plimsoll.CodeInvalid, Err: plimsoll.ErrUnsupported,
		Hint: fmt.Sprintf("add its vocabulary as %s.json or %s/tokenizer.json to the directory that --tokenizers names, or leave the tokenizer out", name, name),
	}
}

// familyCounter counts with the family's own vocabulary if the directory has it,
// else with the stand-in.
func familyCounter(m model.Model, o *Options) (plimsoll.Counter, error) {
	f := familyNamed(m.Tokenizer.Name)
	if o == nil {
		o = &Options{}
	}
	if path, ok := f.file(o.Tokenizers); ok {
		return fromFile(m, path, o.files)
	}
	return scaled(m.ID, f), nil
}

// file finds the family's vocabulary: a folder or a .json file of its name.
func (f family) file(dir string) (string, bool) {
	if dir == "" || f.name == "" || f.name != filepath.Base(f.name) {
		return "", false
	}
	for _, name := range append([]string{f.name}, f.files...) {
		for _, path := range []string{filepath.Join(dir, name), filepath.Join(dir, name+".json")} {
			if _, err := os.Stat(path); err == nil {
				return path, true
			}
		}
	}
	return "", false
}

// vocabularies are the files that have been loaded, by path: they take tens of
// megabytes and a second each, and many models share one.
type vocabularies struct{ loaded sync.Map } // path to func() (*hf.Tokenizer, error)

// load returns the vocabulary of a file; nil vocabularies keep nothing.
func (v *vocabularies) load(path string) (*hf.Tokenizer, error) {
	if v == nil {
		return hf.Load(path)
	}
	load, _ := v.loaded.LoadOrStore(path, sync.OnceValues(func() (*hf.Tokenizer, error) { return hf.Load(path) }))
	return load.(func() (*hf.Tokenizer, error))()
}

// thoughts says how much shown thinking is billed for, in percent of a text of its
// length. Claude shows a summary of what it has thought and is billed for the
// thought itself. The figures are from the bills of recorded sessions: over three
// thirds of them 1.21 to 1.35 (Opus and Sonnet 4.5) and 1.5 to 2.9 (Opus 4.6)
// tokens for one of o200k_base, where text has 1.12 to 1.14; later models are
// taken to be like Opus 4.6. The first row that fits counts; a row without a model
// fits all of its tokenizer.
var thoughts = [...]struct {
	tokenizer, model string
	percent          int
}{
	{"claude", "claude-opus-4-6", 175},
	{"claude", "claude-sonnet-4-6", 175},
	{"claude", "", 115},
	{claude47, "", 175},
}

func thoughtPercent(tokenizer, model string) int {
	for _, t := range thoughts {
		if t.tokenizer == tokenizer && strings.HasPrefix(model, t.model) {
			return t.percent
		}
	}
	return 100
}
