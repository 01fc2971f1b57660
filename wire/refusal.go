package wire

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// ContextFull is the code of an error for a conversation that does not fit.
const ContextFull = "context_length_exceeded"

// Refusal returns what [Codec.Error] needs of an error. A conversation that does not fit
// has status 400, as from every API.
func Refusal(err error) (status int, code, message string) {
	c := plimsoll.CodeOf(err)
	if c == plimsoll.CodeOverLimit {
		return 400, ContextFull, RefusalText(err)
	}
	return c.HTTPStatus(), string(c), RefusalText(err)
}

// RefusalText is what a user reads when Plimsoll refuses a request: the error and its hint. For a
// conversation that does not fit it contains the words by which agents recognise
// an overflow.
func RefusalText(err error) string {
	text := err.Error()
	if plimsoll.CodeOf(err) == plimsoll.CodeOverLimit && !strings.Contains(text, "maximum context length") {
		text = "This model's maximum context length is exceeded: " + text
	}
	if hint := plimsoll.HintOf(err); hint != "" {
		text += " (" + hint + ")"
	}
	return text
}

// ParseAPIError reads the value of an "error" member in any of the forms that
// providers use: an object with type, code, status and message, or a bare text.
// It returns nil for null and nothing.
func ParseAPIError(raw []byte) *APIError {
	if len(raw) == 0 || string(raw) == "null" {
		return nil
	}
	var text string
	if json.Unmarshal(raw, &text) == nil {
		return &APIError{Message: text}
	}
	var object struct {
		Type    string          `json:"type"`
		Status  string          `json:"status"`
		Message string          `json:"message"`
		Code    json.RawMessage `json:"code"`
		Prompt  int             `json:"n_prompt_tokens"`
		Context int             `json:"n_ctx"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return &APIError{Message: string(raw)}
	}
	e := &APIError{Type: object.Type, Message: object.Message, PromptTokens: object.Prompt, ContextSize: object.Context}
	if e.Type == "" {
		e.Type = object.Status
	}
	var status int
	if json.Unmarshal(object.Code, &status) == nil {
		e.Status = status
	} else {
		_ = json.Unmarshal(object.Code, &e.Code)
	}
	return e
}
