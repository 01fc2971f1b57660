// Package dialects has all codecs and finds the one that a request is meant for:
// by its path, as a proxy sees it, or by its body, as a file shows it.
package dialects

import (
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
	"github.com/plimsoll/plimsoll/wire/internal/converse"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
	"github.com/plimsoll/plimsoll/wire/internal/ollama"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// codecs are all that there are. The last is asked first whether it recognises a body:
// OpenAI's takes every list of messages for its own, since most tools write that.
var codecs = []wire.Codec{openai.Codec{}, responses.Codec{}, anthropic.Codec{}, gemini.Codec{}, ollama.Codec{}, converse.Codec{}}

// Codec returns the codec of a dialect; nil if there is none.
func Codec(d plimsoll.Dialect) wire.Codec {
	for _, c := range codecs {
		if c.Dialect() == d {
			return c
		}
	}
	return nil
}

// All returns the dialects that there is a codec for.
func All() []plimsoll.Dialect {
	var all []plimsoll.Dialect
	for _, c := range codecs {
		all = append(all, c.Dialect())
	}
	return all
}

// FromPath returns the dialect of the request that is sent to a path, whatever
// stands before the API's own part of it. Paths that carry no conversation
// (models, embeddings, files, token counting) have none. A query does not
// matter, nor do headers: clients put their keys and versions where they like.
func FromPath(path string) (plimsoll.Dialect, bool) {
	return byPath(path, func(t wire.Traits, path string) bool {
		return t.TakesPath != nil && t.TakesPath(path) || endsIn(t.Paths, path)
	})
}

// FromCountPath returns the dialect of a request that has the tokens of a conversation
// counted.
func FromCountPath(path string) (plimsoll.Dialect, bool) {
	return byPath(path, func(t wire.Traits, path string) bool { return endsIn(t.CountPaths, path) })
}

func endsIn(ends []string, path string) bool {
	return slices.ContainsFunc(ends, func(end string) bool { return strings.HasSuffix(path, end) })
}

func byPath(path string, takes func(wire.Traits, string) bool) (plimsoll.Dialect, bool) {
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimSuffix(path, "/")
	if strings.Contains(path, "/threads/") {
		return "", false // OpenAI's Assistants, whose messages are no conversation
	}
	for _, c := range codecs {
		if takes(c.Traits(), path) {
			return c.Dialect(), true
		}
	}
	return "", false
}

// FromBody returns the dialect that a request body is written in.
func FromBody(body []byte) (plimsoll.Dialect, bool) {
	for _, c := range slices.Backward(codecs) {
		if c.Recognises(body) {
			return c.Dialect(), true
		}
	}
	return "", false
}
