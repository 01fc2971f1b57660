package build

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// ContextFull is the code of an error for a conversation that does not fit.
const ContextFull = "context_length_exceeded"

// Refusal returns what Error of a [wire.Codec] needs of an error: its text and its hint.
// A conversation that does not fit has status 400, as from every API, and the words by
// which agents recognise an overflow.
func Refusal(err error) (status int, code, message string) {
	c := plimsoll.CodeOf(err)
	status, code, message = c.HTTPStatus(), string(c), err.Error()
	if c == plimsoll.CodeOverLimit {
		status, code = 400, ContextFull
		if !strings.Contains(message, "maximum context length") {
			message = "This model's maximum context length is exceeded: " + message
		}
	}
	if hint := plimsoll.HintOf(err); hint != "" {
		message += " (" + hint + ")"
	}
	return status, code, message
}

// OpenAIError renders an error as OpenAI's APIs do. List names the member that is too
// long if the conversation does not fit.
func OpenAIError(list string, status int, code, message string) []byte {
	kind := "invalid_request_error"
	if status >= 500 {
		kind = "server_error"
	}
	var param any
	if code == ContextFull {
		param = list
	}
	body, _ := json.Marshal(map[string]any{"error": map[string]any{ // strings alone cannot fail
		"message": message, "type": kind, "param": param, "code": code,
	}})
	return body
}

// Bearer returns the header with a key that most APIs take; none without a key.
func Bearer(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"Authorization": "Bearer " + key}
}
