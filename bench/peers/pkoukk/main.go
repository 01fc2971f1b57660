// Command pkoukk measures github.com/pkoukk/tiktoken-go, with the vocabularies
// of its offline loader, for the benchmark.
package main

import (
	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"

	"github.com/plimsoll/plimsoll/bench/internal/line"
)

func main() {
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	p := &line.Program{Open: open}
	p.Main()
}

type encoding struct{ *tiktoken.Tiktoken }

func open(name string) (line.Tokenizer, error) {
	t, err := tiktoken.GetEncoding(name)
	return encoding{t}, err
}

// Count has no call of its own in this library.
func (e encoding) Count(text string) (int, error) { return len(e.EncodeOrdinary(text)), nil }

func (e encoding) Encode(text string) ([]uint32, error) {
	ids := e.EncodeOrdinary(text)
	out := make([]uint32, len(ids))
	for i, id := range ids {
		out[i] = uint32(id)
	}
	return out, nil
}
