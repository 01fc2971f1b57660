package anthropic_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/anthropic"
)

// It measures what the whole process has in use, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, anthropic.Codec{}, wiretest.Elements{
		Template: `{"messages":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"tools":[TOOLS]MEMBERS}`,
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
		Crowds: map[string][]string{
			"MESSAGES": {
				`{"role":"user","content":"x"},`,
				`{"role":"user","content":"ok"},`,
				`{"role":"user","content":"#"},`,
				`{"role":"user","content":"x"},{"role":"assistant","content":"y"},`,
				`{"role":"assistant","content":[{"type":"tool_use","id":"c#","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c#","content":"ok"}]},`,
				`{"role":"assistant","content":[{"type":"thinking","thinking":"","signature":"x"},{"type":"tool_use","id":"c#","name":"ls","input":{}}]},{"role":"user","content":[{"type":"tool_result","tool_use_id":"c#","content":"ok"}]},`,
				`{"role":"assistant","content":[{"type":"server_tool_use","id":"s#","name":"web_search","input":{}},{"type":"web_search_tool_result","tool_use_id":"s#","content":[]}]},`,
			},
			"PARTS": {`{"type":"text","text":"x"},`},
			"TOOLS": {`{"name":"f#","input_schema":{"type":"object"}},`},
		},
	})
}
