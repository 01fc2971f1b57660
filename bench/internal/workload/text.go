// Package workload makes the outputs that the store is measured with, and measures
// calls in a store that has many of them. It knows no backend.
package workload

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/bench/internal/storage"
)

// poolBytes is how much code outputs are made of: more than any compressor looks
// back.
const poolBytes = 24 << 20

// Text makes outputs as of an agent that reads code: parts of files, with numbered
// lines. Numbers go on, so that no two parts are the same and nothing is stored once
// for two.
type Text struct {
	lines  [][]byte
	random *rand.Rand
	number int
}

// NewText makes outputs of the code in a folder; other seeds give other outputs.
func NewText(source string, seed uint64) (*Text, error) {
	t := &Text{random: rand.New(rand.NewPCG(seed, 5)), number: int(seed) * 1_000_000}
	total := 0
	err := filepath.WalkDir(source, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		data, err := os.ReadFile(path)
		if err != nil || !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
			return err
		}
		t.lines = append(t.lines, bytes.SplitAfter(data, []byte("\n"))...)
		if total += len(data); total > poolBytes {
			return fs.SkipAll
		}
		return nil
	})
	if err == nil && len(t.lines) == 0 {
		err = fmt.Errorf("no code in %s", source)
	}
	return t, err
}

// part appends 20 to 200 lines.
func (t *Text) part(to []byte) []byte {
	n := 20 + t.random.IntN(180)
	from := t.random.IntN(max(1, len(t.lines)-n))
	for _, line := range t.lines[from:min(from+n, len(t.lines))] {
		if len(line) > 0 && line[len(line)-1] == '\n' {
			t.number++
			to = append(fmt.Appendf(to, "%8d\t", t.number), line...)
		}
	}
	return to
}

// Output returns a text of n bytes, less what would split a character.
func (t *Text) Output(n int) string {
	b := make([]byte, 0, n+64<<10)
	for len(b) <= n {
		b = t.part(b)
	}
	for !utf8.RuneStart(b[n]) {
		n--
	}
	return string(b[:n])
}

// Needles is how many lines of a large text are searched for.
const Needles = 10

// Write writes a large text of about n bytes, always the same.
func Write(to io.Writer, source string, n int64) error {
	t, err := NewText(source, 1)
	if err != nil {
		return err
	}
	w := bufio.NewWriterSize(to, 1<<20)
	written, found := int64(0), int64(0)
	var b []byte
	for written < n {
		b = t.part(b[:0])
		if written >= (2*found+1)*n/(2*Needles) {
			found++
			b = append(b, storage.Needle+"\n"...)
		}
		if _, err := w.Write(b); err != nil {
			return err
		}
		written += int64(len(b))
	}
	return w.Flush()
}
