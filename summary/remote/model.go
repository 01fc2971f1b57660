package remote

import "cmp"

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
// model: "chat-compression-2.5-pro" for "gemini-2.5-pro". A model that is not in the
// table has "chat-compression-default". A [Summarizer] asks the model behind the name.
func CompressionModel(main string) string {
	return cmp.Or(compressionModels[main].alias, defaultCompression)
}

// modelFor returns the model to ask: the one in the options, else the mapped one,
// else the caller's.
func (s *Summarizer) modelFor(main string) string {
	name := s.options.Model
	if name == "" && s.options.MapModel != nil {
		name = s.options.MapModel(main)
	}
	return meant(cmp.Or(name, main))
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
