// Package responses speaks OpenAI's Responses API.
//
// The elements of "input" are items, and each item is a message of the
// conversation: what a user or the assistant says, a call, its output, a piece of
// reasoning. A request may also be a continuation: with previous_response_id the
// beginning of the conversation is on the server, and [Rebuild] puts it back when
// an edit needs it. Items and fields that this package does not know are carried
// as they are. It knows the format and nothing else: no transport, no policy.
package responses

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes Responses. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Responses].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Responses }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Responses, d.layout, d.writer), nil
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{
		scanner:  build.NewScanner(plimsoll.Responses, body),
		layout:   l,
		writer:   &writer{layout: l},
		thoughts: &thoughts{body},
		late:     map[string]lateCall{},
		shells:   map[string]string{},
	}
}

var traits = wire.Traits{
	Name: "responses", Paths: []string{"/responses", "/responses/compact"}, Version: "/v1", VersionInBase: true,
	Messages: "input", SystemInMessages: true, Chained: true,
	NoCalls: wire.Member{Key: "tool_choice", Value: `"none"`},
	Model:   "gpt-4o", Provider: "openai", Operation: "chat",
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Recognises reports whether a body has an input, or the name of a prompt that the server
// has, and no list of messages.
func (Codec) Recognises(body []byte) bool {
	return (build.HasMember(body, "input", 0) || build.HasMember(body, "prompt", '{')) && !build.HasMember(body, "messages", '[')
}

// Headers returns the key.
func (Codec) Headers(key string) map[string]string { return build.Bearer(key) }

// Offerable reports false for a request that goes on from an answer which the server
// keeps: with hidden rounds the server would get twice what was said.
func (Codec) Offerable(r *wire.Request) bool {
	for key, value := range r.Members() {
		if (key == "previous_response_id" || key == "conversation") && string(value) != "null" {
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
