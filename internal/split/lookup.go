package split

// Separator joins the expressions of a sequence of splits into one key for
// Lookup. It cannot occur in a regular expression that matches text.
const Separator = "\x00"

// The expressions as their vocabularies spell them. Those for GPT2 are three
// spellings of one split.
const (
	gpt2Regex   = `'s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	gpt2Shorter = `'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`
	gpt2Newest  = `'(?:[sdmt]|ll|ve|re)| ?\p{L}++| ?\p{N}++| ?[^\s\p{L}\p{N}]++|\s++$|\s+(?!\S)|\s`
	cl100kRegex = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	qwen2Regex  = `(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	o200kRegex  = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`
	tekkenRegex = `[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+|[^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+`

	deepSeek3Digits = `\p{N}{1,3}`
	deepSeek3Han    = `[一-龥぀-ゟ゠-ヿ]+`
	deepSeek3Rest   = "[!\"#$%&'()*+,\\-./:;<=>?@\\[\\\\\\]^_`{|}~][A-Za-z]+|[^\r\n\\p{L}\\p{P}\\p{S}]?[\\p{L}\\p{M}]+| ?[\\p{P}\\p{S}]+[\r\n]*|\\s*[\r\n]+|\\s+(?!\\S)|\\s+"
	deepSeek3Regex  = deepSeek3Digits + Separator + deepSeek3Han + Separator + deepSeek3Rest
)

// Lookup returns the pattern for a regular expression by its exact text, and
// false for any other. The expressions of a sequence of splits, in order, are
// joined by Separator. It knows no expression that splits a text differently
// at its end, such as the one with \s++$ that newer versions of OpenAI's
// library use for cl100k_base, although that gives the same tokens.
func Lookup(regex string) (Pattern, bool) {
	switch regex {
	case gpt2Regex, gpt2Shorter, gpt2Newest:
		return GPT2, true
	case cl100kRegex:
		return CL100K, true
	case qwen2Regex:
		return Qwen2, true
	case o200kRegex:
		return O200K, true
	case tekkenRegex:
		return Tekken, true
	case deepSeek3Regex:
		return DeepSeek3, true
	}
	return 0, false
}
