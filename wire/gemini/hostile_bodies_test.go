package gemini_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/wire/gemini"
	"github.com/plimsoll/plimsoll/wire/wiretest"
)

// It measures what the whole process allocates, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, gemini.Codec{}, `{"contents":[MESSAGES{"role":"user","parts":[PARTS]}]MEMBERS}`,
		`{"parts":[{"text":""}]},`, `{"text":""},`)
}
