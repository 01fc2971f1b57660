package model

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// SafeLimit is the limit of a model that nothing is known of, as text 003 wants it.
const SafeLimit = 4_096

// geminiLimit is the same of text 004, which speaks of Gemini models only.
const geminiLimit = 1_048_576

// Source says where a limit came from.
type Source string

const (
	// SourceEnv is a variable for the model, its family or its provider.
	SourceEnv Source = "environment"
	// SourceEnvDefault is DEFAULT_MAX_CONTEXT_LENGTH.
	SourceEnvDefault Source = "environment default"
	// SourceRegistry is the registry.
	SourceRegistry Source = "registry"
	// SourceTable is a table of one of the texts.
	SourceTable Source = "table"
	// SourceDefault means that nothing is known about the model.
	SourceDefault Source = "default"
)

// Limit is a context limit and where it came from.
type Limit struct {
	// Tokens is always positive.
	Tokens int
	Source Source
	// From is the variable, the model or the row of the table that gave it.
	From string
	// Estimated says that it is a variable of the texts 002 and 003, which compare their
	// own count with it.
	Estimated bool
	// Problems are settings that were passed over.
	Problems []error
}

// Exceeds says whether count tokens are more than the limit.
func (l Limit) Exceeds(count int) bool { return count > l.Tokens }

// Limits finds context limits without ever failing: from the environment, then
// from the registry, then from tables, then by default. The zero value uses the
// curated registry, no environment, the table of the texts 002 and 003, and
// [SafeLimit].
type Limits struct {
	// Registry is the registry to ask; nil means [Default].
	Registry *Registry
	// Env looks up a variable, as os.Getenv does; nil means no environment.
	Env func(name string) string
	// Gemini asks the table of the text 004 instead, and gives models that neither
	// knows the limit of Gemini, 1,048,576 tokens.
	Gemini bool
}

// For gives the limit of a model.
func (l *Limits) For(name string) Limit {
	limit, problems := l.fromEnv(name)
	if limit.Tokens == 0 {
		limit = l.fromFacts(name)
	}
	limit.Problems = problems
	return limit
}

func (l *Limits) registry() *Registry {
	if l.Registry == nil {
		return Default()
	}
	return l.Registry
}

func (l *Limits) fromEnv(name string) (Limit, []error) {
	if l.Env == nil {
		return Limit{}, nil
	}
	var problems []error
	for _, variable := range append(l.registry().envNames(name), defaultVariable) {
		value := strings.TrimSpace(l.Env(variable))
		if value == "" {
			continue
		}
		tokens, err := parseLimit(variable, value)
		if err != nil {
			problems = append(problems, err)
			continue
		}
		source := SourceEnv
		if variable == defaultVariable {
			source = SourceEnvDefault
		}
		return Limit{Tokens: tokens, Source: source, From: variable, Estimated: true}, problems
	}
	return Limit{}, problems
}

func (l *Limits) fromFacts(name string) Limit {
	if m, err := l.registry().Lookup(name); err == nil && m.Limit() > 0 {
		return Limit{Tokens: m.Limit(), Source: SourceRegistry, From: m.ID}
	}
	table, fallback := multichatTable, SafeLimit
	if l.Gemini {
		table, fallback = geminiTable, geminiLimit
	}
	if row, ok := table.find(name); ok {
		return Limit{Tokens: row.limit, Source: SourceTable, From: table.name + " " + row.stem}
	}
	return Limit{Tokens: fallback, Source: SourceDefault}
}

// variableSuffix ends the names of all variables that set a limit.
const (
	variableSuffix  = "_MAX_CONTEXT_LENGTH"
	defaultVariable = "DEFAULT" + variableSuffix
)

// envNames gives the variables that may set the limit of a model, most specific
// first: for the model itself (GPT_4O_…), for its family (CHATGPT_…, GEMINI_…,
// CLAUDE_…) and for who serves it (OPENAI_…, AZURE_…).
func (r *Registry) envNames(name string) []string {
	key := foldName(name)
	if key == "" || len(key) > maxName {
		return nil
	}
	bare := bareName(key)
	words := []string{bare}
	i, how := r.find(key)
	if how != matchNone {
		words = append(words, r.models[i].ID)
	}
	if v, ok := vendorOf(bare); ok {
		words = append(words, v.env...)
	}
	words = append(words, leadingWord(bare))
	segments := strings.Split(key, "/")
	words = append(words, segments[:len(segments)-1]...)
	if how != matchNone {
		words = append(words, r.models[i].Provider)
	}
	return variables(words)
}

// leadingWord is what stands before the first version or size in a name.
func leadingWord(name string) string {
	if i := strings.IndexFunc(name, func(c rune) bool { return c < 'a' || c > 'z' }); i >= 0 {
		return name[:i]
	}
	return name
}

// variables makes names of variables out of words, each once.
func variables(words []string) []string {
	var out []string
	for _, w := range words {
		w = strings.Trim(strings.Map(variableRune, w), "_")
		if w == "" || w+variableSuffix == defaultVariable || slices.Contains(out, w+variableSuffix) {
			continue
		}
		out = append(out, w+variableSuffix)
	}
	return out
}

func variableRune(c rune) rune {
	switch {
	case c >= 'a' && c <= 'z':
		return c - 'a' + 'A'
	case c >= 'A' && c <= 'Z', c >= '0' && c <= '9':
		return c
	}
	return '_'
}

// settingError says that a variable does not hold a limit.
type settingError struct {
	// Name and Value are the variable's.
	Name, Value string
	// Reason says what is wrong with the value.
	Reason string
}

func (e *settingError) Error() string {
	return fmt.Sprintf("%s=%q: %s: want a number of tokens above zero; the next source of the limit is used", e.Name, clip(e.Value), e.Reason)
}

func parseLimit(name, value string) (int, error) {
	n, err := strconv.ParseInt(value, 10, 64)
	switch {
	case errors.Is(err, strconv.ErrRange), n > maxCount:
		return 0, &settingError{name, value, "out of range"}
	case err != nil:
		return 0, &settingError{name, value, "not a whole number"}
	case n <= 0:
		return 0, &settingError{name, value, "not above zero"}
	}
	return int(n), nil
}

// CheckEnv finds the variables that should set a limit and cannot, each once, for
// a log at start-up. environ has the form of os.Environ.
func CheckEnv(environ []string) []error {
	var problems []error
	for _, setting := range environ {
		name, value, _ := strings.Cut(setting, "=")
		value = strings.TrimSpace(value)
		if !strings.HasSuffix(name, variableSuffix) || value == "" {
			continue
		}
		if _, err := parseLimit(name, value); err != nil {
			problems = append(problems, err)
		}
	}
	return problems
}
