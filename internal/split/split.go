// Package split cuts text into the pieces that byte-pair encoding works on.
//
// Every tokenizer of the GPT-2 family first splits its input by a regular
// expression and then merges bytes inside each piece. The expressions are few
// and fixed, so this package has one hand-written scanner for each of them: no
// backtracking, linear on any input, no allocation. The classes of characters
// come from one pinned version of Unicode, the one that OpenAI's tiktoken uses.
//
// The package knows nothing about vocabularies, tokens, special tokens or
// normalisation. Text need not be valid UTF-8: each byte that is not part of a
// valid sequence is a character of its own, one byte long, and is classified
// like U+FFFD, a symbol. Lookup of a regular expression is by its exact text.
package split

//go:generate go run gen.go

// Pattern names one pre-tokenizer. The zero value is not a pattern.
type Pattern uint8

const (
	// GPT2 splits for gpt2, r50k_base and p50k_base, and for Hugging Face's
	// ByteLevel with use_regex.
	GPT2 Pattern = iota + 1
	// CL100K splits for cl100k_base: digits in groups of three, one leading
	// non-letter joins a word, newlines end whitespace.
	CL100K
	// O200K splits for o200k_base: words break where lower case turns into
	// upper case, contractions belong to their word.
	O200K
	// Qwen2 is CL100K with every digit a piece of its own.
	Qwen2
	// Tekken is O200K without contractions and with every digit a piece of
	// its own, for Mistral's Tekken vocabularies.
	Tekken
	// DeepSeek3 is the composite of DeepSeek V3's three splits: digits in
	// groups of three, runs of kana and Han, then the rest.
	DeepSeek3

	// Llama3 is another name for CL100K: both use the same expression.
	Llama3 = CL100K
)

// Next returns the end of the piece that starts at pos. pos must be the start
// of a piece and less than len(text). An unknown pattern gives the whole rest
// as one piece.
func (p Pattern) Next(text string, pos int) int {
	switch p {
	case GPT2:
		return nextGPT2(text, pos)
	case CL100K:
		return nextCL100K(text, pos, 3)
	case Qwen2:
		return nextCL100K(text, pos, 1)
	case O200K:
		return nextO200K(text, pos, 3, true)
	case Tekken:
		return nextO200K(text, pos, 1, false)
	case DeepSeek3:
		return nextDeepSeek3(text, pos)
	}
	return len(text)
}

// Ends appends the end offsets of all pieces of text to dst.
func (p Pattern) Ends(text string, dst []int) []int {
	for pos := 0; pos < len(text); {
		pos = p.Next(text, pos)
		dst = append(dst, pos)
	}
	return dst
}
