// Package ollama speaks the chat of Ollama's own API, /api/chat.
//
// Messages are elements of "messages"; system messages stand among them. Content is one
// text, and pictures stand beside it. A tool result is a message of its own. It may name
// its call by an id or by the tool, or not at all: then results answer the calls in their
// order. Arguments of calls are objects. "options" names the context window and the
// longest answer. An answer is streamed unless the request says otherwise, an object in
// each line. The server cuts a conversation that is longer than the window, and says
// nothing. Fields that this package does not know are carried as they are.
package ollama

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes /api/chat. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Ollama].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Ollama }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	l := &layout.Layout{Body: body, Stream: true}
	d := decoder{scanner: build.NewScanner(plimsoll.Ollama, body), layout: l, writer: &writer{layout: l}}
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Ollama, l, d.writer), nil
}

var traits = wire.Traits{
	Name: "ollama", Paths: []string{"/api/chat"}, Messages: "messages", SystemInMessages: true,
	Model: "llama3.2", Provider: "ollama", Operation: "chat",
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Headers returns the key, which only Ollama's own servers ask for.
func (Codec) Headers(key string) map[string]string { return build.Bearer(key) }

// Offerable reports false for a request that asks for JSON: the model is then kept from
// calling tools.
func (Codec) Offerable(r *wire.Request) bool {
	for key, value := range r.Members() {
		if key == "format" && string(value) != "null" && string(value) != `""` {
			return false
		}
	}
	return true
}

// Error renders an error. This API has no place for the code.
func (Codec) Error(_ int, _, message string) []byte {
	body, _ := json.Marshal(map[string]string{"error": message}) // a text cannot fail
	return body
}

// Refusal renders an error. A conversation that does not fit is refused in the words by
// which agents recognise it.
func (c Codec) Refusal(err error) (int, []byte) {
	status, code, message := build.Refusal(err)
	return status, c.Error(status, code, message)
}

// Recognises reports whether a body has messages as this API writes them: it has a member
// that OpenAI's Chat Completions does not have, and none of those that this API does not
// have. A body without any of them is taken for OpenAI's.
func (Codec) Recognises(body []byte) bool {
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		return false
	}
	h := hints{}
	for key := range s.Members() {
		switch string(key) {
		case "messages":
			if h.messages = s.Peek() == '['; h.messages {
				h.inMessages(s)
			}
		case "options":
			h.own = h.own || s.Peek() == '{'
		case "keep_alive", "format", "think":
			h.own = true
		case "max_tokens", "max_completion_tokens", "tool_choice", "response_format", "stream_options", "temperature", "n", "system":
			h.foreign = true
		}
	}
	return s.End() == nil && h.messages && (h.named || h.own && !h.texts) && !h.foreign
}

// hints are what tells this API from OpenAI's. Named says that a result has the name of
// its tool, and texts that arguments are texts, which are a mistake beside such a name.
type hints struct{ messages, own, foreign, named, texts bool }

func (h *hints) inMessages(s *rawjson.Scanner) {
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "content":
				h.foreign = h.foreign || s.Peek() == '['
			case "images":
				h.own = h.own || s.Peek() == '['
			case "thinking":
				h.own = h.own || s.Peek() == '"'
			case "tool_name":
				h.named = h.named || s.Peek() == '"'
			case "tool_calls":
				h.inCalls(s)
			}
		}
	}
}

// inCalls looks at arguments: Chat Completions writes a text, this API an object.
func (h *hints) inCalls(s *rawjson.Scanner) {
	if s.Peek() != '[' {
		return
	}
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			if string(key) != "function" || s.Peek() != '{' {
				continue
			}
			for key := range s.Members() {
				if string(key) == "arguments" {
					kind := s.Peek()
					h.own, h.texts = h.own || kind == '{', h.texts || kind == '"'
				}
			}
		}
	}
}
