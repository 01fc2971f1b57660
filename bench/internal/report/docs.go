package report

import (
	"errors"
	"fmt"
	"os"
	"strings"
)

// The part of the page between these lines is written by the benchmark.
const (
	begin = "<!-- written by make bench: begin -->\n"
	end   = "<!-- written by make bench: end -->\n"
)

var errMarkers = errors.New("no markers to write between")

// UpdateDocs replaces the tables of a page.
func UpdateDocs(file, markdown string) error { return update(file, begin, end, markdown) }

func update(file, begin, end, markdown string) error {
	page, err := os.ReadFile(file)
	if err != nil {
		return err
	}
	updated, err := splice(string(page), begin, end, markdown)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	return os.WriteFile(file, []byte(updated), 0o644)
}

func splice(page, begin, end, markdown string) (string, error) {
	before, rest, ok := strings.Cut(page, begin)
	if !ok {
		return "", errMarkers
	}
	_, after, ok := strings.Cut(rest, end)
	if !ok {
		return "", errMarkers
	}
	return before + begin + "\n" + strings.TrimSpace(markdown) + "\n\n" + end + after, nil
}
