package token

import (
	"os"
	"path/filepath"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/model"
)

// family is a line of models with a vocabulary of its own. This table is the one
// place to touch when a provider's tokenizer is added: the file is loaded when it
// is in the tokenizers directory, and the stand-in counts when it is not.
type family struct {
	name string
	// standIn is the built-in encoding whose counts come nearest.
	standIn string
	// percent of the stand-in's count, measured on text that the family's own
	// tokenizer (or its provider's bill) has counted; see docs/counting.md.
	percent int
}

// claude47 is the tokenizer that Claude has used since version 4.7.
const claude47 = "claude-4.7"

var unknownFamily = family{standIn: model.O200K, percent: 120}

var families = [...]family{
	{"claude", model.O200K, 116},
	{claude47, model.O200K, 140},
	{"deepseek-v3", model.O200K, 108},
	{"gemma2", model.O200K, 112},
	{"gemma3", model.O200K, 112},
	{"llama2", model.CL100K, 125},
	{"llama3", model.CL100K, 103},
	{"mistral-7b", model.CL100K, 125},
	{"qwen2.5", model.CL100K, 105},
	{"qwen3", model.CL100K, 105},
	{"tekken", model.O200K, 110},
}

func familyNamed(name string) family {
	for _, f := range families {
		if f.name == name {
			return f
		}
	}
	return unknownFamily
}

// familyCounter counts with the family's own vocabulary if the directory has it,
// else with the stand-in.
func familyCounter(m model.Model, dir string) (plimsoll.Counter, error) {
	if path, ok := vocabularyFile(dir, m.Tokenizer.Name); ok {
		return fromFile(m, path)
	}
	return scaled(m.ID, familyNamed(m.Tokenizer.Name)), nil
}

func vocabularyFile(dir, family string) (string, bool) {
	if dir == "" || family == "" {
		return "", false
	}
	for _, path := range []string{filepath.Join(dir, family), filepath.Join(dir, family+".json")} {
		if _, err := os.Stat(path); err == nil {
			return path, true
		}
	}
	return "", false
}
