package responses_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// codexBody is what Codex sends: no instructions but developer messages, an id on
// every item, a namespace among the tools, encrypted reasoning, a phase.
const codexBody = `{"model":"gpt-5-codex","store":false,"stream":true,"include":["reasoning.encrypted_content"],"prompt_cache_key":"k",
"client_metadata":{"x":1.0},"tools":[{"type":"function","name":"exec","parameters":{},"strict":false},
{"type":"namespace","name":"mcp__fs","description":"","tools":[{"type":"function","name":"read","parameters":{}}]},{"type":"web_search","external_web_access":true}],
"input":[
{"type":"message","id":"msg_0","role":"developer","content":[{"type":"input_text","text":"rules"}]},
{"type":"message","id":"msg_1","role":"user","content":[{"type":"input_text","text":"go"}],"internal_chat_message_metadata_passthrough":{"turn":7}},
{"type":"reasoning","id":"rs_1","summary":[],"content":null,"encrypted_content":"gAAA+/="},
{"type":"message","id":"msg_2","role":"assistant","phase":"commentary","content":[{"type":"output_text","text":"looking"}]},
{"type":"function_call","id":"fc_1","call_id":"a","name":"exec","arguments":"{\"cmd\":\"ls\"}"},
{"type":"function_call","id":"fc_2","call_id":"b","namespace":"mcp__fs","name":"read","arguments":"{}"},
{"type":"function_call_output","id":"fco_2","call_id":"b","output":"two"},
{"type":"function_call_output","id":"fco_1","call_id":"a","output":"one"},
{"type":"compaction","id":"cmp_1","encrypted_content":"gBBB"},
{"type":"message","id":"msg_3","role":"user","content":[{"type":"input_text","text":"and now?"}]},
{"type":"compaction_trigger"}]}`

func TestWhatCodexSendsIsLegalAndKeepsItsBytes(t *testing.T) {
	t.Parallel()
	r := decode(t, codexBody)
	if v := wire.Check(r); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
	out, err := r.Encode(plimsoll.NewDraft(r.Conversation(), nil))
	if err != nil || &out[0] != &r.Body()[0] {
		t.Errorf("an unedited body is copied: %v", err)
	}
	o := r.Conversation().Outline()
	if o.Head != 1 || len(o.Turns) != 2 || len(o.Turns[0].Rounds) != 3 || len(o.Pairs) != 2 {
		t.Errorf("head %d, turns %+v, pairs %v", o.Head, o.Turns, o.Pairs)
	}
}

func TestIDsPhasesNamespacesAndUnknownFieldsSurviveAnEditBesideThem(t *testing.T) {
	t.Parallel()
	got := edited(t, codexBody, func(d *plimsoll.Draft) error {
		return d.ReplaceResult(plimsoll.PartRef{Message: 6}, textOf("[cut]"), because)
	})
	if want := strings.Replace(codexBody, `"two"`, `"[cut]"`, 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestParallelCallsAreDroppedTogetherWithTheirReasoning(t *testing.T) {
	t.Parallel()
	r := decode(t, codexBody)
	for _, round := range r.Conversation().Outline().Turns[0].Rounds {
		d := plimsoll.NewDraft(r.Conversation(), nil)
		if err := d.Drop(round.Span, because); err != nil {
			t.Fatal(err)
		}
		out, err := r.Encode(d)
		if err != nil {
			t.Fatal(err)
		}
		if v := wire.CheckEdited(r, decode(t, string(out))); len(v) > 0 {
			t.Errorf("without round %v: %v", round, v)
		}
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := d.Drop(plimsoll.Span{Start: 4, End: 5}, because); err == nil {
		t.Error("one of two parallel calls can be dropped alone")
	}
}

func TestATriggerForCompactionStaysTheLastItemAndOpensNoTurn(t *testing.T) {
	t.Parallel()
	r := decode(t, codexBody)
	turns := r.Conversation().Outline().Turns
	got := edited(t, codexBody, func(d *plimsoll.Draft) error { return d.Drop(turns[0].Span, because) })
	if !strings.HasSuffix(got, `"text":"and now?"}]},`+"\n"+`{"type":"compaction_trigger"}]}`) {
		t.Errorf("got %s", got)
	}
}

func TestBytesThatAreNoTextSurvive(t *testing.T) {
	t.Parallel()
	body := "{\"input\":[{\"role\":\"user\",\"content\":\"a\xff\xfe\\ud800\\u0000b\"},{\"type\":\"x\xff\",\"n\":1e400}]}"
	r := decode(t, body)
	d := plimsoll.NewDraft(r.Conversation(), nil)
	d.AddTool(plimsoll.Tool{Name: "t"}, because)
	out, err := r.Encode(d)
	if err != nil || !bytes.HasPrefix(out, []byte(body[:len(body)-1])) {
		t.Errorf("%q, %v", out, err)
	}
	if got := r.Conversation().Messages.At(0).Text(); got != "a\xff\xfe\ufffd\x00b" {
		t.Errorf("%q", got)
	}
}

func TestHostileBodiesEndInAnErrorOrARequest(t *testing.T) {
	t.Parallel()
	const million = 1_000_000
	var keys strings.Builder
	for i := range million {
		fmt.Fprintf(&keys, `"k%d":%d,`, i, i)
	}
	for _, tt := range []struct {
		name, body string
		legal      bool
	}{
		{"nested too deep in an item", request(`{"type":"x","a":` + strings.Repeat("[", million) + strings.Repeat("]", million) + `}`), false},
		{"nested too deep in content", request(`{"role":"user","content":` + strings.Repeat(`[{"a":`, million)), false},
		{"never closed", `{"input":` + strings.Repeat(`[`, million), false},
		{"a string that does not end", `{"input":"` + strings.Repeat(`\"`, million), false},
		{"a million keys in an item", request(`{` + keys.String() + `"type":"x"}`), true},
		{"a million keys in a part", request(`{"role":"user","content":[{` + keys.String() + `"type":"x"}]}`), true},
		{"a million keys in a tool", `{"input":"x","tools":[{` + keys.String() + `"type":"x"}]}`, true},
		{"a million keys where nobody looks", request(`{"type":"x","a":{` + keys.String() + `"b":1}}`), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r, err := responses.Codec{}.Decode([]byte(tt.body))
			if (err == nil) != tt.legal {
				t.Fatalf("%v", err)
			}
			if err == nil {
				wire.Check(r)
				r.Chain()
			}
		})
	}
}
