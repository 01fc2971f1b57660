package token

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/model"
)

// Strategies of counters that are neither OpenAI's vocabularies nor formulas.
const (
	// StrategyVocabulary: a vocabulary loaded from a file.
	StrategyVocabulary = "vocabulary"
	// StrategyScaled: another family's vocabulary times a measured factor.
	StrategyScaled = "scaled"
)

// Options say how counters are chosen. The zero value is ready to use.
type Options struct {
	// Registry knows the models; nil means [model.Default].
	Registry *model.Registry
	// Tokenizers is a directory of vocabularies, one folder or .json file a
	// family: llama3/tokenizer.json, gemma3.json. Empty means that only the
	// built-in vocabularies are used.
	Tokenizers string
	// files are shared by the counters of one meter.
	files *vocabularies
}

func (o *Options) registry() *model.Registry {
	if o == nil || o.Registry == nil {
		return model.Default()
	}
	return o.Registry
}

// For returns the best counter for a model: OpenAI's own vocabulary, a vocabulary
// from the directory, or a scaled estimate. An unknown model is
// estimated on the safe side, never refused; Info tells. The error is only that
// of a vocabulary file that cannot be read.
func For(name string, o *Options) (plimsoll.Counter, error) {
	if encoding, ok := model.EncodingFor(name); ok {
		return openAI(o.registry().Resolve(name), encoding)
	}
	m, err := o.registry().Lookup(name)
	if err != nil {
		return scaled(name, strangers), nil
	}
	if slices.Contains(bpe.Names(), m.Tokenizer.Name) {
		c, err := openAI(m.ID, m.Tokenizer.Name)
		c.info.Exact = m.Tokenizer.Exact
		return c, err
	}
	return familyCounter(m, o)
}

// Tiktoken returns the counter of the model's own OpenAI encoding, else of
// cl100k_base: the rule of tools that know no other vocabulary. Aliases are
// resolved first.
func Tiktoken(name string) plimsoll.Counter {
	encoding, ok := model.EncodingFor(name)
	if !ok {
		encoding = cl100k
	}
	c, err := openAI(model.Default().Resolve(name), encoding)
	if err != nil {
		panic(err) // EncodingFor names only what is built in
	}
	c.info.Exact = ok
	return c
}

// Named returns a counter by its name: that of an OpenAI encoding, such as "o200k_base", or
// one of these estimates.
//
//   - "heuristic": characters / 4 + 1
//   - "bytes": bytes / 4, rounded up
//   - "gemini": 0.25 for an ASCII character and 1.3 for any other
//   - "multichat": one token for 1.5 Chinese or Japanese characters and for 4 others, times 1.2
//   - "half": characters / 2 for text with multi-byte characters, characters / 4 for ASCII,
//     rounded up
func Named(name string) (plimsoll.Counter, error) {
	if slices.Contains(bpe.Names(), name) {
		return openAI("", name)
	}
	for _, e := range estimators() {
		if e.name == name {
			return e, nil
		}
	}
	return nil, &plimsoll.Error{
		Op:   fmt.Sprintf("encoding %q", name),
		Code: plimsoll.CodeInvalid,
		Hint: "use one of " + strings.Join(Names(), ", "),
		Err:  plimsoll.ErrUnsupported,
	}
}

// Names lists what [Named] accepts: encodings first, then estimators.
func Names() []string {
	names := bpe.Names()
	for _, e := range estimators() {
		names = append(names, e.name)
	}
	return names
}

// vocabularyCounter counts with a vocabulary, times a factor for a family whose
// own vocabulary is missing.
type vocabularyCounter struct {
	vocabulary interface{ Count(string) int }
	percent    int
	spells     bool
	info       plimsoll.CounterInfo
}

var _ plimsoll.Counter = vocabularyCounter{}

func (c vocabularyCounter) Count(text string) int {
	n := c.vocabulary.Count(text)
	if c.percent == 0 {
		return n
	}
	n = (n*c.percent + 50) / 100
	if c.spells {
		n += spelled(text)
	}
	return n
}

func (c vocabularyCounter) Info() plimsoll.CounterInfo { return c.info }

func openAI(name, encoding string) (vocabularyCounter, error) {
	e, err := bpe.Get(encoding)
	if err != nil {
		return vocabularyCounter{}, err
	}
	return vocabularyCounter{vocabulary: e, info: plimsoll.CounterInfo{
		Model: name, Encoding: encoding, Exact: true, Strategy: plimsoll.StrategyTiktoken,
	}}, nil
}

func fromFile(m model.Model, path string, files *vocabularies) (vocabularyCounter, error) {
	t, err := files.load(path)
	if err != nil {
		return vocabularyCounter{}, &plimsoll.Error{
			Op:   "load the tokenizer of " + m.ID,
			Hint: "replace or remove " + path,
			Err:  err,
		}
	}
	return vocabularyCounter{vocabulary: t, info: plimsoll.CounterInfo{
		Model: m.ID, Encoding: m.Tokenizer.Name, Exact: m.Tokenizer.Exact, Strategy: StrategyVocabulary,
	}}, nil
}

func scaled(name string, f family) vocabularyCounter {
	e, err := bpe.Get(f.standIn)
	if err != nil {
		panic(err) // the table names only what is built in
	}
	return vocabularyCounter{vocabulary: e, percent: f.percent, spells: f.spells, info: plimsoll.CounterInfo{
		Model: name, Strategy: StrategyScaled,
	}}
}
