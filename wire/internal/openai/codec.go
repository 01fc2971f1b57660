// Package openai speaks OpenAI's Chat Completions and the many APIs that are
// compatible with it.
//
// Messages are elements of "messages"; system and developer messages stand among
// them. A tool result is a message of its own. Fields that this package does not
// know are carried as they are.
package openai

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes Chat Completions. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.OpenAI].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.OpenAI }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := decoder{
		scanner: build.NewScanner(plimsoll.OpenAI, body),
		layout:  &layout.Layout{Body: body},
		writer:  &writer{},
	}
	if err := d.request(); err != nil {
		return nil, err
	}
	d.writer.layout = d.layout
	return wire.NewRequest(plimsoll.OpenAI, d.layout, d.writer), nil
}

var traits = wire.Traits{
	Name: "chat", Paths: []string{"/chat/completions"}, Version: "/v1", VersionInBase: true,
	Messages: "messages", SystemInMessages: true,
	NoCalls: wire.Member{Key: "tool_choice", Value: `"none"`},
	Model:   "gpt-4o", Provider: "openai", Operation: "chat",
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Recognises reports whether a body has a list of messages.
func (Codec) Recognises(body []byte) bool { return build.HasMember(body, "messages", '[') }

// Headers returns the key.
func (Codec) Headers(key string) map[string]string { return build.Bearer(key) }

// Offerable reports false for a request of several answers, none of which could go on,
// and for one with functions in the old form, beside which there are no tools.
func (Codec) Offerable(r *wire.Request) bool {
	for key, value := range r.Members() {
		switch key {
		case "n":
			if n, ok := rawjson.NewScanner(value).Int(); ok && n > 1 {
				return false
			}
		case "functions", "function_call":
			return false
		}
	}
	return true
}

// Error renders an error.
func (Codec) Error(status int, code, message string) []byte {
	return build.OpenAIError(traits.Messages, status, code, message)
}

// Refusal renders an error. A conversation that does not fit becomes
// context_length_exceeded, which SDKs and agents recognise.
func (c Codec) Refusal(err error) (int, []byte) {
	status, code, message := build.Refusal(err)
	return status, c.Error(status, code, message)
}
