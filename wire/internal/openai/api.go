package openai

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

var traits = wire.Traits{
	Name: "chat", Paths: []string{"/chat/completions"}, Version: "/v1", VersionInBase: true,
	Messages: "messages", SystemInMessages: true,
	NoCalls: wire.Member{Key: "tool_choice", Value: `"none"`},
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Recognises reports whether a body has a list of messages.
func (Codec) Recognises(body []byte) bool { return wire.HasMember(body, "messages", '[') }

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
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	var param any
	if code == wire.ContextFull {
		param = "messages"
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]any{ // strings alone cannot fail
		"message": message, "type": kind, "param": param, "code": code,
	}})
	return body
}

// Refusal renders an error. A conversation that does not fit becomes
// context_length_exceeded, which SDKs and agents recognise.
func (c Codec) Refusal(err error) (int, []byte) {
	status, code, message := wire.Refusal(err)
	return status, c.Error(status, code, message)
}
