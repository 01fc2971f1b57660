package responses

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll/wire"
)

var traits = wire.Traits{
	Name: "responses", Paths: []string{"/responses", "/responses/compact"}, Version: "/v1", VersionInBase: true,
	Messages: "input", SystemInMessages: true, Chained: true,
	NoCalls: wire.Member{Key: "tool_choice", Value: `"none"`},
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Recognises reports whether a body has an input and no list of messages.
func (Codec) Recognises(body []byte) bool {
	return wire.HasMember(body, "input", 0) && !wire.HasMember(body, "messages", '[')
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
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	var param any
	if code == wire.ContextFull {
		param = "input"
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
