package rawjson_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Strings are read in words and in blocks of words. These tests put what must be
// seen at every place of them.

func TestEveryByteIsSeenAtEveryPlaceOfAString(t *testing.T) {
	t.Parallel()
	for _, head := range []string{"", `\n`, `\"`} {
		for place := range 80 {
			text := []byte(`["` + head + strings.Repeat("x", place) + "?" + strings.Repeat("y", 80) + `"]`)
			for c := range 256 {
				text[2+len(head)+place] = byte(c)
				if err := skipAll(text); (err == nil) != json.Valid(text) {
					t.Fatalf("%q: %v", text, err)
				}
			}
		}
	}
}

func TestEveryEscapeIsSeenAtEveryPlaceOfAString(t *testing.T) {
	t.Parallel()
	for place := range 140 {
		text := []byte(`["\t` + strings.Repeat("x", place) + `\?` + strings.Repeat("y", 80) + `"]`)
		for c := range 256 {
			text[5+place] = byte(c)
			if err := skipAll(text); (err == nil) != json.Valid(text) {
				t.Fatalf("%q: %v", text, err)
			}
		}
	}
}

func TestStringsFullOfEscapesReadLikeInEncodingJSON(t *testing.T) {
	t.Parallel()
	good := rapid.SampledFrom([]string{
		`\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\uDE00`, "x", "eight...", "é", "\xff", " ",
		strings.Repeat("long ", 20),
	})
	bad := rapid.SampledFrom([]string{`\`, `"`, `\u12`, "\x1f", `\x`})
	rapid.Check(t, func(t *rapid.T) {
		parts := rapid.SliceOfN(good, 0, 60).Draw(t, "parts")
		if rapid.IntRange(0, 3).Draw(t, "spoil") == 0 {
			parts = append(parts, bad.Draw(t, "bad"))
			parts = append(parts, rapid.SliceOfN(good, 0, 10).Draw(t, "more")...)
		}
		data := []byte(`"` + strings.Join(parts, "") + `"`)
		var want string
		err := json.Unmarshal(data, &want)
		got, ok := rawjson.Unquote(data, rawjson.Span{Start: 0, End: len(data)})
		if ok != (err == nil) || ok && valid(got) != want {
			t.Fatalf("%q reads as %q, %v; encoding/json: %q, %v", data, got, ok, want, err)
		}
	})
}
