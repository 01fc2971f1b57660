package main

import (
	"os/exec"
	"strings"
	"testing"

	"github.com/pkoukk/tiktoken-go"
	loader "github.com/pkoukk/tiktoken-go-loader"
	"github.com/tiktoken-go/tokenizer"

	"github.com/plimsoll/plimsoll/bench/internal/measure"
	"github.com/plimsoll/plimsoll/bench/internal/texts"
	"github.com/plimsoll/plimsoll/internal/bpe"
)

// library is a tokenizer in Go, opened for one encoding.
type library struct {
	name   string
	count  func(text string) int
	encode func(text string) int
}

func libraries(b *testing.B, encoding string) []library {
	b.Helper()
	ours, err := bpe.Get(encoding)
	if err != nil {
		b.Fatal(err)
	}
	codec, err := tokenizer.Get(tokenizer.Encoding(encoding))
	if err != nil {
		b.Fatal(err)
	}
	tiktoken.SetBpeLoader(loader.NewOfflineLoader())
	pkoukk, err := tiktoken.GetEncoding(encoding)
	if err != nil {
		b.Fatal(err)
	}
	var ids []uint32
	return []library{
		{"plimsoll", ours.Count, func(text string) int { ids = ours.Encode(text, ids[:0]); return len(ids) }},
		{
			"tiktoken-go",
			func(text string) int { n, _ := codec.Count(text); return n },
			func(text string) int { ids, _, _ := codec.Encode(text); return len(ids) },
		},
		{
			"pkoukk",
			func(text string) int { return len(pkoukk.EncodeOrdinary(text)) },
			func(text string) int { return len(pkoukk.EncodeOrdinary(text)) },
		},
	}
}

func benchmarkTexts(b *testing.B) []texts.Text {
	b.Helper()
	out, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		b.Fatal(err)
	}
	all, err := texts.All(texts.Options{GoRoot: strings.TrimSpace(string(out)), Shared: "../../shared", Bytes: 200_000})
	if err != nil {
		b.Fatal(err)
	}
	return all
}

func each(b *testing.B, call func(library) func(string) int) {
	all := benchmarkTexts(b)
	for _, encoding := range measure.Encodings {
		for _, lib := range libraries(b, encoding) {
			run := call(lib)
			for _, text := range all {
				b.Run(encoding+"/"+text.Name+"/"+lib.name, func(b *testing.B) {
					b.SetBytes(int64(len(text.Data)))
					b.ReportAllocs()
					for b.Loop() {
						run(text.Data)
					}
				})
			}
		}
	}
}

func BenchmarkCount(b *testing.B) { each(b, func(l library) func(string) int { return l.count }) }

func BenchmarkEncode(b *testing.B) { each(b, func(l library) func(string) int { return l.encode }) }

// BenchmarkStream writes parts of 40 bytes, as an answer comes, and asks for the
// total after each.
func BenchmarkStream(b *testing.B) {
	for _, text := range benchmarkTexts(b) {
		b.Run(text.Name, func(b *testing.B) {
			stream, at := bpe.O200K().NewStream(), 0
			b.SetBytes(40)
			for b.Loop() {
				if at+40 > len(text.Data) {
					at = 0
				}
				stream.WriteString(text.Data[at : at+40])
				stream.Total()
				at += 40
			}
		})
	}
}
