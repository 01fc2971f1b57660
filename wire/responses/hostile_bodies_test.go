package responses_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/responses"
)

// It measures what the whole process has in use, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, responses.Codec{}, wiretest.Elements{
		Template: `{"input":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"tools":[TOOLS]MEMBERS}`,
		Messages: []string{
			`{"role":"user","content":""},`, `{"role":"a"},`, `{"role":"\u0061"},`, `{"id":"a"},`, `{"id":"rs_"},`, `{"type":"reasoning"},`, `{"type":"a"},`,
			`{"type":"function_call"},`, `{"type":"function_call","call_id":"a"},`, `{"type":"function_call_output"},`, `{"type":"local_shell_call","id":"#"},`,
			`{"type":"function_call","call_id":"#"},{"type":"function_call_output","call_id":"#"},`, `{"id":"#"},`, `{"type":"function_call","call_id":"#","name":"#"},`,
			`{"type":"program","call_id":"#"},`, `{"type":"program","call_id":"a"},{"type":"program_output","call_id":"a"},`, `{"type":"shell_call_output","output":[{"stdout":"a"}]},`,
		},
		Parts:  []string{`{"type":"input_text","text":""},`, `{"type":"input_image","image_url":""},`, `{"type":"a"},`, `{"text":""},`, `{"\u0061":0},`},
		Fields: []string{`"content":"",`, `"summary":"",`, `"output":"",`, `"output":[0],`, `"content":[{}],`, `"name":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"type":"function","name":"a"},`},
		Crowds: map[string][]string{
			"MESSAGES": {
				`{"role":"user","content":"x"},`,
				`{"role":"user","content":"ok"},`,
				`{"role":"user","content":"#"},`,
				`{"role":"user","content":"x"},{"role":"assistant","content":"y"},`,
				`{"type":"message","id":"msg_#","role":"user","content":[{"type":"input_text","text":"x"}]},`,
				`{"type":"function_call","call_id":"c#","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"c#","output":"ok"},`,
				`{"type":"reasoning","id":"rs_#","summary":[],"encrypted_content":"x"},{"type":"function_call","id":"fc_#","call_id":"c#","name":"ls","arguments":"{}"},{"type":"function_call_output","call_id":"c#","output":"ok"},`,
			},
			"PARTS": {`{"type":"input_text","text":"x"},`},
			"TOOLS": {`{"type":"function","name":"f#"},`},
		},
	})
}
