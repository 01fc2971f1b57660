package gemini_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

func decode(t wiretest.TB, body string) *wire.Request {
	t.Helper()
	return wiretest.Decode(t, gemini.Codec{}, body)
}

var textOf = wiretest.TextOf

// flat returns all parts, with each result as one text and what is in it.
func flat(messages ...plimsoll.Message) []plimsoll.Part {
	var all []plimsoll.Part
	for _, m := range messages {
		for _, p := range m.Parts.All() {
			r, ok := p.(plimsoll.ToolResult)
			if !ok {
				all = append(all, p)
				continue
			}
			all = append(all, plimsoll.Text{Text: fmt.Sprintf("result of %q %q, failed %v", r.CallID, r.Name, r.IsError)})
			all = append(all, r.Content.Slice()...)
		}
	}
	return all
}

var because = plimsoll.Why{Rung: "test", Reason: "to see"}

func TestPartsOfEveryKindAreRead(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"system_instruction":{"parts":{"text":"be brief"}},"generation_config":{"max_output_tokens":500},"contents":[
	  {"parts":[
	    {"text":"caf\u00e9 \ud83d\ude42"},
	    {"inlineData":{"mimeType":"image/png","data":"AAAA"},"mediaResolution":{"level":"MEDIA_RESOLUTION_HIGH"}},
	    {"inline_data":{"mime_type":"audio/wav","data":"BBBB"}},
	    {"fileData":{"mimeType":"video/mp4","fileUri":"files/1"},"videoMetadata":{"fps":1.0}},
	    {"file_data":{"file_uri":"files/2","mime_type":"application/pdf"}},
	    {"hologram":{"depth":3}},
	    {"text":null,"inlineData":null,"functionCall":null}]},
	  {"role":"model","parts":[
	    {"thought":true,"text":"hm","thoughtSignature":"c2ln"},
	    {"text":"on it","thought":false},
	    {"functionCall":{"id":"1","name":"read","args":{"p": 1.0}},"thoughtSignature":"x","new":1},
	    {"function_call":{"name":"list"},"thought_signature":"y"},
	    {"executableCode":{"language":"PYTHON","code":"1"}},
	    {"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}},
	    {"thoughtSignature":"alone"}]},
	  {"role":"function","parts":[
	    {"functionResponse":{"id":"1","name":"read","response":{"output":"one\n"}}},
	    {"function_response":{"name":"list","response":{"error":"no such directory"}}}]},
	  {"role":"user","parts":[
	    {"functionResponse":{"name":"a","response":{"result":{"n": 1}},"parts":[{"inlineData":{"mimeType":"image/jpeg","data":"CCCC"}}]}},
	    {"functionResponse":{"name":"b","response":{"output":"fine","error":"none"}}},
	    {"functionResponse":{"name":"c","response":"bare"}},
	    {"functionResponse":{"name":"d"}},
	    "odd"]}]}`)
	c := r.Conversation()
	want := []plimsoll.Part{
		plimsoll.Text{Text: "café 🙂"},
		plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "AAAA", Detail: "MEDIA_RESOLUTION_HIGH"},
		plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/wav", Data: "BBBB"},
		plimsoll.Media{Kind: plimsoll.Video, MIME: "video/mp4", URL: "files/1"},
		plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", URL: "files/2"},
		plimsoll.Opaque{Kind: "hologram", Raw: `{"hologram":{"depth":3}}`},
		plimsoll.Opaque{Raw: `{"text":null,"inlineData":null,"functionCall":null}`},
		plimsoll.Reasoning{Text: "hm", Signature: "c2ln"},
		plimsoll.Text{Text: "on it"},
		plimsoll.ToolCall{ID: "1", Name: "read", Arguments: `{"p": 1.0}`, Signature: "x"},
		plimsoll.ToolCall{Name: "list", Signature: "y"},
		plimsoll.Opaque{Kind: "executableCode", Raw: `{"executableCode":{"language":"PYTHON","code":"1"}}`},
		plimsoll.Opaque{Kind: "codeExecutionResult", Raw: `{"codeExecutionResult":{"outcome":"OUTCOME_OK","output":"1"}}`},
		plimsoll.Reasoning{Signature: "alone", Redacted: true},
		plimsoll.Text{Text: `result of "1" "read", failed false`},
		plimsoll.Text{Text: "one\n"},
		plimsoll.Text{Text: `result of "" "list", failed true`},
		plimsoll.Text{Text: "no such directory"},
		plimsoll.Text{Text: `result of "" "a", failed false`},
		plimsoll.Text{Text: `{"result":{"n": 1}}`},
		plimsoll.Media{Kind: plimsoll.Image, MIME: "image/jpeg", Data: "CCCC"},
		plimsoll.Text{Text: `result of "" "b", failed false`},
		plimsoll.Text{Text: `{"output":"fine","error":"none"}`},
		plimsoll.Text{Text: `result of "" "c", failed false`},
		plimsoll.Text{Text: `"bare"`},
		plimsoll.Text{Text: `result of "" "d", failed false`},
		plimsoll.Opaque{Raw: `"odd"`},
	}
	if diff := cmp.Diff(want, flat(c.Messages.Slice()...)); diff != "" {
		t.Errorf("parts (-want +got):\n%s", diff)
	}
	if got := plimsoll.TextOf(c.System); got != "be brief" || r.MaxOutput() != 500 {
		t.Errorf("system %q, at most %d", got, r.MaxOutput())
	}
	if o := c.Outline(); len(o.Pairs) != 2 || o.Turns[0].User != 0 {
		t.Errorf("outline %+v", o)
	}
}

func TestToolsOfEveryKindAreRead(t *testing.T) {
	t.Parallel()
	got := decode(t, `{"contents":[],"model":"models/m","tools":[
	  {"functionDeclarations":[{"name":"a","description":"d","parameters":{"type":"OBJECT"}},{"name":"b","parametersJsonSchema":{"type":"object"},"responseJsonSchema":{"type":"array"}}]},
	  {"google_search":{}, "function_declarations":{"name":"c","behavior":"BLOCKING","response":{"type":"STRING"},"parameters":null}, "codeExecution":null}]}`).Conversation()
	want := []plimsoll.Tool{
		{Name: "a", Description: "d", Schema: `{"type":"OBJECT"}`},
		{Name: "b", Schema: `{"type":"object"}`, Result: `{"type":"array"}`},
		{Opaque: `{"google_search":{}}`},
		{Name: "c", Result: `{"type":"STRING"}`},
	}
	if diff := cmp.Diff(want, got.Tools.Slice()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if got.Model != "models/m" {
		t.Errorf("model %q", got.Model)
	}
}

func TestCallsWithoutIDsPairByNameAndOrder(t *testing.T) {
	t.Parallel()
	c := decode(t, `{"contents":[{"role":"user","parts":[{"text":"go"}]},
	  {"role":"model","parts":[{"functionCall":{"name":"f","args":{}}},{"functionCall":{"name":"g","args":{}}},{"functionCall":{"name":"f","args":{}}}]},
	  {"role":"user","parts":[{"functionResponse":{"name":"g","response":{}}},{"functionResponse":{"name":"f","response":{}}},{"functionResponse":{"name":"f","response":{}}}]}]}`).Conversation()
	at := func(message, part int) plimsoll.PartRef { return plimsoll.PartRef{Message: message, Part: part} }
	want := []plimsoll.Pair{{Call: at(1, 1), Result: at(2, 0)}, {Call: at(1, 0), Result: at(2, 1)}, {Call: at(1, 2), Result: at(2, 2)}}
	if diff := cmp.Diff(want, c.Outline().Pairs); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestIdentityIgnoresWhatClientsMoveAbout(t *testing.T) {
	t.Parallel()
	const system, tools = `"systemInstruction":{"parts":[{"text":"s"}]}`, `"tools":[{"functionDeclarations":[{"name":"f"}]}]`
	const user, model = `{"role":"user","parts":[{"text":"hi"}]}`, `{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"a"}]}`
	base := decode(t, `{`+system+`,`+tools+`,"contents":[`+user+`,`+model+`]}`)
	for _, tt := range []struct {
		name, body string
		same       int
	}{
		{"snake case and lone values", `{"system_instruction":"s","tools":{"function_declarations":{"name":"f"}},"contents":[{"parts":{"text":"hi"}},{"role":"model","parts":{"function_call":{"name":"f","args":{}}}}]}`, 3},
		{"a signature that was replaced", `{` + system + `,` + tools + `,"contents":[` + user + `,{"role":"model","parts":[{"functionCall":{"name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}]}`, 3},
		{"null members", `{` + system + `,` + tools + `,"contents":[{"role":"user","parts":[{"text":"hi","inlineData":null}],"x":null},` + model + `]}`, 3},
		{"other parameters", `{"generationConfig":{"topK":1},` + system + `,` + tools + `,"contents":[` + user + `,` + model + `]}`, 3},
		{"another call", `{` + system + `,` + tools + `,"contents":[` + user + `,{"role":"model","parts":[{"functionCall":{"name":"g","args":{}}}]}]}`, 2},
		{"the same text as thinking", `{` + system + `,` + tools + `,"contents":[{"role":"user","parts":[{"text":"hi","thought":true}]},` + model + `]}`, 1},
		{"another role", `{` + system + `,` + tools + `,"contents":[{"role":"model","parts":[{"text":"hi"}]},` + model + `]}`, 1},
		{"other tools", `{` + system + `,"tools":[],"contents":[` + user + `,` + model + `]}`, 0},
		{"no instruction", `{"systemInstruction":null,` + tools + `,"contents":[` + user + `,` + model + `]}`, 0},
	} {
		if same := wiretest.SharedLinks(base, decode(t, tt.body)); same != tt.same {
			t.Errorf("%s: %d links are equal, want %d", tt.name, same, tt.same)
		}
	}
}

func TestBadBodiesAreErrorsWithAPlace(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, body, path string }{
		{"no object", `[]`, ""},
		{"no contents", `{"model":"x"}`, "contents"},
		{"contents that are a string", `{"contents":"hi"}`, "contents"},
		{"contents that are null", `{"contents":null}`, "contents"},
		{"a content that is no object", `{"contents":[{},1]}`, "contents[1]"},
		{"parts that are a number", `{"contents":[{"parts":[]},{"role":"user","parts":7}]}`, "contents[1].parts"},
		{"a lone content whose parts are a text", `{"contents":{"parts":"hi"}}`, "contents[0].parts"},
		{"a body that is cut off", `{"contents":[{"role":"user","parts":[{"text":"a`, ""},
		{"a content that is cut off before another mistake", `{"contents":[{"parts":7},{"role`, ""},
		{"something behind the body", `{"contents":[]} x`, ""},
		{"half an escape", `{"contents":[{"parts":[{"text":"\u12"}]}]}`, ""},
		{"NUL", "{\"contents\":[{\"parts\":[{\"text\":\"a\x00\"}]}]}", ""},
		{"a depth bomb", `{"contents":` + strings.Repeat("[", 100_000), ""},
		{"a depth bomb of parts", `{"contents":[` + strings.Repeat(`{"parts":[{"functionResponse":`, 50_000), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			bad := wiretest.DecodeError(t, gemini.Codec{}, tt.body)
			if bad.Path != tt.path {
				t.Errorf("path %q, want %q: %v", bad.Path, tt.path, bad)
			}
		})
	}
}

func TestOddValuesAreCarriedNotUnderstood(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, part string
		want       []plimsoll.Part
	}{
		{"a call that is a number", `{"functionCall":7}`, []plimsoll.Part{plimsoll.Opaque{Raw: `{"functionCall":7}`}}},
		{"a response that is a list", `{"functionResponse":[]}`, []plimsoll.Part{plimsoll.Opaque{Raw: `{"functionResponse":[]}`}}},
		{"data that is a text", `{"inlineData":"AA"}`, []plimsoll.Part{plimsoll.Opaque{Kind: "inlineData", Raw: `{"inlineData":"AA"}`}}},
		{"a text that is a number", `{"text":1}`, []plimsoll.Part{plimsoll.Opaque{Raw: `{"text":1}`}}},
		{"a text with something new beside it", `{"new":{},"text":"t"}`, []plimsoll.Part{plimsoll.Text{Text: "t"}}},
		{"thinking with something new beside it", `{"new":{},"text":"t","thought":true}`, []plimsoll.Part{plimsoll.Reasoning{Text: "t"}}},
		{"something new with a signature", `{"new":{},"thoughtSignature":"s"}`, []plimsoll.Part{plimsoll.Opaque{Kind: "new", Raw: `{"new":{},"thoughtSignature":"s"}`}}},
		{"a bare resolution", `{"fileData":{"fileUri":"u"},"mediaResolution":"LOW"}`, []plimsoll.Part{plimsoll.Media{Kind: plimsoll.Document, URL: "u", Detail: "LOW"}}},
		{"an id and arguments that are null", `{"functionCall":{"id":null,"name":"f","args":null}}`, []plimsoll.Part{plimsoll.ToolCall{Name: "f"}}},
		{"a call with members that are new", `{"functionCall":{"name":"f","args":{},"willContinue":true}}`, []plimsoll.Part{plimsoll.ToolCall{Name: "f", Arguments: "{}"}}},
		{"attachments given twice", `{"functionResponse":{"name":"f","parts":[{"inlineData":{"data":"AA"}}],"parts":[{"inlineData":{"data":"BB"}}]}}`, []plimsoll.Part{
			plimsoll.Text{Text: `result of "" "f", failed false`},
			plimsoll.Media{Kind: plimsoll.Document, Data: "BB"},
		}},
		{"a response inside a response", `{"functionResponse":{"name":"f","parts":[{"functionResponse":{"name":"g"}},3]}}`, []plimsoll.Part{
			plimsoll.Text{Text: `result of "" "f", failed false`},
			plimsoll.Opaque{Kind: "functionResponse", Raw: `{"functionResponse":{"name":"g"}}`},
			plimsoll.Opaque{Raw: `3`},
		}},
	} {
		c := decode(t, `{"generationConfig":[],"tools":[1,{"functionDeclarations":[2]}],"contents":[{"parts":[`+tt.part+`]}]}`).Conversation()
		if diff := cmp.Diff(tt.want, flat(c.Messages.At(0))); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tt.name, diff)
		}
		if diff := cmp.Diff([]plimsoll.Tool{{Opaque: "2"}}, c.Tools.Slice()); diff != "" {
			t.Errorf("%s: tools (-want +got):\n%s", tt.name, diff)
		}
	}
}

func TestTheLastOfSeveralMembersOfOneNameHolds(t *testing.T) {
	t.Parallel()
	got := edited(t, `{"contents":{"parts":{"text":"a"}},"tools":{"functionDeclarations":[{"name":"a"}]},"systemInstruction":"a","contents":[{"role":"x","parts":[{}]}],"contents":[{"parts":[{"text":"b"}]}],"tools":[],"system_instruction":{"parts":[{"text":"b"}]}}`,
		func(d *plimsoll.Draft) error {
			c := d.Original()
			if c.Messages.Len() != 1 || c.Messages.At(0).Text() != "b" || c.Tools.Len() != 0 || plimsoll.TextOf(c.System) != "b" {
				t.Errorf("conversation %+v", c)
			}
			d.AddSystem(plimsoll.Text{Text: "s"}, because)
			d.AddTool(plimsoll.Tool{Name: "t"}, because)
			_, err := d.Insert(1, plimsoll.Say(plimsoll.User, "c"), because)
			return err
		})
	const want = `{"contents":{"parts":{"text":"a"}},"tools":{"functionDeclarations":[{"name":"a"}]},"systemInstruction":"a","contents":[{"role":"x","parts":[{}]}],"contents":[{"parts":[{"text":"b"}]},{"role":"user","parts":[{"text":"c"}]}],"tools":[{"functionDeclarations":[{"name":"t"}]}],"system_instruction":{"parts":[{"text":"b"},{"text":"s"}]}}`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if c := decode(t, `{"contents":[],"systemInstruction":"a","systemInstruction":null}`).Conversation(); c.System.Len() > 0 {
		t.Errorf("an instruction that null took back: %v", c.System.Slice())
	}
	if found := wire.Check(decode(t, want)); len(found) > 0 {
		t.Errorf("found %v", found)
	}
}

func TestOnlyPartsOfAListCanBeRemoved(t *testing.T) {
	t.Parallel()
	r := decode(t, `{"contents":[{"parts":[{"text":"a"}]},{"parts":{"text":"b"}}]}`)
	if list, lone := r.Locate(0).Places[0].List, r.Locate(1).Places[0].List; list != 0 || lone != layout.Fixed().List {
		t.Errorf("places %d and %d", list, lone)
	}
}

func TestTextThatIsNoUnicodeIsCarried(t *testing.T) {
	t.Parallel()
	body := "{\"contents\":[{\"parts\":[{\"text\":\"\\ud800 and \xff\"}]}]}"
	r := decode(t, body)
	if got := r.Conversation().Messages.At(0).Text(); got != "\ufffd and \xff" {
		t.Errorf("text %q", got)
	}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	d.AddSystem(plimsoll.Text{Text: "s"}, because)
	out, err := r.Encode(d)
	if err != nil || !strings.HasPrefix(string(out), strings.TrimSuffix(body, "}")) {
		t.Errorf("%v: %q", err, out)
	}
}

func TestAMillionKeysTakeMemoryInProportion(t *testing.T) {
	var b strings.Builder
	b.WriteString(`{"contents":[{"parts":[{"functionCall":{"name":"f","args":{`)
	for i := range 1_000_000 {
		fmt.Fprintf(&b, `"k%d":%d,`, i, i)
	}
	b.WriteString(`"z":0}}}]}]}`)
	body := []byte(b.String())
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err := gemini.Codec{}.Decode(body)
	runtime.ReadMemStats(&after)
	if got := after.TotalAlloc - before.TotalAlloc; err != nil || got > uint64(len(body)) {
		t.Errorf("%v; %d bytes are allocated for a body of %d", err, got, len(body))
	}
}
