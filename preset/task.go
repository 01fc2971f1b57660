package preset

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Task returns the task of fitting a request: what is left must be valid for its
// API, and a result whose call the provider holds must not go.
func Task(r *wire.Request) fit.Task {
	return fit.Task{
		Conversation: r.Conversation(),
		Keep:         dialects.ResultsOfHeldCalls(r),
		Raw:          r.Raw,
		Chain:        r.Chain,
		Encode:       r.Encode,
		Parse:        func(list []byte) ([]plimsoll.Message, error) { return dialects.Messages(r.Dialect(), list) },
		Check:        func(_ *plimsoll.Draft, body []byte) error { return dialects.Verify(r, body) },
	}
}

// Restore replaces the checkpoint that names the reference by the archived messages, a
// JSON list as [fit.SpanOf] returns it. Everything else keeps its bytes.
func Restore(r *wire.Request, ref string, list []byte) ([]byte, error) {
	span, ok := summary.CheckpointSpan(r.Conversation(), ref)
	if !ok {
		return nil, &plimsoll.Error{
			Op: "undo", Err: fmt.Errorf("no checkpoint with ref=%s in this request: %w", ref, plimsoll.ErrNotFound),
			Hint: "name the reference that the checkpoint or its receipt carries",
		}
	}
	return dialects.Restore(r, span, list)
}
