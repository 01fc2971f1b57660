package fit

import (
	"context"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/summary"
)

// CompressionStatus says what became of a compaction.
type CompressionStatus string

// The statuses. The words are those that programs which compact are known to use.
const (
	// Compressed: old messages were replaced by a checkpoint.
	Compressed CompressionStatus = "COMPRESSED"
	// CompressionFailedInflated: the new history would have been larger, so the old
	// one stays.
	CompressionFailedInflated CompressionStatus = "COMPRESSION_FAILED_INFLATED_TOKEN_COUNT"
	// CompressionFailedCount: the new history could not be counted, so the old one
	// stays.
	CompressionFailedCount CompressionStatus = "COMPRESSION_FAILED_TOKEN_COUNT_ERROR"
	// CompressionFailedEmpty: there was no summary, so the old history stays.
	CompressionFailedEmpty CompressionStatus = "COMPRESSION_FAILED_EMPTY_SUMMARY"
	// ContentTruncated: there was no summary; the history was made smaller by other
	// means.
	ContentTruncated CompressionStatus = "CONTENT_TRUNCATED"
	// CompressionNoop: nothing was done.
	CompressionNoop CompressionStatus = "NOOP"
)

// Failed reports whether a compaction was tried and left everything as it was.
func (s CompressionStatus) Failed() bool {
	return s == CompressionFailedInflated || s == CompressionFailedCount || s == CompressionFailedEmpty
}

// Trigger says who asked for a compaction.
type Trigger string

// The triggers.
const (
	// Manual: a person or a program asked for it.
	Manual Trigger = "manual"
	// Automatic: the load did.
	Automatic Trigger = "auto"
)

// Compactor is a rung that replaces old messages by a checkpoint.
type Compactor interface {
	Rung
	// Due reports whether its own trigger says that it must act now, and if not, why.
	Due(Reading) (due bool, why string)
	// Old returns what it would replace: a span that begins behind the leading
	// instructions and ends between rounds, empty if there is nothing to replace.
	Old(*Work, Target) plimsoll.Span
	// Checkpoint replaces the order's span in the work's draft. After an error the
	// caller rolls the draft back.
	Checkpoint(ctx context.Context, w *Work, o Order) (*summary.Checkpoint, error)
	// Slow reports whether it may have to wait for a model, so that it is worth
	// while to begin before it must.
	Slow(*Task) bool
}

// Reading is what a [Compactor] decides by.
type Reading struct {
	// Total is what was billed for the last call, or what the conversation weighs.
	Total int
	// Load of the conversation, message by message.
	Load         plimsoll.Load
	Line         plimsoll.Line
	Conversation plimsoll.Conversation
	// High is the keeper's high watermark.
	High int
}

// Order is what a [Compactor] is to do.
type Order struct {
	Old     plimsoll.Span
	Target  Target
	Trigger Trigger
	// Directives are added to what a model is asked.
	Directives []string
	// Progress, if not nil, hears how far a summary is.
	Progress func(done, all int)
}

// Compaction is what became of one.
type Compaction struct {
	Status  CompressionStatus `json:"status"`
	Trigger Trigger           `json:"trigger"`
	// Reason says why nothing was done or what failed. With [Compressed] it says why
	// no further checkpoint was made than the one that an earlier request was given.
	Reason string `json:"reason,omitempty"`
	// Before is the load of the original conversation, After that of the plan.
	Before int `json:"tokens_before"`
	After  int `json:"tokens_after"`
	// Checkpoint that was made, or nil.
	Checkpoint *summary.Checkpoint `json:"checkpoint,omitempty"`
	Duration   time.Duration       `json:"-"`
	// Cost in dollars of the summary; 0 if it is unknown or no model was asked.
	Cost float64 `json:"cost,omitempty"`
	// Plan has the edits; it can be sent whatever the status is.
	Plan *plimsoll.Plan `json:"-"`

	// old is the span that was to be replaced; left is After by the count that decides, if
	// that is another one; notes say which hooks failed; shared says that another request
	// made the checkpoint, and billed that a model was paid for.
	old            plimsoll.Span
	left           int
	notes          []string
	shared, billed bool
}
