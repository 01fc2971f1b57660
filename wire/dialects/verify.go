package dialects

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// InvalidError says that the API would refuse an edited request for something that
// it could not refuse the original for.
type InvalidError struct{ Violations []wire.Violation }

// Error names the first violation.
func (e *InvalidError) Error() string {
	text := fmt.Sprintf("the API would refuse it: %s", e.Violations[0])
	if more := len(e.Violations) - 1; more > 0 {
		text += fmt.Sprintf(" and %d more", more)
	}
	return text
}

// Unwrap returns [plimsoll.ErrInvalid].
func (e *InvalidError) Unwrap() error { return plimsoll.ErrInvalid }

// ResultsOfHeldCalls lists the messages with results of calls that the provider holds:
// the call is not in the request, and need not be.
func ResultsOfHeldCalls(r *wire.Request) []int {
	if !r.Continues() {
		return nil
	}
	var answers []int
	for _, at := range r.Outline().Orphans {
		answers = append(answers, at.Message)
	}
	return answers
}

// Verify reads the edited body of a request and returns an [InvalidError] if the edits
// broke a rule of the API. The API itself says what was wrong with the original. A nil
// body means that nothing was edited.
func Verify(r *wire.Request, body []byte) error {
	if body == nil {
		return nil
	}
	edited, err := Codec(r.Dialect()).Decode(body)
	if err != nil {
		return err
	}
	before := map[string]int{}
	for _, v := range wire.Check(r) {
		before[v.Rule]++
	}
	var fresh []wire.Violation
	for _, v := range wire.CheckEdited(r, edited) {
		if before[v.Rule]--; before[v.Rule] < 0 {
			fresh = append(fresh, v)
		}
	}
	if outside := ResultsOfHeldCalls(r); len(ResultsOfHeldCalls(edited)) < len(outside) {
		fresh = append(fresh, wire.Violation{
			Rule: wire.RuleNoResult, Message: outside[0], Part: -1, Text: "a call that the API holds would have no result",
		})
	}
	if len(fresh) > 0 {
		return &InvalidError{fresh}
	}
	return nil
}
