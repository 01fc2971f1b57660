// Package corpora finds the recorded conversations that tests and benchmarks
// measure against. They are not part of the repository: they lie in a folder
// beside the checkout, or where PLIMSOLL_SHARED points. It is for tests only.
package corpora

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/wire"
)

// Dir returns the folder of shared data, or skips the test and says so.
func Dir(t testing.TB) string {
	t.Helper()
	dir, err := Find(t)
	if err != nil {
		t.Skipf("NOT CHECKED: %v", err)
	}
	return dir
}

// Find returns the folder of shared data, for tests that can do without. The
// error says how to get it.
func Find(t testing.TB) (string, error) {
	t.Helper()
	dir := os.Getenv("PLIMSOLL_SHARED")
	if dir == "" {
		dir = filepath.Join(moduleRoot(t), "..", "shared")
	}
	if _, err := os.Stat(dir); err != nil {
		return "", fmt.Errorf("no shared data at %s; set PLIMSOLL_SHARED to the folder that holds corpora/ and models/", dir)
	}
	return dir, nil
}

func moduleRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test's folder")
		}
		dir = parent
	}
}

// Record is one recorded conversation with what was billed.
type Record struct {
	ID           string
	Model        string
	Conversation plimsoll.Conversation
	// Notes has an entry for each message.
	Notes []Note
}

// Note is what a record says about a message beside its content.
type Note struct {
	// Requestor is "user" where the simulated user called a tool.
	Requestor string `json:"requestor"`
	// Usage as billed for the call that produced the message.
	Usage json.RawMessage `json:"usage"`
	// Summary marks the message that replaced the history before it.
	Summary bool `json:"compact_summary"`
}

// Billed returns the usage, if there is one.
func (n Note) Billed() (plimsoll.Usage, bool) {
	if len(n.Usage) == 0 {
		return plimsoll.Usage{}, false
	}
	u, err := wire.ParseUsage(n.Usage)
	return u, err == nil
}

// Read returns the records of a corpus file, such as
// "tau2-bench/simulations.jsonl.gz".
func Read(t testing.TB, file string) []Record {
	t.Helper()
	return parseAll(t, lines(t, file))
}

// Spread returns at most n records of a corpus file, from all over it.
func Spread(t testing.TB, file string, n int) []Record {
	t.Helper()
	all := lines(t, file)
	var some [][]byte
	for i := range min(n, len(all)) {
		some = append(some, all[i*len(all)/min(n, len(all))])
	}
	return parseAll(t, some)
}

func lines(t testing.TB, file string) [][]byte {
	t.Helper()
	f, err := os.Open(filepath.Join(Dir(t), "corpora", file))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(z)
	if err != nil {
		t.Fatal(err)
	}
	return slices.Collect(bytes.Lines(data))
}

func parseAll(t testing.TB, lines [][]byte) []Record {
	t.Helper()
	var records []Record
	for _, line := range lines {
		records = append(records, parse(t, line))
	}
	return records
}

func parse(t testing.TB, line []byte) Record {
	t.Helper()
	var head struct {
		ID       string
		Model    string
		Messages []Note
	}
	if err := json.Unmarshal(line, &head); err != nil {
		t.Fatal(err)
	}
	parsed, err := transcript.Parse(line, transcript.JSON)
	if err != nil {
		t.Fatalf("%s: %v", head.ID, err)
	}
	c := parsed.Conversations[0]
	c.Messages = withDigests(head.ID, c.Messages.Slice())
	return Record{ID: head.ID, Model: head.Model, Conversation: c, Notes: head.Messages}
}

// withDigests gives messages the digests that a codec would.
func withDigests(id string, messages []plimsoll.Message) plimsoll.List[plimsoll.Message] {
	for i := range messages {
		sum := sha256.Sum256(fmt.Appendf(nil, "%s/%d", id, i))
		messages[i].Digest = plimsoll.Digest(sum[:16])
	}
	return plimsoll.ListOf(messages...)
}
