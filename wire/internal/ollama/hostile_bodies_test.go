package ollama_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/ollama"
)

const template = `{"messages":[MESSAGES{FIELDS"role":"user","images":[PARTS]}],"tools":[TOOLS]MEMBERS}`

// TestWhatABodyTakesGrowsWithItsSize counts what the whole process allocates, so it does not run
// in parallel.
func TestWhatABodyTakesGrowsWithItsSize(t *testing.T) {
	wiretest.Hostile(t, ollama.Codec{}, wiretest.Elements{
		Template: template,
		Messages: []string{
			`{"role":"user","content":""},`, `{"role":"assistant"},`, `{"role":"tool"},`, `{"role":"tool","tool_name":"a","content":"x"},`,
			`{"role":"assistant","tool_calls":[{"id":"a"}]},`, `{"role":"assistant","tool_calls":[{"id":"#","function":{"name":"#","arguments":""}}]},`,
			`{"role":"tool","tool_call_id":"#"},`, `{"role":"tool","tool_name":"#"},`, `{"role":"a"},`, `{"role":"\u0041"},`,
			`{"role":"assistant","thinking":"x"},`, `{"role":"user","images":[""]},`, `{"role":"user","images":[0]},`,
		},
		Parts:  []string{`"",`, `"aGk=",`, `"\n",`, `0,`},
		Fields: []string{`"content":"",`, `"images":[""],`, `"tool_calls":[{}],`, `"thinking":"x",`, `"name":"\n",`},
		Tools:  []string{`{},`, `0,`, `{"name":"a"},`},
	})
}

// It counts what the whole process allocates, so it does not run in parallel.
func TestARealBodyAllocatesAtMostFourTimesItsSize(t *testing.T) {
	wiretest.Modest(t, ollama.Codec{})
}

func TestMoreThanTwoHundredThousandMessagesPartsOrToolsAreRefused(t *testing.T) {
	t.Parallel()
	wiretest.Capped(t, ollama.Codec{}, template, `{"role":"user","content":"x"},`, `"aGk=",`, `{"type":"function","function":{"name":"f"}},`)
}
