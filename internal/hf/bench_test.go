package hf_test

import (
	"os"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/hf"
)

// families are the vocabularies that benchmarks run on.
var families = []string{"llama3", "qwen3", "deepseek_v3", "mistral_nemo", "gpt4o", "claude", "llama2", "gemma3"}

func loadFamily(b *testing.B, name string) *hf.Tokenizer {
	tok, err := hf.Load(vocabulary(b, name))
	if err != nil {
		b.Fatal(err)
	}
	return tok
}

func BenchmarkLoad(b *testing.B) {
	for _, name := range families {
		b.Run(name, func(b *testing.B) {
			path := vocabulary(b, name)
			for b.Loop() {
				if _, err := hf.Load(path); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// BenchmarkCount repeats our own texts, so that the memo is warm; see BenchmarkCold.
func BenchmarkCount(b *testing.B) {
	for _, name := range families {
		for _, kind := range []string{"prose", "code", "scripts"} {
			b.Run(name+"/"+kind, func(b *testing.B) {
				tok := loadFamily(b, name)
				text := repeated(b, kind)
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					tok.Count(text)
				}
			})
		}
	}
}

func repeated(b *testing.B, kind string) string {
	data, err := os.ReadFile("testdata/texts/" + kind + ".txt")
	if err != nil {
		b.Fatal(err)
	}
	return strings.Repeat(string(data), 1<<17/len(data))
}

// BenchmarkCold loads the tokenizer anew for every count, so that no piece is remembered.
func BenchmarkCold(b *testing.B) {
	for _, name := range families {
		b.Run(name, func(b *testing.B) {
			var text string
			for _, kind := range []string{"prose", "code", "scripts"} {
				data, err := os.ReadFile("testdata/texts/" + kind + ".txt")
				if err != nil {
					b.Fatal(err)
				}
				text += string(data)
			}
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				b.StopTimer()
				tok := loadFamily(b, name)
				b.StartTimer()
				tok.Count(text)
			}
		})
	}
}

// BenchmarkAdversarial counts one megabyte that is a single piece or close to it.
func BenchmarkAdversarial(b *testing.B) {
	inputs := map[string]string{
		"letter": "a", "space": " ", "newline": "\n", "digit": "7", "han": "日", "equals": "=", "mark": "\u0301", "pair": "ab",
	}
	for _, name := range []string{"llama3", "qwen3", "deepseek_v3", "gemma3", "llama2"} {
		for kind, unit := range inputs {
			b.Run(name+"/"+kind, func(b *testing.B) {
				tok := loadFamily(b, name)
				text := strings.Repeat(unit, 1<<20/len(unit))
				b.SetBytes(int64(len(text)))
				for b.Loop() {
					tok.Count(text)
				}
			})
		}
	}
}
