package summary

import (
	"time"

	"github.com/plimsoll/plimsoll"
)

// Failure is why a summariser wrote no summary, and what may help.
type Failure struct {
	Remedy Remedy
	// After is how long the other side asks to be left alone; only for [RemedyWait].
	After time.Duration
	// Limit is how many tokens fit, if the other side said so; only for
	// [RemedySmaller].
	Limit int
	// Usage is what was billed all the same.
	Usage plimsoll.Usage
	// Err is the cause.
	Err error
}

// Remedy is what may help against a failure.
type Remedy int

const (
	// RemedyBare: to ask in the plainest form. It is the zero Remedy, and the one
	// for errors that are no [Failure].
	RemedyBare Remedy = iota
	// RemedyWait: to ask the same a little later.
	RemedyWait
	// RemedySmaller: to ask for less at a time; see [Fold].
	RemedySmaller
	// RemedyNone: nothing that a program can do.
	RemedyNone
)

// Error returns the cause.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
