package fit

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Hooks hear of compactions. Package hook makes them of commands and
// addresses.
type Hooks struct {
	// PreCompress are asked, in order, before a compaction that is about to be made.
	// The first veto ends it. An error of a hook is noted, and is no veto.
	PreCompress []func(context.Context, PreCompress) (Verdict, error)
	// PostCompress hear what became of it, once everything is stored.
	PostCompress []func(context.Context, ChatCompressed) error
}

// PreCompress says what is about to be compacted.
type PreCompress struct {
	Trigger      Trigger
	Conversation plimsoll.Conversation
	// Old is the span that would be replaced.
	Old plimsoll.Span
	// Before is the load, Line where it should be.
	Before int
	Line   plimsoll.Line
}

// Verdict is what a hook says about a compaction.
type Verdict struct {
	// Veto is why there must be none; empty if it may go on.
	Veto string
	// Directives are added to what a model is asked.
	Directives []string
}

// Event is something that a user may want to see: [ChatCompressed],
// [CompressionProgress] or [CountDrift].
type Event interface{ event() }

// ChatCompressed says what became of a compaction.
type ChatCompressed struct {
	Trigger  Trigger
	Status   CompressionStatus
	Reason   string
	Model    string
	Dialect  plimsoll.Dialect
	Messages int
	// Old is the span that was replaced.
	Old plimsoll.Span
	// Before and After are the loads.
	Before, After int
	Line          plimsoll.Line
	// Ref is where the old messages can be read; nil without an archive.
	Ref      *plimsoll.Ref
	By       string
	Usage    plimsoll.Usage
	Cost     float64
	Duration time.Duration
	// Notes say what summarisers and hooks did.
	Notes []string
}

// CompressionProgress says how far a compaction is.
type CompressionProgress struct {
	// Done of All steps; All is 0 while that is unknown.
	Done, All int
	// Waiting says that a request waits for it.
	Waiting bool
}

func (ChatCompressed) event()      {}
func (CompressionProgress) event() {}
