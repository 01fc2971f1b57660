package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
)

var partItems = cmp.Transformer("items", func(l plimsoll.List[plimsoll.Part]) []plimsoll.Part { return l.Slice() })

func drawParts(t *rapid.T, depth int) plimsoll.List[plimsoll.Part] {
	text := rapid.SampledFrom([]string{"", "a", "<&>\u2028", "two\nlines", "\x00", "\xff\xfe", "{\"base64\":\"\"}", "日本語"})
	short := func() string { return text.Draw(t, "text") }
	number := rapid.SampledFrom([]int{0, 1, -1, 1 << 40})
	var parts []plimsoll.Part
	for range rapid.IntRange(0, 4).Draw(t, "parts") {
		switch rapid.IntRange(0, 5-min(depth, 1)).Draw(t, "type") {
		case 0:
			parts = append(parts, plimsoll.Text{Text: short()})
		case 1:
			parts = append(parts, plimsoll.ToolCall{ID: short(), Name: short(), Arguments: short()})
		case 2:
			parts = append(parts, plimsoll.Reasoning{Text: short(), Signature: short(), Redacted: rapid.Bool().Draw(t, "redacted")})
		case 3:
			parts = append(parts, plimsoll.Media{
				Kind: plimsoll.MediaKind(short()), MIME: short(), Data: short(), URL: short(), Detail: short(),
				Width: number.Draw(t, "n"), Height: number.Draw(t, "n"), Pages: number.Draw(t, "n"), Seconds: rapid.Float64Range(-1, 1e9).Draw(t, "seconds"),
			})
		case 4:
			parts = append(parts, plimsoll.Opaque{Kind: short(), Raw: short()})
		case 5:
			parts = append(parts, plimsoll.ToolResult{
				CallID: short(), Name: short(), IsError: rapid.Bool().Draw(t, "error"), Content: drawParts(t, depth+1),
				Ref: &plimsoll.Ref{ID: short(), Bytes: int64(number.Draw(t, "n")), Lines: 3},
			})
		}
	}
	return plimsoll.ListOf(parts...)
}

func TestO12_PrintedPartsAreReadAsTheyWere(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := drawParts(t, 0)
		var printed bytes.Buffer
		if err := writeParts(&printed, want); err != nil {
			t.Fatal(err)
		}
		got, err := readParts(&printed)
		if diff := cmp.Diff(want, got, partItems); err != nil || diff != "" {
			t.Fatalf("%v\n-want +got\n%s", err, diff)
		}
	})
}

// FuzzRawParts reads anything as a list of parts: it is refused, or printed and read
// again it is the same.
func FuzzRawParts(f *testing.F) {
	for _, text := range []string{
		"[]", `[{"type":"text","text":"a"}]`, `[{"type":"media","kind":"image","data":"aGk=","seconds":1.5}]`,
		`[{"type":"tool_result","ref":{"id":"r"},"content":[{"type":"opaque","raw":{"base64":"/w=="}}]}]`,
		`[{"type":"tool_call","arguments":"{}"},{"type":"reasoning","redacted":true}]`, `[{"type":"x"}]`, `[] []`, `{"type":"text"}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		first, err := readParts(strings.NewReader(text))
		if err != nil {
			return
		}
		var printed bytes.Buffer
		if err := writeParts(&printed, first); err != nil {
			t.Fatalf("what was read cannot be printed: %v", err)
		}
		again, err := readParts(&printed)
		if diff := cmp.Diff(first, again, partItems); err != nil || diff != "" {
			t.Errorf("%v\n-read +read again\n%s", err, diff)
		}
	})
}
