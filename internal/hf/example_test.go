package hf_test

import (
	"fmt"
	"log"
	"strings"

	"github.com/plimsoll/plimsoll/internal/hf"
)

const exampleFile = `{
  "added_tokens": [{"id": 4, "content": "<s>", "special": true}],
  "post_processor": {"type": "TemplateProcessing",
    "single": [{"SpecialToken": {"id": "<s>"}}, {"Sequence": {"id": "A"}}],
    "special_tokens": {"<s>": {"ids": [4]}}},
  "decoder": {"type": "Fuse"},
  "model": {"type": "BPE", "vocab": {"s": 0, "h": 1, "i": 2, "hi": 3, "<": 5, ">": 6}, "merges": ["h i"]}
}`

func ExampleParse() {
	tok, err := hf.Parse(strings.NewReader(exampleFile))
	if err != nil {
		log.Fatal(err)
	}
	ids := tok.Encode("hi", nil)
	text, err := tok.Decode(ids)
	fmt.Println(tok.Count("hi"), ids, text, err)
	// Output: 1 [3] hi <nil>
}

func ExampleTokenizer_With() {
	tok, err := hf.Parse(strings.NewReader(exampleFile))
	if err != nil {
		log.Fatal(err)
	}
	framed := tok.With(hf.Options{ParseSpecial: true, AddSpecial: true})
	fmt.Println(tok.Encode("<s>hi", nil), framed.Encode("<s>hi", nil))
	// Output: [5 0 6 3] [4 4 3]
}

func ExampleLoad() {
	_, err := hf.Load("no-such-directory")
	fmt.Println(err != nil)
	// Output: true
}
