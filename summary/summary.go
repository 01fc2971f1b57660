// Package summary writes what stands in a conversation in the place of its old
// messages. A summary that a model writes keeps the intent and loses the names, so
// it never stands alone: a ledger made without a model keeps the identifiers that
// the agent works with, [Extract] can always write a summary, and [Chain] joins
// them, checks what a model wrote and adds what it forgot.
//
// The package knows no API: package remote asks models over HTTP.
package summary

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
)

// Summarizer writes summaries. It is safe for concurrent use.
type Summarizer interface {
	// Name is the word for it in reports: "extract", "openai:gpt-4o-mini".
	Name() string
	// Summarize writes a summary of the old part. It changes nothing of the
	// request. What it returns is not trusted: callers check it.
	Summarize(ctx context.Context, r *Request) (Summary, error)
}

// Format says which sections a summary has.
type Format int

const (
	// Snapshot is a <state_snapshot> with the five sections of sections.
	Snapshot Format = iota
	// Retained is a <retain> section, which may be empty, and a <summary>.
	Retained
)

// Request is what a summariser is asked for.
type Request struct {
	// Conversation as the caller would send it, whole.
	Conversation plimsoll.Conversation
	// Old is the span of its messages that the summary will replace and that
	// Previous does not know yet. Instructions before it and the tail behind it
	// stay.
	Old plimsoll.Span
	// Sent returns a new draft of the conversation as it was last sent: with the
	// earlier checkpoint in it, if there is one. Nil means that it was sent as it
	// is.
	Sent func() *plimsoll.Draft
	// Encode writes a draft of the conversation as a request body in the
	// conversation's own dialect, so that a request for a summary can share its
	// prefix with the caller's. Nil means that there is no body.
	Encode func(*plimsoll.Draft) ([]byte, error)
	// Previous is the summary of an earlier checkpoint, to be brought up to date
	// with the old part, not to be summarised again; empty if there is none.
	Previous Summary
	// Format that is asked for.
	Format Format
	// Prompt is how a model is asked; zero fields mean the defaults.
	Prompt Prompt
	// Budget is the most tokens that the summary may have; at least 1.
	Budget int
	// Count counts tokens as the conversation's meter does.
	Count func(text string) int
	// Required are texts that the summary must name; see [Needs].
	Required []string
	// Progress, if not nil, is told how far a summary is: chunks done of all.
	Progress func(done, all int)
	// Bare asks for a plain request: the old part as one text, no tools, nothing
	// that is shared with the caller's. That is how a model is asked again, and how
	// it is asked for a part of the old part.
	Bare bool
}

// Prompt is how a model is asked for a summary.
type Prompt struct {
	// System replaces the instructions of the conversation; empty leaves them, so
	// that the prefix is shared.
	System string
	// Ask is the message at the end; empty means the default of the format.
	Ask string
	// Retain asks for what must be retained word for word; only for [Retained].
	// Empty means that nothing is.
	Retain string
	// SummaryDirectives and RetainDirectives are appended as bullets; they never
	// replace anything.
	SummaryDirectives, RetainDirectives []string
}

// Summary is what a summariser wrote.
type Summary struct {
	// Retain is the inside of <retain>, for [Retained].
	Retain string `json:"retain,omitempty"`
	// Text is the inside of <summary>, or the whole <state_snapshot> with its tags.
	Text string `json:"text"`
	// By is the name of the summariser that wrote it.
	By string `json:"by"`
	// Usage is what models billed for it.
	Usage plimsoll.Usage `json:"usage"`
	// Notes say what was tried and what was repaired, for people.
	Notes []string `json:"notes,omitempty"`
}

// ErrEmpty says that a summariser wrote nothing that can be used.
var ErrEmpty = errors.New("the summary is empty")

// sections lists the sections of a [Snapshot] in order.
func sections() []string {
	return []string{"overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"}
}
