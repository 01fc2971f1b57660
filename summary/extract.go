package summary

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Extract writes summaries without a model. It takes the goal and the rules from the
// user's sentences. It takes files, commands and errors from calls and results. It adds
// the newest plan and the assistant's sentences with the most content. The same request
// gives the same summary. The zero Extract is ready to use. It is safe for concurrent
// use.
//
// Tool results are data. Only names, and error lines inside a fence, get from them into a
// summary. Extract drops a sentence of the assistant that repeats a result.
type Extract struct{}

var _ Summarizer = Extract{}

// Name returns "extract".
func (Extract) Name() string { return "extract" }

// Summarize writes the summary. It fails only if there is nothing to summarise, the
// budget has no room for the sections, or the context is done.
func (e Extract) Summarize(ctx context.Context, r *Request) (Summary, error) {
	if err := ctx.Err(); err != nil {
		return Summary{}, err
	}
	d := newDigest(r.Conversation, r.Old)
	d.continueFrom(r.Previous)
	d.require(r.Required)
	if d.empty() {
		return Summary{}, fmt.Errorf("extract messages %d to %d: %w", r.Old.Start, r.Old.End, errEmpty)
	}
	s, ok := d.within(r.Format, r.Budget, r.Count)
	if !ok {
		return Summary{}, &plimsoll.Error{
			Op: "extract a summary", Code: plimsoll.CodeInvalid,
			Err:  fmt.Errorf("a budget of %d tokens has no room for its sections: %w", r.Budget, errEmpty),
			Hint: "give the summary at least 200 tokens",
		}
	}
	s.By = e.Name()
	if r.Progress != nil {
		r.Progress(1, 1)
	}
	return s, nil
}
