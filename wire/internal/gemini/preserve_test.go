package gemini_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// clientBody is what a coding agent sends: instructions of the role user, a
// signature on the first call of each step, results with ids, in one content and
// in another order than the calls, a picture beside a result.
const clientBody = `{"contents":[
 {"role":"user","parts":[{"text":"This is the tree:\n\u251c\u2500 a.go"}]},
 {"role":"model","parts":[{"text":"Got it."}]},
 {"role":"user","parts":[{"text":"fix it"},{"text":"--- a.go ---"}]},
 {"role":"model","parts":[{"thought":true,"text":"two files"},{"thoughtSignature":"CiQB\/+==","functionCall":{"id":"read-1","name":"read","args":{"n": 1.0}}},{"functionCall":{"id":"read-2","name":"read","args":{}}}]},
 {"role":"user","parts":[{"functionResponse":{"id":"read-2","name":"read","response":{"output":"B"}}},
  {"functionResponse":{"id":"read-1","name":"read","response":{"output":"A"},"parts":[{"inlineData":{"mimeType":"image/png","data":"AA=="}}]}}]},
 {"role":"model","parts":[{"functionCall":{"id":"shell-1","name":"shell","args":{}},"thoughtSignature":"CiQC"}]},
 {"role":"user","parts":[{"functionResponse":{"id":"shell-1","name":"shell","response":{"error":"C"}}}]}],
"systemInstruction":{"role":"user","parts":[{"text":"You are an agent."}]},
"tools":[{"functionDeclarations":[{"name":"read","description":"reads","parametersJsonSchema":{"type":"object"}},{"name":"shell"}]},{"googleSearch":{}}],
"generationConfig":{"temperature":1,"topP":0.95,"topK":64.0,"thinkingConfig":{"includeThoughts":true,"thinkingBudget":-1}},
"safetySettings":[],"toolConfig":{"functionCallingConfig":{"mode":"AUTO"}}}`

func TestWhatAgentsSendIsLegalAndKeepsItsBytes(t *testing.T) {
	t.Parallel()
	r := decode(t, clientBody)
	if v := wire.Check(r); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
	if o := r.Conversation().Outline(); o.Head != 0 || len(o.Turns) != 2 || len(o.Turns[1].Rounds) != 2 || len(o.Pairs) != 3 {
		t.Errorf("outline %+v", o)
	}
	got := edited(t, clientBody, func(d *plimsoll.Draft) error {
		return d.ReplaceResult(plimsoll.PartRef{Message: 4}, textOf("gone"), because)
	})
	if want := strings.Replace(clientBody, `"output":"B"`, `"output":"gone"`, 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
