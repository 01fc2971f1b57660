// Package dialects has all codecs and finds the one that a request is meant for:
// by its path, as a proxy sees it, or by its body, as a file shows it.
package dialects

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/anthropic"
	"github.com/plimsoll/plimsoll/wire/gemini"
	"github.com/plimsoll/plimsoll/wire/openai"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// Codec returns the codec of a dialect; nil if there is none.
func Codec(d plimsoll.Dialect) wire.Codec {
	switch d {
	case plimsoll.OpenAI:
		return openai.Codec{}
	case plimsoll.Responses:
		return responses.Codec{}
	case plimsoll.Anthropic:
		return anthropic.Codec{}
	case plimsoll.Gemini:
		return gemini.Codec{}
	}
	return nil
}

// All returns the dialects that there is a codec for.
func All() []plimsoll.Dialect {
	return []plimsoll.Dialect{plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini}
}

// FromPath returns the dialect of the request that is sent to a path, whatever
// stands before the API's own part of it. Paths that carry no conversation of
// ours (models, embeddings, files, token counting) have none. A query does not
// matter, nor do headers: clients put their keys and versions where they like.
func FromPath(path string) (plimsoll.Dialect, bool) {
	path, _, _ = strings.Cut(path, "?")
	path = strings.TrimSuffix(path, "/")
	if strings.Contains(path, "/threads/") {
		return "", false // OpenAI's Assistants, whose messages are no conversation
	}
	for _, known := range []struct {
		suffix  string
		dialect plimsoll.Dialect
	}{
		{"/chat/completions", plimsoll.OpenAI},
		{"/responses", plimsoll.Responses},
		{"/responses/compact", plimsoll.Responses},
		{"/messages", plimsoll.Anthropic},
		{":generateContent", plimsoll.Gemini},
		{":streamGenerateContent", plimsoll.Gemini},
	} {
		if strings.HasSuffix(path, known.suffix) {
			return known.dialect, true
		}
	}
	return "", false
}

// FromBody returns the dialect that a request body is written in. It looks at
// the members of the object, and at the messages only where OpenAI and Anthropic
// must be told apart.
func FromBody(body []byte) (plimsoll.Dialect, bool) {
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		return "", false
	}
	h := hints{body: body}
	for key := range s.Members() {
		h.member(s, rawjson.View(key))
	}
	if s.End() != nil {
		return "", false
	}
	return h.dialect()
}

// hints are what tells the dialects apart.
type hints struct {
	body                      []byte
	contents, input, messages bool
	anthropic, openAI         bool
	// claude says that the model is named as only Anthropic names it; gateways
	// that speak OpenAI's dialect put a provider in front.
	claude bool
	// thinking is Anthropic's, but servers that speak OpenAI's dialect take it
	// too; roles says that there are some that Anthropic does not know.
	thinking, roles bool
}

func (h *hints) member(s *rawjson.Scanner, key string) {
	switch key {
	case "contents":
		h.contents = s.Peek() == '['
	case "input":
		h.input = true
	case "messages":
		h.messages = s.Peek() == '['
		if h.messages {
			h.inMessages(s)
		}
	case "model":
		if t, ok := s.String(); ok {
			h.claude = strings.HasPrefix(string(t.Raw(h.body)), "claude")
		}
	case "thinking":
		h.thinking = true
	case "system", "anthropic_version", "stop_sequences", "context_management", "mcp_servers":
		h.anthropic = true
	case "max_completion_tokens", "response_format", "stream_options", "parallel_tool_calls", "logit_bias", "reasoning_effort", "n", "seed":
		h.openAI = true
	case "tools":
		h.inTools(s)
	}
}

// inMessages looks for what only one of the two writes: content blocks with
// tool_use, tool_result or thinking; tool roles and tool_calls.
func (h *hints) inMessages(s *rawjson.Scanner) {
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "tool_calls", "tool_call_id", "function_call":
				h.openAI = true
			case "content":
				h.inContent(s)
			case "role":
				if t, ok := s.String(); ok {
					h.role(string(t.Raw(h.body)))
				}
			}
		}
	}
}

func (h *hints) role(name string) {
	h.roles = h.roles || name == "system" || name == "developer" || name == "tool"
}

func (h *hints) inContent(s *rawjson.Scanner) {
	eachKey(s, func(key string) {
		switch key {
		case "tool_use_id", "input", "thinking", "source", "signature":
			h.anthropic = true
		case "image_url", "input_audio":
			h.openAI = true
		}
	})
}

func (h *hints) inTools(s *rawjson.Scanner) {
	eachKey(s, func(key string) {
		switch key {
		case "input_schema":
			h.anthropic = true
		case "function":
			h.openAI = true
		}
	})
}

// eachKey goes through the keys of the objects in a list.
func eachKey(s *rawjson.Scanner, visit func(key string)) {
	if s.Peek() != '[' {
		return
	}
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			visit(rawjson.View(key))
		}
	}
}

// dialect decides. A body with messages and no hint is taken for OpenAI's, which
// most tools write.
func (h *hints) dialect() (plimsoll.Dialect, bool) {
	switch {
	case h.contents:
		return plimsoll.Gemini, true
	case h.messages && (h.anthropic || h.claude || h.thinking && !h.roles) && !h.openAI:
		return plimsoll.Anthropic, true
	case h.messages:
		return plimsoll.OpenAI, true
	case h.input:
		return plimsoll.Responses, true
	}
	return "", false
}
