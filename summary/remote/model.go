package remote

import (
	"cmp"
	"regexp"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// compressionModels maps main models to the names of the models that compress their
// history. It also maps these names to real models. The names come from the settings of a
// program, and no API knows them.
var compressionModels = map[string]struct{ alias, model string }{
	"gemini-3-pro-preview":  {"chat-compression-3-pro", "gemini-3-pro-preview"},
	"gemini-2.5-pro":        {"chat-compression-2.5-pro", "gemini-2.5-pro"},
	"gemini-2.5-flash":      {"chat-compression-2.5-flash", "gemini-2.5-flash"},
	"gemini-2.5-flash-lite": {"chat-compression-2.5-flash-lite", "gemini-2.5-flash-lite"},
}

const (
	defaultCompression      = "chat-compression-default"
	defaultCompressionModel = "gemini-2.5-pro"
)

// CompressionModel returns the name of the model that compresses the history of a main
// model: "chat-compression-2.5-pro" for "gemini-2.5-pro", "models/gemini-2.5-pro" and a
// dated name of it. A model that is not in the table has "chat-compression-default". A
// [Summarizer] asks the model behind the name.
func CompressionModel(main string) string {
	main = strings.TrimPrefix(main, "models/")
	for main != "" {
		if c, ok := compressionModels[main]; ok {
			return c.alias
		}
		shorter := dated.ReplaceAllString(main, "")
		if shorter == main {
			break
		}
		main = shorter
	}
	return defaultCompression
}

// dated is the end of a name that says which edition of the model is meant.
var dated = regexp.MustCompile(`(-(preview|exp))?-(latest|preview|exp|\d{2}-\d{2}|\d{2}-\d{4}|\d{3})$`)

// modelsFor returns the models to ask, each if the server does not have the one before:
// that of the options, else the mapped one, else the conversation's own. The map has
// models of Google, so it holds for no other API.
func (s *Summarizer) modelsFor(d plimsoll.Dialect, main string) []string {
	name := s.options.Model
	switch {
	case name == Cheaper:
		if m, ok := s.options.Models.Cheaper(main); ok {
			return []string{m.ID, main}
		}
		name = main
	case name == "" && s.options.MapModel != nil && d == plimsoll.Gemini:
		name = s.options.MapModel(main)
	}
	if name = meant(cmp.Or(name, main)); name == "" {
		return nil
	}
	return []string{name}
}

// meant returns the model that a name stands for.
func meant(name string) string {
	if name == defaultCompression {
		return defaultCompressionModel
	}
	for _, c := range compressionModels {
		if c.alias == name {
			return c.model
		}
	}
	return name
}
