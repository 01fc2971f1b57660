package wiretest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Streams runs the golden streams in testdata: the codec reads the lines of each
// NAME.stream, and what it understands must read like NAME.answer.
func Streams(t *testing.T, codec wire.Codec) {
	t.Helper()
	archive, err := txtar.ParseFile(filepath.FromSlash("testdata/streams.txtar"))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string]string{}
	for _, f := range archive.Files {
		answers[f.Name] = string(f.Data)
	}
	for _, f := range archive.Files {
		name, ok := strings.CutSuffix(f.Name, ".stream")
		if !ok {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := Assemble(codec, strings.Split(strings.TrimSuffix(string(f.Data), "\n"), "\n"))
			if diff := cmp.Diff(answers[name+".answer"], Describe(s)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// Assemble reads the data of events, which have no names. The buffer of each is
// used again, as a reader of events does.
func Assemble(codec wire.Codec, events []string) wire.Assembler {
	s := codec.NewAssembler()
	for _, event := range events {
		data := []byte(event)
		s.Event("", data)
		clear(data)
	}
	return s
}

// Describe writes what an assembler has put together, one thing a line.
func Describe(s wire.Assembler) string {
	r := s.Response()
	var b strings.Builder
	if r.Model != "" {
		fmt.Fprintf(&b, "model %s\n", r.Model)
	}
	for _, p := range r.Message.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			fmt.Fprintf(&b, "text %q\n", p.Text)
		case plimsoll.Reasoning:
			fmt.Fprintf(&b, "reasoning %q", p.Text)
			if p.Signature != "" {
				fmt.Fprintf(&b, " signature %q", p.Signature)
			}
			b.WriteByte('\n')
		case plimsoll.ToolCall:
			fmt.Fprintf(&b, "call %s %s %s\n", p.ID, p.Name, p.Arguments)
		case plimsoll.Opaque:
			fmt.Fprintf(&b, "opaque %s %s\n", p.Kind, p.Raw)
		default:
			fmt.Fprintf(&b, "part %T\n", p)
		}
	}
	fmt.Fprintf(&b, "stop %s\n", r.Stop)
	if r.HasUsage {
		fmt.Fprintf(&b, "usage input %d output %d cache_creation %d cache_read %d reasoning %d\n",
			r.Usage.Input, r.Usage.Output, r.Usage.CacheCreation, r.Usage.CacheRead, r.Usage.Reasoning)
	}
	if r.Error != nil {
		fmt.Fprintf(&b, "error %s overflow %v\n", cmpOr(r.Error.Code, r.Error.Type), r.Error.Overflows())
	}
	fmt.Fprintf(&b, "done %v\n", s.Done())
	return b.String()
}

func cmpOr(a, b string) string {
	if a != "" {
		return a
	}
	return b
}
