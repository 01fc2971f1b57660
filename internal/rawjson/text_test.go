package rawjson_test

import (
	"encoding/json"
	"encoding/json/jsontext"
	"strings"
	"testing"
	"unsafe"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

func TestTextDecode(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789", 10)
	for _, test := range []struct{ name, text, want string }{
		{"a plain string", `"abc"`, "abc"},
		{"an empty string", `""`, ""},
		{"the short escapes", `"\"\\\/\b\f\n\r\t"`, "\"\\/\b\f\n\r\t"},
		{"a code point in either case", `"\u00e9\u00E9"`, "éé"},
		{"NUL", `"a\u0000b"`, "a\x00b"},
		{"a surrogate pair", `"\ud83d\uDE00"`, "😀"},
		{"a high half alone", `"\ud83d"`, "\ufffd"},
		{"a low half alone", `"\ude00x"`, "\ufffdx"},
		{"a high half before a letter", `"\ud83dx"`, "\ufffdx"},
		{"a high half before a short escape", `"\ud83d\n12345"`, "\ufffd\n12345"},
		{"a high half before another character", `"\ud83d\u0041"`, "\ufffdA"},
		{"a high half before a pair", `"\ud83d\ud83d\ude00"`, "\ufffd😀"},
		{"halves in the wrong order", `"\ude00\ud83d"`, "\ufffd\ufffd"},
		{"an escaped backslash before a u", `"\\u0041"`, `\u0041`},
		{"invalid UTF-8 without an escape", "\"\xff\xc0\"", "\xff\xc0"},
		{"invalid UTF-8 with an escape", "\"\xff\\n\xc0\"", "\xff\n\xc0"},
		{"escapes far apart", `"` + long + `\n` + long + `\t"`, long + "\n" + long + "\t"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			data := []byte(" " + test.text)
			text, ok := rawjson.NewScanner(data).String()
			if !ok || string(text.Of(data)) != test.text {
				t.Fatalf("String spans %q, %v", text.Of(data), ok)
			}
			if got := string(text.Raw(data)); got != test.text[1:len(test.text)-1] {
				t.Errorf("Raw is %q", got)
			}
			if got, want := text.Escaped, strings.Contains(test.text, `\`); got != want {
				t.Errorf("Escaped is %v, want %v", got, want)
			}
			if got := text.Decode(data); got != test.want {
				t.Errorf("Decode is %q, want %q", got, test.want)
			}
			if got, ok := rawjson.Unquote(data, text.Span); !ok || got != test.want {
				t.Errorf("Unquote is %q, %v, want %q", got, ok, test.want)
			}
		})
	}
}

func TestTextWithoutEscapesSharesItsBytes(t *testing.T) {
	t.Parallel()
	data := []byte(`"shared"`)
	text, _ := rawjson.NewScanner(data).String()
	if unsafe.StringData(text.Decode(data)) != &data[1] {
		t.Error("Decode has copied")
	}
}

func TestTheZeroTextIsEmpty(t *testing.T) {
	t.Parallel()
	var text rawjson.Text
	if got := text.Decode([]byte(`"x"`)); got != "" {
		t.Errorf("got %q", got)
	}
}

func TestUnquoteRefusesWhatIsNoString(t *testing.T) {
	t.Parallel()
	data := []byte(`["ab", "c\"d", "\q", 12]`)
	for name, span := range map[string]rawjson.Span{
		"nothing":                    {},
		"a number":                   {21, 23},
		"half a string":              {1, 4},
		"one quote":                  {1, 2},
		"more than a string":         {1, 6},
		"two strings":                {1, 13},
		"up to an inner quote":       {7, 11},
		"a string with a bad escape": {15, 19},
		"a span turned round":        {5, 1},
		"a span past the end":        {1, 99},
		"a span before the start":    {-1, 5},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got, ok := rawjson.Unquote(data, span); ok {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestAppendQuote(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ name, text, want string }{
		{"an empty text", "", `""`},
		{"letters", "abc", `"abc"`},
		{"what must be escaped", "\"\\\b\f\n\r\t\x00\x1f", `"\"\\\b\f\n\r\t\u0000\u001f"`},
		{"what HTML would escape", "<a href='/'>&\u2028\x7f", "\"<a href='/'>&\u2028\x7f\""},
		{"characters of every length", "aé€😀", `"aé€😀"`},
		{"invalid UTF-8, byte by byte", "a\xff\xfe\nb\xe2\x82", "\"a\ufffd\ufffd\\nb\ufffd\ufffd\""},
		{"the replacement character itself", "\ufffd\xff\ufffd", "\"\ufffd\ufffd\ufffd\""},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			if got := string(rawjson.AppendQuote([]byte("x:"), test.text)); got != "x:"+test.want {
				t.Errorf("got %q, want %q after x:", got, test.want)
			}
		})
	}
}

// FuzzQuote compares with jsontext, and reads back what was written.
func FuzzQuote(f *testing.F) {
	for _, seed := range []string{"", "plain", "\"\\/\b\f\n\r\t\x00\x1f\x7f", "é€😀\u2028", "a\xffb\xe2\x82", "<&>"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := rawjson.AppendQuote(nil, text)
		// The error only says that there was invalid UTF-8; the result is complete.
		want, _ := jsontext.AppendQuote(nil, text)
		if string(got) != string(want) {
			t.Fatalf("AppendQuote(%q) is %s, jsontext writes %s", text, got, want)
		}
		back, ok := rawjson.Unquote(got, rawjson.Span{Start: 0, End: len(got)})
		if !ok || back != valid(text) {
			t.Fatalf("Unquote(%s) is %q, %v", got, back, ok)
		}
	})
}

// valid replaces each byte that is not UTF-8, like encoding/json.
func valid(s string) string { return string([]rune(s)) }

// TestEscapesAnywhereInLongTexts has every escape at every place of a block, before and
// behind others.
func TestEscapesAnywhereInLongTexts(t *testing.T) {
	t.Parallel()
	escapes := []string{`\n`, `\"`, `\\`, `\/`, `\u0041`, `\u00e9`, `\ud83d\ude00`, `\ud83d`, `\\\n`, `\\u0041`, `\t\t\t`}
	for _, escape := range escapes {
		for _, other := range escapes {
			for at := range 80 {
				text := `"` + strings.Repeat("a", at) + escape + "é" + other + strings.Repeat("b", 150-at) + escape + `c"`
				got, ok := rawjson.Unquote([]byte(text), rawjson.Span{End: len(text)})
				var want string
				if err := json.Unmarshal([]byte(text), &want); err != nil || !ok || got != want {
					t.Fatalf("%s: got %q, %v, want %q, %v", text, got, ok, want, err)
				}
			}
		}
	}
}

// FuzzUnquote compares the unescaped string with encoding/json's.
func FuzzUnquote(f *testing.F) {
	for _, seed := range []string{
		`"abc"`, `"\"\\\/\b\f\n\r\t"`, `"\ud83d\ude00\ud83d"`, `"\ud83d\n\\u0041"`, "\"\xff\\u00e9\"", `"\x"`, `"`, ``,
		`"0123456789\n0123456789"`,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		got, ok := rawjson.Unquote(data, rawjson.Span{Start: 0, End: len(data)})
		var want string
		wellFormed := len(data) > 0 && data[0] == '"' && data[len(data)-1] == '"' && json.Unmarshal(data, &want) == nil
		if ok != wellFormed || valid(got) != want {
			t.Fatalf("Unquote(%q) is %q, %v; encoding/json reads %q, %v", data, got, ok, want, wellFormed)
		}
	})
}
