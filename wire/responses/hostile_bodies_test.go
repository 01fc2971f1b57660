package responses_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/wire/responses"
	"github.com/plimsoll/plimsoll/wire/wiretest"
)

// It measures what the whole process allocates, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, responses.Codec{}, `{"input":[MESSAGES{"role":"user","content":[PARTS]}]MEMBERS}`,
		`{"role":"user","content":""},`, `{"type":"input_text","text":""},`)
}
