package rawjson_test

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// FuzzScanner compares with encoding/json: what is JSON, and what it says. Both
// allow invalid UTF-8 and duplicate keys and have the same limit of depth.
func FuzzScanner(f *testing.F) {
	for _, seed := range []string{
		`{"model":"m","messages":[{"role":"user","content":"a\n\"b\" \u00e9\ud83d\ude00"}],"n":1.50e+3,"x":null}`,
		`[true,false,null,-0,0.1,1e9,"",{},[]]`, "[\"\xff\\ud800\"]", `{"a":1,"a":{"\u0061":2}}`, `[01]`, `[1,]`, `{"a"}`, `"\x"`, "\"\x1f\"",
		`[[[[`, `]`, `nulll`, `{"a":[}`, "\xef\xbb\xbf1", strings.Repeat("[", 70) + strings.Repeat("]", 70),
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		before := string(data)
		want := json.Valid(data)
		var first error
		for name, read := range readers {
			err := read(data)
			if (err == nil) != want {
				t.Fatalf("%s of %q: %v; json.Valid is %v", name, data, err, want)
			}
			if first == nil {
				first = err
			}
			if err != nil && *err.(*rawjson.SyntaxError) != *first.(*rawjson.SyntaxError) {
				t.Fatalf("%s of %q: %v; another reader: %v", name, data, err, first)
			}
		}
		if string(data) != before {
			t.Fatalf("%q has become %q", before, data)
		}
		if want {
			compareValues(t, data)
		}
	})
}

func compareValues(t *testing.T, data []byte) {
	var want any
	if err := json.Unmarshal(data, &want); err != nil {
		// Numbers that no float64 can hold are JSON all the same.
		return
	}
	s := rawjson.NewScanner(data)
	got := build(t, s, data)
	if err := s.End(); err != nil || !reflect.DeepEqual(got, want) {
		t.Fatalf("%q reads as %v, %v, want %v", data, got, err, want)
	}
}

// build makes what json.Unmarshal makes, from the iterators and the typed readers.
func build(t *testing.T, s *rawjson.Scanner, data []byte) any {
	switch s.Peek() {
	case '{':
		object := map[string]any{}
		for key := range s.Members() {
			object[valid(string(key))] = build(t, s, data)
		}
		return object
	case '[':
		list := []any{}
		for i := range s.Elements() {
			if i != len(list) {
				t.Fatalf("element %d comes as %d", len(list), i)
			}
			list = append(list, build(t, s, data))
		}
		return list
	case '"':
		text, _ := s.String()
		return valid(text.Decode(data))
	case 't', 'f':
		value, _ := s.Bool()
		return value
	case '0':
		var number float64
		if err := json.Unmarshal(s.Value().Of(data), &number); err != nil {
			t.Fatal(err)
		}
		return number
	}
	s.Value()
	return nil
}

// FuzzRearrange drops and inserts items of any list and reads the result.
func FuzzRearrange(f *testing.F) {
	f.Add([]byte(`[ 1 , 2, 3 ]`), uint64(0b101), uint64(0b10))
	f.Add([]byte(`{"a":1,"b":[2] }`), uint64(0), uint64(0b111))
	f.Add([]byte(`[ ]`), uint64(0), uint64(1))
	f.Add([]byte(` {"x":{}}`), uint64(1), uint64(0))
	f.Fuzz(func(t *testing.T, data []byte, keep, insert uint64) {
		s := rawjson.NewScanner(data)
		l := s.List()
		if s.End() != nil || l.IsZero() {
			return
		}
		text := `"new"`
		if data[l.Start] == '{' {
			text = `"new":0`
		}
		kept := make([]bool, len(l.Items))
		inserts := map[int][][]byte{}
		var want []string
		for i := range len(kept) + 1 {
			if insert>>(i%64)&1 != 0 {
				inserts[i] = [][]byte{[]byte(text)}
				want = append(want, text)
			}
			if i < len(kept) && keep>>(i%64)&1 != 0 {
				kept[i] = true
				want = append(want, string(l.Items[i].Of(data)))
			}
		}
		got, err := rawjson.Splice(data, rawjson.Rearrange(l, kept, inserts))
		if err != nil || !json.Valid(got) {
			t.Fatalf("%q became %q, %v", data, got, err)
		}
		if items := texts(got, rawjson.NewScanner(got).List().Items); !reflect.DeepEqual(items, want) {
			t.Fatalf("%q became %q with %q, want %q", data, got, items, want)
		}
	})
}
