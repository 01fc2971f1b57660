// Package hf counts and encodes with tokenizers that come as data: a Hugging Face tokenizer.json
// or Mistral's tekken.json, from a file or a directory.
//
// It exists so that a further model family needs a file and no code. It understands byte-level
// byte-pair encoding (GPT-2, Llama 3, Qwen, DeepSeek, Mistral Tekken) and SentencePiece-style
// byte-pair encoding with byte fallback (Gemma, Llama 2, Mistral 7B), with the normalisers, splits
// and added tokens that these use. A file that asks for more is refused with a [FormatError], never
// approximated. Ids are those of Hugging Face's own library.
//
// Text is data: a special token such as <|im_start|> that a user wrote is tokenised like any other
// text, unless [Options] say otherwise. Added tokens that the file does not call special, such as
// Gemma's runs of newlines, are always matched.
//
// The package knows nothing of models, providers or messages; what a conversation costs around its
// texts is not its business. It reads no network and embeds no vocabulary.
package hf

import "slices"

// Tokenizer is a loaded tokenizer. It is safe for concurrent use.
type Tokenizer struct {
	tables  *tables
	workers *workers
	options Options
}

// tables is everything that was read from the file. It is immutable.
type tables struct {
	vocab       *vocab
	size        int
	names       map[uint32]string // added tokens by id
	raw         *addedSet         // looked for before normalisation
	normalized  *addedSet         // looked for after it
	normalizers []normalizer
	pre         *preTokenizer
	model       *model
	prefix      []uint32
	suffix      []uint32
	decoder     *decoder
}

// Options is a way to use a tokenizer. The zero value counts plain text.
type Options struct {
	// Name replaces the name that Load derived; empty keeps it.
	Name string
	// ParseSpecial matches special tokens in the text. Only for text that the program itself
	// composed: in text from users or tools it lets them forge the frame of a message.
	ParseSpecial bool
	// AddSpecial adds the tokens that the file's post-processor puts around a text, such as
	// the beginning-of-sequence token.
	AddSpecial bool
}

// With returns the same tokenizer with other options. The tables are shared.
func (t *Tokenizer) With(o Options) *Tokenizer {
	if o.Name == "" {
		o.Name = t.options.Name
	}
	return &Tokenizer{tables: t.tables, workers: t.workers, options: o}
}

// Name returns the name from the options or from the path; after Parse it is empty.
func (t *Tokenizer) Name() string { return t.options.Name }

// VocabSize returns the number of tokens, including added ones.
func (t *Tokenizer) VocabSize() int { return t.tables.size }

// Count returns the number of tokens in text. Bytes that are not valid UTF-8 are tokens like any
// other bytes. The time is O(n log n) at worst and O(n) for text made of words.
func (t *Tokenizer) Count(text string) int {
	w := t.workers.get(t.tables)
	w.counting, w.n = true, 0
	w.walk(text, t.options.ParseSpecial)
	n := w.n
	t.workers.put(w)
	if t.options.AddSpecial {
		n += len(t.tables.prefix) + len(t.tables.suffix)
	}
	return n
}

// Encode appends the ids of the tokens in text to dst.
func (t *Tokenizer) Encode(text string, dst []uint32) []uint32 {
	dst = slices.Grow(dst, len(text)/4)
	if t.options.AddSpecial {
		dst = append(dst, t.tables.prefix...)
	}
	w := t.workers.get(t.tables)
	w.counting, w.ids = false, dst
	w.walk(text, t.options.ParseSpecial)
	dst = w.ids
	t.workers.put(w)
	if t.options.AddSpecial {
		dst = append(dst, t.tables.suffix...)
	}
	return dst
}
