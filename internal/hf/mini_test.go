package hf_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/hf"
)

// miniCase is a small tokenizer for one feature of the format, with what Hugging Face's own library
// makes of a few texts; testdata/mini.py wrote it.
type miniCase struct {
	Name  string          `json:"name"`
	File  json.RawMessage `json:"file"`
	Texts []struct {
		Text    string   `json:"text"`
		IDs     []uint32 `json:"ids"`
		Special []uint32 `json:"special"`
		Decoded *string  `json:"decoded"`
	} `json:"texts"`
}

func miniCases(t testing.TB) []miniCase {
	var cases []miniCase
	readGzip(t, "testdata/mini.json.gz", &cases)
	if len(cases) < 39 {
		t.Fatalf("only %d cases", len(cases))
	}
	return cases
}

func TestFeaturesOfTheFormatFollowHuggingFace(t *testing.T) {
	t.Parallel()
	for _, c := range miniCases(t) {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			tok := parse(t, c.File)
			framed := tok.With(hf.Options{ParseSpecial: true, AddSpecial: true})
			for _, text := range c.Texts {
				got := tok.Encode(text.Text, []uint32{})
				if !slices.Equal(got, text.IDs) {
					t.Errorf("%+q (-want +got):\n%s", text.Text, cmp.Diff(text.IDs, got))
				}
				if n := tok.Count(text.Text); n != len(text.IDs) {
					t.Errorf("Count(%+q) = %d, want %d", text.Text, n, len(text.IDs))
				}
				if got := framed.Encode(text.Text, []uint32{}); !slices.Equal(got, text.Special) {
					t.Errorf("with special tokens, %+q (-want +got):\n%s", text.Text, cmp.Diff(text.Special, got))
				}
				if n := framed.Count(text.Text); n != len(text.Special) {
					t.Errorf("with special tokens, Count(%+q) = %d, want %d", text.Text, n, len(text.Special))
				}
				if text.Decoded != nil {
					checkDecoded(t, tok, text.IDs, *text.Decoded)
				}
			}
		})
	}
}

// checkDecoded compares with text in which broken bytes became replacement characters.
func checkDecoded(t *testing.T, tok *hf.Tokenizer, ids []uint32, want string) {
	t.Helper()
	got, err := tok.Decode(ids)
	if err != nil {
		t.Errorf("Decode(%v): %v", ids, err)
	}
	if utf8.ValidString(got) && got != want {
		t.Errorf("Decode(%v) = %+q, want %+q", ids, got, want)
	}
	if !utf8.ValidString(got) && !strings.ContainsRune(want, utf8.RuneError) {
		t.Errorf("Decode(%v) = %+q is broken, want %+q", ids, got, want)
	}
}
