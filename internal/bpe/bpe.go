// Package bpe counts and encodes text with OpenAI's byte-pair vocabularies, exactly as OpenAI's own tiktoken
// does and in time linear in the text, whatever the text is.
//
// The four vocabularies are embedded and unpacked on first use. Text never yields special tokens: "<|endoftext|>" typed by
// a user is counted as the characters it consists of.
//
// Text need not be valid UTF-8: a byte that belongs to no character is split like U+FFFD and encoded as itself.
//
// The package knows nothing about models, messages or prompts; package token does.
package bpe

import (
	"fmt"
	"sync"
	"unsafe"

	"github.com/plimsoll/plimsoll/internal/split"
)

//go:generate go run ./internal/genvocab -out vocab

// Encoding is one vocabulary with its way of splitting text. It is immutable to its users and safe for concurrent use.
type Encoding struct {
	name    string
	pattern split.Pattern
	tables  *tables
	workers pool
}

var (
	r50k   = sync.OnceValue(func() *Encoding { return newEncoding("r50k_base", split.GPT2, r50kPlanes) })
	p50k   = sync.OnceValue(func() *Encoding { return newEncoding("p50k_base", split.GPT2, p50kPlanes) })
	cl100k = sync.OnceValue(func() *Encoding { return newEncoding("cl100k_base", split.CL100K, cl100kPlanes) })
	o200k  = sync.OnceValue(func() *Encoding { return newEncoding("o200k_base", split.O200K, o200kPlanes) })
)

// R50K returns r50k_base, the vocabulary of GPT-3.
func R50K() *Encoding { return r50k() }

// P50K returns p50k_base, the vocabulary of Codex and text-davinci-003.
func P50K() *Encoding { return p50k() }

// CL100K returns cl100k_base, the vocabulary of GPT-3.5 Turbo, GPT-4 and the text-embedding-3 models.
func CL100K() *Encoding { return cl100k() }

// O200K returns o200k_base, the vocabulary of GPT-4o, GPT-4.1, GPT-5 and the o-series.
func O200K() *Encoding { return o200k() }

// Names returns the names that Get knows, oldest vocabulary first.
func Names() []string {
	return []string{"r50k_base", "p50k_base", "cl100k_base", "o200k_base"}
}

// UnknownEncodingError reports a name that Get does not know.
type UnknownEncodingError struct{ Name string }

func (e *UnknownEncodingError) Error() string {
	return fmt.Sprintf("bpe: unknown encoding %q", e.Name)
}

// Get returns the encoding of that name, or an *UnknownEncodingError.
func Get(name string) (*Encoding, error) {
	switch name {
	case "r50k_base":
		return R50K(), nil
	case "p50k_base":
		return P50K(), nil
	case "cl100k_base":
		return CL100K(), nil
	case "o200k_base":
		return O200K(), nil
	}
	return nil, &UnknownEncodingError{Name: name}
}

func newEncoding(name string, pattern split.Pattern, planes string) *Encoding {
	return &Encoding{name: name, pattern: pattern, tables: newTables(unpack(planes))}
}

// Name returns the name of the encoding, such as "cl100k_base".
func (e *Encoding) Name() string { return e.name }

// Count returns the number of tokens of text. It does not allocate.
func (e *Encoding) Count(text string) int {
	w := e.workers.get(e)
	n := w.count(text)
	e.workers.put(w)
	return n
}

// CountBytes is Count for a byte slice, which it neither copies nor keeps.
func (e *Encoding) CountBytes(text []byte) int {
	return e.Count(unsafe.String(unsafe.SliceData(text), len(text)))
}

// Encode appends the token ids of text to dst and returns the extended slice.
func (e *Encoding) Encode(text string, dst []uint32) []uint32 {
	w := e.workers.get(e)
	dst = w.encode(text, dst)
	e.workers.put(w)
	return dst
}
