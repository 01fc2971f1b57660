package trim

import (
	"bytes"
	"encoding/json"
	"errors"
	"maps"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"
)

// TestT01_ContentsReadAsPythonPrintsThem uses what str(json.loads(text)) gave in
// Python 3.11.
func TestT01_ContentsReadAsPythonPrintsThem(t *testing.T) {
	t.Parallel()
	data, err := os.ReadFile("testdata/repr.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases [][2]string
	if err := json.Unmarshal(data, &cases); err != nil {
		t.Fatal(err)
	}
	if len(cases) < 100 {
		t.Fatalf("only %d cases", len(cases))
	}
	for _, tc := range cases {
		if got, err := pythonText([]byte(tc[0])); got != tc[1] || err != nil {
			t.Errorf("%s\n got %s, %v\nwant %s", tc[0], got, err, tc[1])
		}
	}
}

func TestDeepContentsAreRefused(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte { return []byte(strings.Repeat("[", n) + strings.Repeat("]", n)) }
	if got, err := pythonText(nested(maxNesting)); err != nil || got != string(nested(maxNesting)) {
		t.Errorf("the deepest that is allowed: %v", err)
	}
	if _, err := pythonText(nested(maxNesting + 1)); !errors.Is(err, errNesting) {
		t.Errorf("one deeper: %v", err)
	}
}

func TestHalvesOfPairsInBareStringsAreOneCharacter(t *testing.T) {
	t.Parallel()
	if got, err := pythonText([]byte(`"a\ud800b"`)); got != "a\ufffdb" || err != nil {
		t.Errorf("%q, %v", got, err)
	}
}

// FuzzPythonText writes any value and reads the writing back by the grammar of
// Python's literals, which must give the same value.
func FuzzPythonText(f *testing.F) {
	f.Fuzz(func(t *testing.T, data []byte) {
		if !json.Valid(data) || !utf8.Valid(data) || len(bytes.TrimSpace(data)) == 0 || bytes.TrimSpace(data)[0] == '"' {
			return
		}
		text, err := pythonText(data)
		if err != nil {
			return
		}
		if !utf8.ValidString(text) {
			t.Fatalf("%q is no text", text)
		}
		r := literalReader{text: text}
		back := r.value()
		if r.text != "" || r.failed {
			t.Fatalf("%s: cannot read %q at %q", data, text, r.text)
		}
		d := json.NewDecoder(bytes.NewReader(data))
		d.UseNumber()
		var want any
		if err := d.Decode(&want); err != nil {
			t.Fatal(err)
		}
		if !sameValue(want, back) {
			t.Fatalf("%s\nwas written %s\nwhich reads %#v", data, text, back)
		}
	})
}

// literalReader reads Python's literals.
type literalReader struct {
	text   string
	failed bool
}

func (r *literalReader) take(prefix string) bool {
	rest, ok := strings.CutPrefix(r.text, prefix)
	r.text = rest
	return ok
}

func (r *literalReader) value() any {
	switch {
	case r.take("None"):
		return nil
	case r.take("True"):
		return true
	case r.take("False"):
		return false
	case r.take("["):
		list := []any{}
		for !r.take("]") && !r.failed {
			r.failed = len(list) > 0 && !r.take(", ")
			list = append(list, r.value())
		}
		return list
	case r.take("{"):
		object := map[string]any{}
		for !r.take("}") && !r.failed {
			r.failed = len(object) > 0 && !r.take(", ")
			key, _ := r.value().(string)
			_, again := object[key]
			r.failed = r.failed || again || !r.take(": ")
			object[key] = r.value()
		}
		return object
	case r.take("'"):
		return r.quoted('\'')
	case r.take(`"`):
		return r.quoted('"')
	}
	end := strings.IndexAny(r.text+",", ",]}")
	number := json.Number(r.text[:end])
	r.failed = r.failed || end == 0
	r.text = r.text[end:]
	return number
}

// quoted reads a string. Halves of pairs become U+FFFD, as in encoding/json.
func (r *literalReader) quoted(quote byte) string {
	var text strings.Builder
	for r.text != "" {
		if r.take(string(quote)) {
			return text.String()
		}
		if r.take(`\'`) {
			text.WriteByte('\'')
			continue
		}
		if r.take(`\"`) {
			text.WriteByte('"')
			continue
		}
		if half := halfOfPair.FindString(r.text); half != "" {
			r.take(half)
			text.WriteRune(utf8.RuneError)
			continue
		}
		c, _, rest, err := strconv.UnquoteChar(r.text, 0)
		if err != nil {
			break
		}
		text.WriteRune(c)
		r.text = rest
	}
	r.failed = true
	return ""
}

var halfOfPair = regexp.MustCompile(`^\\ud[89a-f][0-9a-f]{2}`)

func sameValue(want, got any) bool {
	switch want := want.(type) {
	case json.Number:
		number, ok := got.(json.Number)
		a, _ := strconv.ParseFloat(string(want), 64)
		b, _ := strconv.ParseFloat(string(number), 64)
		return ok && a == b
	case []any:
		list, ok := got.([]any)
		return ok && slices.EqualFunc(want, list, sameValue)
	case map[string]any:
		object, ok := got.(map[string]any)
		return ok && maps.EqualFunc(want, object, sameValue)
	}
	return want == got
}
