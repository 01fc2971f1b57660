package summary

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Extract writes summaries without a model: the user's own sentences for the goal and
// the rules, calls and results for files, commands and errors, the newest plan, and
// the sentences of the assistant that say most. The same request gives the same
// summary. The zero Extract is ready to use, and it is safe for concurrent use.
//
// Results of tools are data: of them only names, and error lines inside a fence,
// get into a summary, and a sentence of the assistant that repeats one does not.
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
