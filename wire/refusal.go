package wire

import (
	"encoding/json"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// RefusalText is what a user reads when we refuse: the error and its hint. For a
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
