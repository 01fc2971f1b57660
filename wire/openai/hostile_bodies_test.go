package openai_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/openai"
)

// It measures what the whole process has in use, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, openai.Codec{}, wiretest.Elements{
		Template: `{"messages":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"tools":[TOOLS]MEMBERS}`,
		Messages: []string{
			`{"role":"user","content":""},`, `{"role":"assistant"},`, `{"role":"tool"},`, `{"role":"tool","tool_call_id":"a","content":[""]},`,
			`{"role":"assistant","tool_calls":[{"id":"a"}]},`, `{"role":"assistant","tool_calls":[{"id":"#","function":{"name":"#"}}]},`,
			`{"role":"tool","tool_call_id":"#"},`, `{"role":"assistant","function_call":{}},`, `{"role":"a"},`, `{"role":"\u0061"},`,
			`{"role":"assistant","reasoning":""},`, `{"role":"assistant","refusal":0},`, `{"role":"user","content":[{"type":"image_url","image_url":""}]},`,
		},
		Parts:  []string{`{"type":"text","text":""},`, `{"type":"image_url","image_url":""},`, `{"type":"a"},`, `{"\u0061":0},`},
		Fields: []string{`"content":"",`, `"content":[""],`, `"tool_calls":[{}],`, `"function_call":{},`, `"reasoning":"",`, `"refusal":0,`, `"name":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"name":"a"},`},
		Crowds: map[string][]string{
			"MESSAGES": {
				`{"role":"user","content":"x"},`,
				`{"role":"user","content":"ok"},`,
				`{"role":"user","content":"#"},`,
				`{"role":"user","content":"x"},{"role":"assistant","content":"y"},`,
				`{"role":"user","content":"x\n"},`,
				`{"role":"assistant","content":"x","reasoning_content":"y"},`,
				`{"role":"assistant","tool_calls":[{"id":"c#","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"c#","content":"ok"},`,
			},
			"PARTS": {`{"type":"text","text":"x"},`},
			"TOOLS": {`{"type":"function","function":{"name":"f#"}},`},
		},
	})
}
