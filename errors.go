package plimsoll

import (
	"errors"
	"strings"
)

// Sentinels to test for with [errors.Is].
var (
	// ErrNotFound: the thing that was asked for does not exist, has expired or
	// belongs to another tenant.
	ErrNotFound = errors.New("not found")
	// ErrOverLimit: the conversation does not fit and cannot be made to.
	ErrOverLimit = errors.New("over the limit")
	// ErrUnknownModel: no limit is known for the model.
	ErrUnknownModel = errors.New("unknown model")
	// ErrInvalid: the input is not what it must be.
	ErrInvalid = errors.New("invalid input")
	// ErrSeparated: an edit would part a tool call from its result.
	ErrSeparated = errors.New("would separate a tool call from its result")
	// ErrUnsupported: the input is valid, but this version cannot do it.
	ErrUnsupported = errors.New("not supported")
)

// Code classifies an error for the outside world.
type Code string

// The codes. The zero code is internal.
const (
	CodeInternal     Code = "internal"
	CodeInvalid      Code = "invalid"
	CodeNotFound     Code = "not_found"
	CodeOverLimit    Code = "over_limit"
	CodeTooLarge     Code = "too_large"
	CodeUnknownModel Code = "unknown_model"
	CodeUnsupported  Code = "unsupported"
	CodeUnavailable  Code = "unavailable"
)

// HTTPStatus returns the status that a server answers with.
func (c Code) HTTPStatus() int {
	switch c {
	case CodeInvalid, CodeUnknownModel, CodeUnsupported:
		return 400
	case CodeNotFound:
		return 404
	case CodeOverLimit, CodeTooLarge:
		return 413
	case CodeUnavailable:
		return 503
	default:
		return 500
	}
}

// ExitStatus returns the status that a command ends with: 2 for input that the
// user can correct, 3 for a conversation that does not fit, 1 for the rest.
func (c Code) ExitStatus() int {
	switch c {
	case CodeInvalid, CodeUnknownModel, CodeUnsupported, CodeNotFound, CodeTooLarge:
		return 2
	case CodeOverLimit:
		return 3
	default:
		return 1
	}
}

// Error is an error as it leaves the program: what was done, what kind of
// failure it was, and what to do about it.
type Error struct {
	// Op is what was being done, such as "count notes.json".
	Op string
	// Code classifies the failure; empty means that it follows from Err.
	Code Code
	// Hint tells the user what to do next; may be empty.
	Hint string
	// Err is the cause.
	Err error
}

// Error returns the operation and the cause, without the hint.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Op != "" && e.Err != nil {
		b.WriteString(": ")
	}
	if e.Err != nil {
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap returns the cause.
func (e *Error) Unwrap() error { return e.Err }

// CodeOf returns the code of an error: the first one set in its chain, else the
// one that its sentinel implies, else [CodeInternal]. A nil error has no code.
func CodeOf(err error) Code {
	if err == nil {
		return ""
	}
	for e := err; e != nil; {
		var typed *Error
		if !errors.As(e, &typed) {
			break
		}
		if typed.Code != "" {
			return typed.Code
		}
		e = typed.Err
	}
	for _, s := range sentinelCodes {
		if errors.Is(err, s.err) {
			return s.code
		}
	}
	return CodeInternal
}

var sentinelCodes = [...]struct {
	err  error
	code Code
}{
	{ErrNotFound, CodeNotFound},
	{ErrOverLimit, CodeOverLimit},
	{ErrUnknownModel, CodeUnknownModel},
	{ErrInvalid, CodeInvalid},
	{ErrSeparated, CodeInvalid},
	{ErrUnsupported, CodeUnsupported},
}

// HintOf returns the first hint in the error's chain, or "".
func HintOf(err error) string {
	for err != nil {
		var typed *Error
		if !errors.As(err, &typed) {
			return ""
		}
		if typed.Hint != "" {
			return typed.Hint
		}
		err = typed.Err
	}
	return ""
}
