// Command tiktokengo measures github.com/tiktoken-go/tokenizer for the benchmark.
package main

import (
	"github.com/tiktoken-go/tokenizer"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

func main() {
	p := &line.Program{Open: open}
	p.Main()
}

type codec struct{ tokenizer.Codec }

func open(encoding string) (line.Tokenizer, error) {
	c, err := tokenizer.Get(tokenizer.Encoding(encoding))
	return codec{c}, err
}

func (c codec) Encode(text string) ([]uint32, error) {
	ids, _, err := c.Codec.Encode(text)
	out := make([]uint32, len(ids))
	for i, id := range ids {
		out[i] = uint32(id)
	}
	return out, err
}
