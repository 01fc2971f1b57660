package openai_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// clientBody is what a coding agent sends: its own fields, a content that is
// empty beside calls, reasoning that goes along, parallel results in another order
// than the calls, marks for gateways that cache.
const clientBody = `{"model":"qwen3-coder-plus","stream":true,"stream_options":{"include_usage":true},"temperature":0.0,"max_tokens":32000,
"metadata":{"sessionId":"s-1","promptId":"s-1########0"},"prompt_cache_key":"s-1","vl_high_resolution_images":true,
"messages":[
 {"role":"system","content":[{"type":"text","text":"You are an agent.","cache_control":{"type":"ephemeral"}}]},
 {"role":"user","content":"This is the tree:\n\t\u251c\u2500 a.go"},
 {"role":"assistant","content":"Got it."},
 {"role":"user","content":[{"type":"text","text":"fix it"}]},
 {"role":"assistant","content":"","reasoning_content":"two files","tool_calls":[
  {"id":"call_a","type":"function","index":0,"function":{"name":"read","arguments":"{\"n\": 1.0}"}},
  {"id":"call_b","type":"function","index":1,"function":{"name":"read","arguments":""}}]},
 {"role":"tool","tool_call_id":"call_b","content":"B"},
 {"role":"tool","tool_call_id":"call_a","content":[{"type":"text","text":"A"},{"type":"image_url","image_url":{"url":"data:image/png;base64,AA=="}}]},
 {"role":"assistant","content":null,"refusal":null,"tool_calls":[{"id":"call_c","type":"function","function":{"name":"shell","arguments":"{}"}}]},
 {"role":"tool","tool_call_id":"call_c","name":"shell","content":[{"type":"text","text":"C","cache_control":{"type":"ephemeral"}}]}],
"tools":[{"type":"function","function":{"name":"read","description":"reads","parameters":{"type":"object"},"strict":false}},
 {"type":"function","function":{"name":"shell","parameters":{"type":"object","properties":{}}}}]}`

func TestWhatAgentsSendIsLegalAndKeepsItsBytes(t *testing.T) {
	t.Parallel()
	r := decode(t, clientBody)
	if v := wire.Check(r); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
	if o := r.Conversation().Outline(); o.Head != 1 || len(o.Turns) != 2 || len(o.Turns[1].Rounds) != 2 || len(o.Pairs) != 3 {
		t.Errorf("outline %+v", o)
	}
	got := edited(t, clientBody, func(d *plimsoll.Draft) error {
		return d.ReplaceResult(plimsoll.PartRef{Message: 5}, textOf("gone"), because)
	})
	if want := strings.Replace(clientBody, `"content":"B"`, `"content":"gone"`, 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}
