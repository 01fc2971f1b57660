package gemini_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/gemini"
)

// It measures what the whole process has in use, so it does not run in parallel.
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
		Crowds: map[string][]string{
			"MESSAGES": {
				`{"role":"user","parts":[{"text":"x"}]},`,
				`{"role":"user","parts":[{"text":"x"}]},{"role":"model","parts":[{"text":"y"}]},`,
				`{"role":"model","parts":[{"functionCall":{"name":"ls","args":{}}}]},{"role":"user","parts":[{"functionResponse":{"name":"ls","response":{"output":"ok"}}}]},`,
				`{"role":"model","parts":[{"functionCall":{"id":"c#","name":"ls","args":{}},"thoughtSignature":"x"}]},{"role":"user","parts":[{"functionResponse":{"id":"c#","name":"ls","response":{"output":"ok"}}}]},`,
			},
			"PARTS": {`{"text":"x"},`},
			"TOOLS": {`{"functionDeclarations":[{"name":"f#"}]},`},
		},
	})
}
