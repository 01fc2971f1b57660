package responses

import (
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

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
func (Codec) Headers(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}

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
