package summary

import (
	"time"

	"github.com/plimsoll/plimsoll"
)

// Failure says why a summariser wrote no summary, and what may help.
type Failure struct {
	Remedy Remedy
	// After is how long the provider asks to wait; only for [RemedyWait].
	After time.Duration
	// Limit is how many tokens fit, if the provider said so; only for
	// [RemedySmaller].
	Limit int
	// Usage is what the provider billed for the failed request.
	Usage plimsoll.Usage
	// Err is the cause.
	Err error
}

// Remedy is what may help against a failure.
type Remedy int

const (
	// RemedyBare means to send a bare request. It is the zero Remedy, and the one for
	// errors that are not a [Failure].
	RemedyBare Remedy = iota
	// RemedyWait means to send the same request later.
	RemedyWait
	// RemedySmaller means to send less at a time; see [Fold].
	RemedySmaller
	// RemedyNone means that a program cannot help.
	RemedyNone
)

// Error returns the cause.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
