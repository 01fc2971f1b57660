package gemini_test

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

const template = `{"contents":[MESSAGES{FIELDS"role":"user","parts":[PARTS]}],"tools":[TOOLS]MEMBERS}`

// TestWhatABodyTakesGrowsWithItsSize counts what the whole process allocates, so it does not run
// in parallel.
func TestWhatABodyTakesGrowsWithItsSize(t *testing.T) {
	wiretest.Hostile(t, gemini.Codec{}, wiretest.Elements{
		Template: template,
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

// It counts what the whole process allocates, so it does not run in parallel.
func TestARealBodyAllocatesAtMostFourTimesItsSize(t *testing.T) {
	wiretest.Modest(t, gemini.Codec{})
}

func TestMoreThanTwoHundredThousandMessagesPartsOrToolsAreRefused(t *testing.T) {
	t.Parallel()
	wiretest.Capped(t, gemini.Codec{}, template, `{"parts":[{"text":"x"}]},`, `{"text":"x"},`, `{"functionDeclarations":[{"name":"f"}]},`)
}
