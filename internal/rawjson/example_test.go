package rawjson_test

import (
	"fmt"

	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Roles are read, contents are not even unescaped.
func ExampleScanner() {
	data := []byte(`{"messages": [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "\u2026"}]}`)
	s := rawjson.NewScanner(data)
	for key := range s.Members() {
		if string(key) != "messages" {
			continue
		}
		for i := range s.Elements() {
			for key := range s.Members() {
				if string(key) == "role" {
					role, _ := s.String()
					fmt.Println(i, role.Decode(data))
				}
			}
		}
	}
	fmt.Println(s.End())
	// Output:
	// 0 user
	// 1 assistant
	// <nil>
}

func ExampleScanner_Err() {
	s := rawjson.NewScanner([]byte(`{"a": 1, "b" 2}`))
	s.Value()
	fmt.Println(s.Err())
	// Output: json: offset 13: expected ':' after a key, found '2'
}

func ExampleSplice() {
	data := []byte(`{"temperature": 1.0, "n": 1}`)
	s := rawjson.NewScanner(data)
	var edits []rawjson.Edit
	for key := range s.Members() {
		if string(key) == "n" {
			edits = append(edits, rawjson.Edit{Span: s.Value(), Text: []byte("2")})
		}
	}
	out, err := rawjson.Splice(data, edits)
	fmt.Println(string(out), err)
	// Output: {"temperature": 1.0, "n": 2} <nil>
}

func ExampleRearrange() {
	data := []byte(`["first",  "second",  "third",  "fourth"]`)
	l := rawjson.NewScanner(data).List()
	kept := []bool{true, true, false, true}
	summary := rawjson.AppendQuote(nil, "a summary")
	out, err := rawjson.Splice(data, rawjson.Rearrange(l, kept, map[int][][]byte{2: {summary}}))
	fmt.Println(string(out), err)
	// Output: ["first",  "second","a summary","fourth"] <nil>
}
