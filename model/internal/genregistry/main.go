// Command genregistry writes the registry that package model embeds. It picks
// the models named in curated.txt out of the two public lists, keeps the more
// careful fact where they disagree, and lays hand.json over the result. The same
// lists give the same bytes.
//
//	PLIMSOLL_SHARED=DIR go run ./model/internal/genregistry
//
// DIR/models must hold the lists; without the variable ../shared beside the
// repository is tried.
package main

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
)

func main() {
	root := flag.String("model", "", "directory of package model; default: found from the working directory")
	flag.Parse()
	if err := run(*root); err != nil {
		fmt.Fprintln(os.Stderr, "genregistry:", err)
		os.Exit(1)
	}
}

func run(dir string) error {
	if dir == "" {
		found, err := findPackage()
		if err != nil {
			return err
		}
		dir = found
	}
	lists, err := readLists(sharedDir(dir))
	if err != nil {
		return err
	}
	reg, remarks, err := lists.curate()
	if err != nil {
		return err
	}
	for _, r := range remarks {
		fmt.Fprintln(os.Stderr, r)
	}
	var out bytes.Buffer
	if err := write(&out, reg); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "registry.json"), out.Bytes(), 0o644)
}

// findPackage lets the command run from the root of the repository and, by go
// generate, from the package itself.
func findPackage() (string, error) {
	for _, dir := range []string{".", "model"} {
		if _, err := os.Stat(filepath.Join(dir, "registry.go")); err == nil {
			return dir, nil
		}
	}
	return "", fmt.Errorf("package model not found: run in the root of the repository or in model")
}

// sharedDir says where the lists are.
func sharedDir(model string) string {
	if dir := os.Getenv("PLIMSOLL_SHARED"); dir != "" {
		return filepath.Join(dir, "models")
	}
	return filepath.Join(model, "..", "..", "shared", "models")
}
