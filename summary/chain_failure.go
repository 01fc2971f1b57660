package summary

import (
	"time"

	"github.com/plimsoll/plimsoll"
)

// Failure says why a summariser wrote no summary, and what may help. Without Final,
// Busy and TooLarge, a bare request may help, as after any other error.
type Failure struct {
	// Final means that asking again does not help.
	Final bool
	// Busy means that the same request may succeed later. After is how long the provider
	// asks to wait; 0 if it does not say.
	Busy  bool
	After time.Duration
	// TooLarge means that less at a time may succeed; see [Fold]. Limit is how many tokens
	// fit; 0 if the provider does not say.
	TooLarge bool
	Limit    int
	// Usage is what Model billed for the failed request.
	Usage plimsoll.Usage
	Model string
	// Err is the cause.
	Err error
}

// Error returns the cause.
func (f *Failure) Error() string { return f.Err.Error() }

// Unwrap returns the cause.
func (f *Failure) Unwrap() error { return f.Err }
