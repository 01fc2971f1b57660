// Command plimsoll measures Plimsoll's own counter for the benchmark.
package main

import (
	"github.com/plimsoll/plimsoll/bench/internal/line"
	"github.com/plimsoll/plimsoll/internal/bpe"
)

func main() {
	p := &line.Program{Open: open, Append: growth}
	p.Main()
}

type tokenizer struct {
	encoding *bpe.Encoding
	ids      []uint32
}

func open(encoding string) (line.Tokenizer, error) {
	e, err := bpe.Get(encoding)
	return &tokenizer{encoding: e}, err
}

func (t *tokenizer) Count(text string) (int, error) { return t.encoding.Count(text), nil }

// Encode appends to a slice that is used again, as its callers are meant to do.
func (t *tokenizer) Encode(text string) ([]uint32, error) {
	t.ids = t.encoding.Encode(text, t.ids[:0])
	return t.ids, nil
}
