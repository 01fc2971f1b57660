package anthropic_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
)

const template = `{"messages":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"tools":[TOOLS]MEMBERS}`

// TestWhatABodyTakesGrowsWithItsSize counts what the whole process allocates, so it does not run
// in parallel.
func TestWhatABodyTakesGrowsWithItsSize(t *testing.T) {
	wiretest.Hostile(t, anthropic.Codec{}, wiretest.Elements{
		Template: template,
		Messages: []string{
			`{"role":"user","content":""},`, `{"role":"assistant"},`, `{"role":"a"},`, `{"role":"\u0061"},`,
			`{"role":"assistant","content":[{"type":"tool_use","id":"a"}]},`, `{"role":"user","content":[{"type":"tool_result","content":""}]},`,
			`{"role":"assistant","content":[{"type":"thinking"}]},`, `{"role":"assistant","content":[{"type":"tool_use","id":"#","name":"#"}]},`,
			`{"role":"assistant","content":[{"type":"thinking","thinking":"#"}]},`, `{"role":"assistant","content":[{"type":"server_tool_use"}]},`,
		},
		Parts: []string{
			`{"type":"text","text":""},`, `{"type":"tool_use"},`, `{"type":"tool_result"},`, `{"type":"tool_result","content":[0]},`, `{"type":"thinking"},`,
			`{"type":"image","source":{"type":"url"}},`, `{"type":"a"},`, `{"cache_control":{}},`, `{"\u0061":0},`, `{"type":"mcp_tool_use"},`,
		},
		Fields: []string{`"content":"",`, `"content":[{}],`, `"role":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"name":"a"},`, `{"cache_control":{}},`},
	})
}

// It counts what the whole process allocates, so it does not run in parallel.
func TestARealBodyAllocatesAtMostFourTimesItsSize(t *testing.T) {
	wiretest.Modest(t, anthropic.Codec{})
}

func TestMoreThanTwoHundredThousandMessagesPartsOrToolsAreRefused(t *testing.T) {
	t.Parallel()
	wiretest.Capped(t, anthropic.Codec{}, template, `{"role":"user","content":"x"},`, `{"type":"text","text":"x"},`, `{"name":"f"},`)
}
