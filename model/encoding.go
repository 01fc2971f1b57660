package model

import "strings"

// The encodings that have public vocabularies with these names.
const (
	O200K  = "o200k_base"
	CL100K = "cl100k_base"
	P50K   = "p50k_base"
	R50K   = "r50k_base"
)

// encodingStem maps the beginning of OpenAI's model names to an encoding. A stem
// counts only where the name ends or one of follow comes next.
type encodingStem struct {
	stem, follow, encoding string
}

// encodingStems is ordered: the first stem that fits decides.
var encodingStems = []encodingStem{
	{"gpt-oss", "-:", O200K},
	{"gpt-5", "-.:", O200K},
	{"gpt-4.1", "-:", O200K},
	{"gpt-4.5", "-:", O200K},
	{"gpt-4o", "-:", O200K},
	{"chatgpt-4o", "-:", O200K},
	{"o1", "-:", O200K},
	{"o3", "-:", O200K},
	{"o4", "-:", O200K},
	{"codex-mini", "-:", O200K},
	{"gpt-4", "-:", CL100K},
	{"gpt-3.5-turbo", "-:", CL100K},
	{"gpt-3.5", "", CL100K},
	{"gpt-35-turbo", "-:", CL100K},
	{"text-embedding-ada-002", ":", CL100K},
	{"text-embedding-3", "-", CL100K},
	{"davinci-002", ":", CL100K},
	{"babbage-002", ":", CL100K},
	{"text-davinci-003", "", P50K},
	{"text-davinci-002", "", P50K},
	{"code-davinci", "-", P50K},
	{"code-cushman", "-", P50K},
	{"davinci-codex", "", P50K},
	{"cushman-codex", "", P50K},
	{"text-davinci-edit", "-", P50K},
	{"text-davinci-001", "", R50K},
	{"text-curie-001", "", R50K},
	{"text-babbage-001", "", R50K},
	{"text-ada-001", "", R50K},
	{"davinci", "", R50K},
	{"curie", "", R50K},
	{"babbage", "", R50K},
	{"ada", "", R50K},
	{"text-similarity", "-", R50K},
	{"text-search", "-", R50K},
	{"code-search", "-", R50K},
	{"gpt2", "", R50K},
	{"gpt-2", "", R50K},
}

// EncodingFor gives the encoding in which OpenAI counts the text of a model, by
// the model's name alone: provider prefixes, dates and fine-tuned names are
// understood, and models that no registry knows yet follow their line. ok is
// false for models of other makers.
//
// The open-weight gpt-oss models use o200k_harmony, which is o200k_base with
// further special tokens; for text the two are the same, so o200k_base is given.
func EncodingFor(name string) (encoding string, ok bool) {
	key := foldName(name)
	if len(key) > maxName {
		return "", false
	}
	for _, form := range withoutPrefixes(key) {
		for _, s := range encodingStems {
			if s.covers(form) {
				return s.encoding, true
			}
		}
	}
	return "", false
}

func (s encodingStem) covers(name string) bool {
	rest, ok := strings.CutPrefix(name, s.stem)
	return ok && (rest == "" || strings.IndexByte(s.follow, rest[0]) >= 0)
}
