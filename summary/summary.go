// Package summary writes the summaries that replace old messages of a conversation. A
// model's summary keeps the intent but loses names. So [WriteLedger] lists the
// identifiers that the agent works with, without a model. [Extract] writes a summary
// without a model, so it always can. [Chain] asks a model, checks and repairs what it
// wrote, and falls back to Extract.
//
// The package knows no API: package remote asks models over HTTP.
package summary

import (
	"context"
	"errors"
	"net/http"

	"github.com/plimsoll/plimsoll"
)

// Summarizer writes summaries. It is safe for concurrent use.
type Summarizer interface {
	// Name returns its name in reports: "extract", "openai:gpt-4o-mini".
	Name() string
	// Summarize writes a summary of the old part. It does not change the request.
	// Callers check what it returns.
	Summarize(ctx context.Context, r *Request) (Summary, error)
}

// Sender sends the body of a request for a model to the server of a conversation, as the
// client of the conversation does: with its credentials, in its dialect.
type Sender func(ctx context.Context, model string, body []byte) (*http.Response, error)

// Format says which sections a summary has.
type Format int

const (
	// Snapshot is a <state_snapshot> with five sections.
	Snapshot Format = iota
	// Retained is a <retain> section, which may be empty, and a <summary>.
	Retained
)

// Request asks for a summary.
type Request struct {
	// Conversation is the whole conversation as the caller would send it.
	Conversation plimsoll.Conversation
	// Old is the span of messages that the summary will replace and that Previous does
	// not cover. The instructions before it and the tail after it stay.
	Old plimsoll.Span
	// Sent returns a new draft of the conversation as it was last sent, with the
	// earlier checkpoint if there is one. Nil means that Conversation was sent
	// unchanged.
	Sent func() *plimsoll.Draft
	// Encode writes a draft of the conversation as a request body in its own dialect. So
	// a request for a summary can share its prefix with the caller's. Nil means that
	// there is no body.
	Encode func(*plimsoll.Draft) ([]byte, error)
	// Ask sends to the conversation's own server; nil if there is none. Only summarisers
	// that are made for it use it. Window is how many tokens the conversation's own model
	// takes there, with the answer; 0 if that is not known.
	Ask    Sender
	Window int
	// Previous is the summary of an earlier checkpoint; empty if there is none. The
	// summariser updates it with the old part and does not summarise it again.
	Previous Summary
	// Format of the summary.
	Format Format
	// Prompt is the prompt for a model; zero fields mean the defaults.
	Prompt Prompt
	// Budget is the most tokens that the summary may have; at least 1.
	Budget int
	// Output is the most tokens that a model may write for it; 0 means [OutputTokens].
	Output int
	// Count counts tokens as the conversation's meter does.
	Count func(text string) int
	// Required are texts that the summary must name; see [Required].
	Required []string
	// Whole sends the whole conversation with the question, also what stays, and no tools,
	// whichever model of the dialect is asked.
	Whole bool
	// Progress, if not nil, is called after each chunk with the numbers of chunks.
	Progress func(done, all int)
	// Bare asks for a plain request: the old part as one text, without tools and without
	// the caller's prefix. Retries and chunks of the old part use it.
	Bare bool
}

// Prompt is the prompt for a model that writes a summary.
type Prompt struct {
	// System replaces the instructions of the conversation; empty leaves them, so that
	// the prompt cache has the prefix.
	System string
	// Ask is the message at the end; empty means the default of the format.
	Ask string
	// Retain asks for what the summary must retain word for word; only for [Retained].
	// Empty asks for nothing.
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
	// Usage is what Model billed for it; empty if none was asked.
	Usage plimsoll.Usage `json:"usage"`
	Model string         `json:"model,omitempty"`
	// Notes tell people what was tried and repaired.
	Notes []string `json:"notes,omitempty"`
}

// errEmpty says that a summariser wrote nothing that can be used.
var errEmpty = errors.New("the summary is empty")

// sections lists the sections of a [Snapshot] in order.
func sections() []string {
	return []string{"overall_goal", "key_knowledge", "file_system_state", "recent_actions", "current_plan"}
}
