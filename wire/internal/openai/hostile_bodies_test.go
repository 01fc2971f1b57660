package openai_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

const template = `{"messages":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"tools":[TOOLS]MEMBERS}`

// TestWhatABodyTakesGrowsWithItsSize counts what the whole process allocates, so it does not run
// in parallel.
func TestWhatABodyTakesGrowsWithItsSize(t *testing.T) {
	wiretest.Hostile(t, openai.Codec{}, wiretest.Elements{
		Template: template,
		Messages: []string{
			`{"role":"user","content":""},`, `{"role":"assistant"},`, `{"role":"tool"},`, `{"role":"tool","tool_call_id":"a","content":[""]},`,
			`{"role":"assistant","tool_calls":[{"id":"a"}]},`, `{"role":"assistant","tool_calls":[{"id":"#","function":{"name":"#"}}]},`,
			`{"role":"tool","tool_call_id":"#"},`, `{"role":"assistant","function_call":{}},`, `{"role":"a"},`, `{"role":"\u0061"},`,
			`{"role":"assistant","reasoning":""},`, `{"role":"assistant","refusal":0},`, `{"role":"user","content":[{"type":"image_url","image_url":""}]},`,
		},
		Parts:  []string{`{"type":"text","text":""},`, `{"type":"image_url","image_url":""},`, `{"type":"a"},`, `{"\u0061":0},`},
		Fields: []string{`"content":"",`, `"content":[""],`, `"tool_calls":[{}],`, `"function_call":{},`, `"reasoning":"",`, `"refusal":0,`, `"name":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"name":"a"},`},
	})
}

// It counts what the whole process allocates, so it does not run in parallel.
func TestARealBodyAllocatesAtMostFourTimesItsSize(t *testing.T) {
	wiretest.Modest(t, openai.Codec{})
}

func TestMoreThanTwoHundredThousandMessagesPartsOrToolsAreRefused(t *testing.T) {
	t.Parallel()
	wiretest.Capped(t, openai.Codec{}, template, `{"role":"user","content":"x"},`, `{"type":"text","text":"x"},`, `{"type":"function","function":{"name":"f"}},`)
}
