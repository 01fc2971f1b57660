package gemini_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/wire/gemini"
	"github.com/plimsoll/plimsoll/wire/wiretest"
)

// It measures what the whole process allocates, so it does not run in parallel.
func TestNoBodyTakesMoreThanFourTimesItsSize(t *testing.T) {
	wiretest.Hostile(t, gemini.Codec{}, wiretest.Elements{
		Template: `{"contents":[MESSAGES{FIELDS"role":"user","parts":[PARTS]}],"tools":[TOOLS]MEMBERS}`,
		Messages: []string{
			`{},`, `{"parts":[{"text":""}]},`, `{"parts":{"text":""}},`, `{"role":"a"},`, `{"role":"\u0061"},`, `{"role":"model"},`,
			`{"parts":[{"functionCall":{}}]},`, `{"parts":[{"functionCall":{"id":"a"}}]},`, `{"parts":[{"functionCall":{"id":"#","name":"#"}}]},`, `{"parts":[{"functionResponse":{"response":{}}}]},`, `{"parts":[{"thoughtSignature":""}]},`,
		},
		Parts: []string{
			`{"text":""},`, `{"functionCall":{}},`, `{"functionResponse":{}},`, `{"functionResponse":{"parts":[0]}},`, `{"thoughtSignature":""},`,
			`{"fileData":{}},`, `{"a":0},`, `{"\u0061":0},`,
		},
		Fields: []string{`"parts":{},`, `"parts":[{"text":""}],`, `"role":"\n",`},
		Tools:  []string{`{"a":0},`, `0,`, `{"functionDeclarations":[{}]},`, `{"functionDeclarations":{}},`},
	})
}
