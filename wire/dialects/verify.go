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
	if len(fresh) > 0 {
		return &InvalidError{fresh}
	}
	return nil
}
