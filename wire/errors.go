package wire

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// DecodeError says why a body could not be read.
type DecodeError struct {
	Dialect plimsoll.Dialect
	// Offset in the body.
	Offset int
	// Path of the value, such as "messages[3].content".
	Path string
	// Expected says what should stand there.
	Expected string
	// Err is the cause; may be nil.
	Err error
}

// Error describes the place and what was expected.
func (e *DecodeError) Error() string {
	at := fmt.Sprintf("byte %d", e.Offset)
	if e.Path != "" {
		at = e.Path + " at " + at
	}
	if e.Err != nil {
		return fmt.Sprintf("%s request: %s: %v", e.Dialect, at, e.Err)
	}
	return fmt.Sprintf("%s request: %s: expected %s", e.Dialect, at, e.Expected)
}

// Unwrap makes the error a [plimsoll.ErrInvalid] and keeps its cause.
func (e *DecodeError) Unwrap() []error {
	if e.Err != nil {
		return []error{plimsoll.ErrInvalid, e.Err}
	}
	return []error{plimsoll.ErrInvalid}
}

// APIError is an error as a provider reports it.
type APIError struct {
	// Status of the HTTP answer; 0 in the middle of a stream.
	Status int
	// Type and Code as the provider names them.
	Type, Code string
	Message    string
	// PromptTokens and ContextSize are figures that llama.cpp puts beside its message; 0
	// from everybody else.
	PromptTokens, ContextSize int
}

// Error returns the provider's message.
func (e *APIError) Error() string {
	kind := e.Code
	if kind == "" {
		kind = e.Type
	}
	return fmt.Sprintf("%d %s: %s", e.Status, kind, e.Message)
}

// ParseAPIError reads the value of an "error" member in any of the forms that
// providers use: an object with type, code, status and message, or a bare text.
// OpenRouter puts what its provider said beside a message of its own; both are the
// message here. ParseAPIError returns nil for null and nothing.
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
		Meta    json.RawMessage `json:"metadata"`
	}
	if json.Unmarshal(raw, &object) != nil {
		return &APIError{Message: string(raw)}
	}
	e := &APIError{Type: object.Type, Message: object.Message, PromptTokens: object.Prompt, ContextSize: object.Context}
	if e.Type == "" {
		e.Type = object.Status
	}
	if raw := rawjson.Member(object.Meta, "raw"); rawjson.IsString(raw) {
		e.Message += ": " + rawjson.Unquoted(raw)
	} else if rawjson.IsObject(raw) {
		e.Message += ": " + string(raw)
	}
	var status int
	switch {
	case json.Unmarshal(object.Code, &status) != nil:
		_ = json.Unmarshal(object.Code, &e.Code)
	case status < 600:
		e.Status = status
	default: // a number of the provider's own
		e.Code = string(object.Code)
	}
	return e
}
