package rawjson_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// skipAll reads a text with Value alone.
func skipAll(data []byte) error {
	s := rawjson.NewScanner(data)
	s.Value()
	return s.End()
}

// walkAll reads a text with the iterators and the typed readers alone.
func walkAll(data []byte) error {
	s := rawjson.NewScanner(data)
	walk(s)
	return s.End()
}

func walk(s *rawjson.Scanner) {
	switch s.Peek() {
	case '{':
		for range s.Members() {
			walk(s)
		}
	case '[':
		for range s.Elements() {
			walk(s)
		}
	case '"':
		s.String()
	case 't', 'f':
		s.Bool()
	case '0':
		s.Int()
	default:
		s.Value()
	}
}

// listAll reads the outermost array or object with List.
func listAll(data []byte) error {
	s := rawjson.NewScanner(data)
	s.List()
	return s.End()
}

// breakAll leaves every loop at its first item.
func breakAll(data []byte) error {
	s := rawjson.NewScanner(data)
	if s.Peek() == '{' {
		for range s.Members() {
			break
		}
		return s.End()
	}
	for range s.Elements() {
		break
	}
	return s.End()
}

// readers are the ways to read a whole text. They must agree about every text.
var readers = map[string]func([]byte) error{
	"Value": skipAll, "iterators": walkAll, "List": listAll, "break": breakAll,
}

func TestTextsThatAreJSON(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`null`, ` true `, "\t\r\n false\n", `0`, `-0`, `-0.0`, `12.50e+07`, `1E-2`, `9e9`, `""`, `"a"`,
		`"\"\\\/\b\f\n\r\t\u00e9\uD83D\uDE00"`, `"\ud800"`, `"\u0000"`, "\"\x7f\"", "\"\xff\xfe\xc0\x80\"",
		`{}`, `[]`, ` { } `, ` [ ] `, `[[],{}]`, `{"a":{"b":[1,{"c":null}]},"a":2}`,
		"{ \"a\" : 1 ,\n\"\" : [ 1 , 2 ] }", `["]",{"}":"]}"}]`, `"` + strings.Repeat("x", 100) + `"`,
		nested(64), nested(65), nested(1000), nested(rawjson.MaxDepth),
	} {
		for name, read := range readers {
			if err := read([]byte(text)); err != nil {
				t.Errorf("%s of %.60q: %v", name, text, err)
			}
		}
		if !json.Valid([]byte(text)) {
			t.Errorf("encoding/json does not take %.60q", text)
		}
	}
}

// nested is depth containers, arrays and objects by turns of three.
func nested(depth int) string {
	open, closed := []byte{}, []byte{}
	for i := range depth {
		if i%3 == 0 {
			open, closed = append(open, `{"k":`...), append(closed, '}')
		} else {
			open, closed = append(open, '['), append(closed, ']')
		}
	}
	for i, j := 0, len(closed)-1; i < j; i, j = i+1, j-1 {
		closed[i], closed[j] = closed[j], closed[i]
	}
	return string(open) + "1" + string(closed)
}

func TestTextsThatAreNot(t *testing.T) {
	t.Parallel()
	tests := []struct {
		text     string
		offset   int
		expected string
		found    string
	}{
		{``, 0, "a value", "end of text"},
		{"  \n", 3, "a value", "end of text"},
		{"\xef\xbb\xbf{}", 0, "a value", "a byte order mark"},
		{"\x00", 0, "a value", "byte 0x00"},
		{`nul`, 3, "null", "end of text"},
		{`trUe`, 2, "true", "'U'"},
		{`[falsy]`, 5, "false", "'y'"},
		{`True`, 0, "a value", "'T'"},
		{`01`, 1, "no digit after a leading zero", "'1'"},
		{`-`, 1, "a digit", "end of text"},
		{`-x`, 1, "a digit", "'x'"},
		{`+1`, 0, "a value", "'+'"},
		{`.5`, 0, "a value", "'.'"},
		{`[1.]`, 3, "a digit", "']'"},
		{`1e`, 2, "a digit", "end of text"},
		{`1e+`, 3, "a digit", "end of text"},
		{`1.e1`, 2, "a digit", "'e'"},
		{`0x1`, 1, "nothing after the value", "'x'"},
		{`NaN`, 0, "a value", "'N'"},
		{`{} {}`, 3, "nothing after the value", "'{'"},
		{`[] ]`, 3, "nothing after the value", "']'"},
		{`"abc`, 4, `'"' to end the string`, "end of text"},
		{`["abc`, 5, `'"' to end the string`, "end of text"},
		{`"abc\`, 5, "an escape", "end of text"},
		{`"abc\"`, 6, `'"' to end the string`, "end of text"},
		{"\"tab\there\"", 4, "an escape in place of a control character", "byte 0x09"},
		{"\"long enough for words\nthen more\"", 22, "an escape in place of a control character", "byte 0x0a"},
		{"\"\x00\"", 1, "an escape in place of a control character", "byte 0x00"},
		{`"\x41"`, 2, `one of "\/bfnrtu after a backslash`, "'x'"},
		{`"\'"`, 2, `one of "\/bfnrtu after a backslash`, `'\''`},
		{`"\u12"`, 5, "hexadecimal digit 3 of 4", `'"'`},
		{`"\u123g"`, 6, "hexadecimal digit 4 of 4", "'g'"},
		{`"\u`, 3, "hexadecimal digit 1 of 4", "end of text"},
		{`[`, 1, "a value", "end of text"},
		{`[1`, 2, "',' or ']' after an element", "end of text"},
		{`[1 2]`, 3, "',' or ']' after an element", "'2'"},
		{`[1}`, 2, "',' or ']' after an element", "'}'"},
		{`[1,]`, 3, "a value", "']'"},
		{`[,1]`, 1, "a value", "','"},
		{`[1,`, 3, "a value", "end of text"},
		{`{`, 1, `'"' to begin a key`, "end of text"},
		{`{1:2}`, 1, `'"' to begin a key`, "'1'"},
		{`{"a"`, 4, "':' after a key", "end of text"},
		{`{"a" 1}`, 5, "':' after a key", "'1'"},
		{`{"a":`, 5, "a value", "end of text"},
		{`{"a":}`, 5, "a value", "'}'"},
		{`{"a":1`, 6, "',' or '}' after a member", "end of text"},
		{`{"a":1]`, 6, "',' or '}' after a member", "']'"},
		{`{"a":1,}`, 7, `'"' to begin a key`, "'}'"},
		{`{"a":1 "b":2}`, 7, "',' or '}' after a member", `'"'`},
		{`{"a":[{"b":[1,2}]}]}`, 15, "',' or ']' after an element", "'}'"},
		{`{"a":1,"b":tru}`, 14, "true", "'}'"},
		{"[1,\v2]", 3, "a value", "byte 0x0b"},
		{"[1,\u00a02]", 3, "a value", "byte 0xc2"},
		{strings.Repeat("[", 10_001), 10_000, "at most 10000 levels of nesting", "'['"},
		{strings.Repeat(`{"a":`, 10_001), 50_000, "at most 10000 levels of nesting", "'{'"},
		{strings.Repeat("[", 10_000), 10_000, "a value", "end of text"},
	}
	for _, test := range tests {
		want := &rawjson.SyntaxError{Offset: test.offset, Expected: test.expected, Found: test.found}
		for name, read := range readers {
			var got *rawjson.SyntaxError
			if err := read([]byte(test.text)); !errors.As(err, &got) {
				t.Errorf("%s of %.60q: error is %v", name, test.text, err)
			} else if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%s of %.60q (-want +got):\n%s", name, test.text, diff)
			}
		}
		if json.Valid([]byte(test.text)) {
			t.Errorf("encoding/json takes %.60q", test.text)
		}
	}
}
