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

// Task returns the task of fitting a request: what is left must be valid for its
// API, and a result whose call the provider holds must not go.
func Task(r *wire.Request) plimsoll.Task {
	return plimsoll.Task{
		Conversation: r.Conversation(),
		Keep:         answersOutside(r),
		Raw:          r.Raw,
		Chain:        r.Chain,
		Encode:       r.Encode,
		Parse:        func(list []byte) ([]plimsoll.Message, error) { return messagesOf(r.Dialect(), list) },
		Check:        func(d *plimsoll.Draft) error { return Verify(r, d) },
	}
}

// answersOutside lists the messages with results of calls that the provider holds:
// those that have no call in the request, and nothing is wrong with that.
func answersOutside(r *wire.Request) []int {
	if !r.Continues() {
		return nil
	}
	var answers []int
	for _, at := range r.Outline().Orphans {
		answers = append(answers, at.Message)
	}
	return answers
}

// Verify writes the request with the edits of the draft, reads it again and returns
// an [InvalidError] if the edits broke a rule of the API. What was wrong with the
// original is left to the API to say.
func Verify(r *wire.Request, d *plimsoll.Draft) error {
	body, err := r.Encode(d)
	if err != nil {
		return err
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
	if outside := answersOutside(r); len(answersOutside(edited)) < len(outside) {
		fresh = append(fresh, wire.Violation{
			Rule: wire.RuleNoResult, Message: outside[0], Part: -1, Text: "a call that the API holds would have no result",
		})
	}
	if len(fresh) > 0 {
		return &InvalidError{fresh}
	}
	return nil
}
