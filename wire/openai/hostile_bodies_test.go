package openai_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/wire/openai"
	"github.com/plimsoll/plimsoll/wire/wiretest"
)

// It measures what the whole process allocates, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, openai.Codec{}, `{"messages":[MESSAGES{"role":"user","content":[PARTS]}]MEMBERS}`,
		`{"role":"user","content":""},`, `{"type":"text","text":""},`)
}
