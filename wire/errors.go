package wire

import (
	"errors"
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

// Broken returns the error for a body that is no JSON.
func Broken(d plimsoll.Dialect, err error) *DecodeError {
	e := &DecodeError{Dialect: d, Err: err}
	var syntax *rawjson.SyntaxError
	if errors.As(err, &syntax) {
		e.Offset, e.Expected = syntax.Offset, syntax.Expected
	}
	return e
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
