package responses_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

const template = `{"input":[MESSAGES{FIELDS"role":"user","content":[PARTS]}],"tools":[TOOLS]MEMBERS}`

// TestWhatABodyTakesGrowsWithItsSize counts what the whole process allocates, so it does not run
// in parallel.
func TestWhatABodyTakesGrowsWithItsSize(t *testing.T) {
	wiretest.Hostile(t, responses.Codec{}, wiretest.Elements{
		Template: template,
		Messages: []string{
			`{"role":"user","content":""},`, `{"role":"a"},`, `{"role":"\u0061"},`, `{"id":"a"},`, `{"id":"rs_"},`, `{"type":"reasoning"},`, `{"type":"a"},`,
			`{"type":"function_call"},`, `{"type":"function_call","call_id":"a"},`, `{"type":"function_call_output"},`, `{"type":"local_shell_call","id":"#"},`,
			`{"type":"function_call","call_id":"#"},{"type":"function_call_output","call_id":"#"},`, `{"id":"#"},`, `{"type":"function_call","call_id":"#","name":"#"},`,
			`{"type":"program","call_id":"#"},`, `{"type":"program","call_id":"a"},{"type":"program_output","call_id":"a"},`, `{"type":"shell_call_output","output":[{"stdout":"a"}]},`,
		},
		Parts:  []string{`{"type":"input_text","text":""},`, `{"type":"input_image","image_url":""},`, `{"type":"a"},`, `{"text":""},`, `{"\u0061":0},`},
		Fields: []string{`"content":"",`, `"summary":"",`, `"output":"",`, `"output":[0],`, `"content":[{}],`, `"name":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"type":"function","name":"a"},`},
	})
}

// It counts what the whole process allocates, so it does not run in parallel.
func TestARealBodyAllocatesAtMostFourTimesItsSize(t *testing.T) {
	wiretest.Modest(t, responses.Codec{})
}

func TestMoreThanTwoHundredThousandMessagesPartsOrToolsAreRefused(t *testing.T) {
	t.Parallel()
	wiretest.Capped(t, responses.Codec{}, template, `{"role":"user","content":"x"},`, `{"type":"input_text","text":"x"},`, `{"type":"function","name":"f"},`)
}
