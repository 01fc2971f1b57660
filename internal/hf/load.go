package hf

import (
	"bytes"
	"encoding/json/jsontext"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// maxFileBytes bounds what is read: the largest vocabulary in use (Gemma 3) takes 33 MB.
const maxFileBytes = 256 << 20

// Load reads a tokenizer from a file, or from a directory that holds tokenizer.json or
// tekken.json. The name of the tokenizer is that of the directory, or of the file when it has
// another name than these two.
func Load(path string) (*Tokenizer, error) {
	file, err := locate(path)
	if err != nil {
		return nil, fmt.Errorf("hf: load: %w", err)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, fmt.Errorf("hf: load: %w", err)
	}
	defer f.Close()
	t, err := Parse(f)
	if err != nil {
		return nil, fmt.Errorf("hf: load %s: %w", file, err)
	}
	return t.With(Options{Name: nameOf(file)}), nil
}

// Parse reads a tokenizer.json or a tekken.json. What it does not understand is an error of type
// *FormatError; nothing is guessed.
func Parse(r io.Reader) (*Tokenizer, error) {
	data, err := io.ReadAll(io.LimitReader(r, maxFileBytes+1))
	if err != nil {
		return nil, fmt.Errorf("hf: read: %w", err)
	}
	if len(data) > maxFileBytes {
		return nil, &FormatError{Field: "file", Found: "more than 256 MB", Supported: "up to 256 MB"}
	}
	top, err := members(data, "file")
	if err != nil {
		return nil, err
	}
	if top["model"] == nil && top["config"] != nil && top["vocab"] != nil {
		return parseTekken(top)
	}
	return parseTokenizer(top)
}

func locate(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.IsDir() {
		return path, err
	}
	for _, name := range []string{"tokenizer.json", "tekken.json"} {
		file := filepath.Join(path, name)
		_, err := os.Stat(file)
		if err == nil {
			return file, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s holds neither tokenizer.json nor tekken.json: %w", path, fs.ErrNotExist)
}

func nameOf(file string) string {
	base := filepath.Base(file)
	if base != "tokenizer.json" && base != "tekken.json" {
		return strings.TrimSuffix(base, ".json")
	}
	if abs, err := filepath.Abs(file); err == nil {
		file = abs
	}
	return filepath.Base(filepath.Dir(file))
}

// members returns the raw values of a JSON object by name. The values are checked JSON, so that
// the scanners behind need no syntax errors of their own.
func members(data []byte, field string) (map[string]jsontext.Value, error) {
	// Duplicate names are let through: refusing them would keep a set of all tokens in memory.
	dec := jsontext.NewDecoder(bytes.NewBuffer(data), jsontext.AllowDuplicateNames(true))
	if kind := dec.PeekKind(); kind != '{' && kind != 0 {
		return nil, &FormatError{Field: field, Found: "JSON " + kind.String(), Supported: "a JSON object"}
	}
	if _, err := dec.ReadToken(); err != nil {
		return nil, &FormatError{Field: field, Err: err}
	}
	found := make(map[string]jsontext.Value)
	for dec.PeekKind() != '}' {
		name, err := dec.ReadToken()
		if err != nil {
			return nil, &FormatError{Field: field, Err: err}
		}
		key := name.String()
		value, err := dec.ReadValue()
		if err != nil {
			return nil, &FormatError{Field: field + "." + key, Err: err}
		}
		end := int(dec.InputOffset())
		found[key] = data[end-len(value) : end]
	}
	return found, nil
}
