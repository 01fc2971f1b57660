package openai

import (
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

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
func (Codec) Headers(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}

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
