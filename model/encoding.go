package model

import "strings"

// The encodings that have public vocabularies with these names.
const (
	o200k  = "o200k_base"
	cl100k = "cl100k_base"
	p50k   = "p50k_base"
	r50k   = "r50k_base"
)

// encodingStem maps the beginning of OpenAI's model names to an encoding. A stem
// counts only where the name ends or one of follow comes next.
type encodingStem struct {
	stem, follow, encoding string
}

// encodingStems is ordered: the first stem that fits decides.
var encodingStems = []encodingStem{
	{"gpt-oss", "-:", o200k},
	{"gpt-5", "-.:", o200k},
	{"gpt-4.1", "-:", o200k},
	{"gpt-4.5", "-:", o200k},
	{"gpt-4o", "-:", o200k},
	{"chatgpt-4o", "-:", o200k},
	{"o1", "-:", o200k},
	{"o3", "-:", o200k},
	{"o4", "-:", o200k},
	{"codex-mini", "-:", o200k},
	{"gpt-4", "-:", cl100k},
	{"gpt-3.5-turbo", "-:", cl100k},
	{"gpt-3.5", "", cl100k},
	{"gpt-35-turbo", "-:", cl100k},
	{"text-embedding-ada-002", ":", cl100k},
	{"text-embedding-3", "-", cl100k},
	{"davinci-002", ":", cl100k},
	{"babbage-002", ":", cl100k},
	{"text-davinci-003", "", p50k},
	{"text-davinci-002", "", p50k},
	{"code-davinci", "-", p50k},
	{"code-cushman", "-", p50k},
	{"davinci-codex", "", p50k},
	{"cushman-codex", "", p50k},
	{"text-davinci-edit", "-", p50k},
	{"text-davinci-001", "", r50k},
	{"text-curie-001", "", r50k},
	{"text-babbage-001", "", r50k},
	{"text-ada-001", "", r50k},
	{"davinci", "", r50k},
	{"curie", "", r50k},
	{"babbage", "", r50k},
	{"ada", "", r50k},
	{"text-similarity", "-", r50k},
	{"text-search", "-", r50k},
	{"code-search", "-", r50k},
	{"gpt2", "", r50k},
	{"gpt-2", "", r50k},
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
