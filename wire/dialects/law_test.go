package dialects_test

import (
	"runtime"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// odd are members that a client may write anywhere and that no struct would bring
// back as they were: number forms, a key twice, escapes that need not be, white space.
const odd = `"x_new" : 1.0 ,"x_big":9007199254740993,"x_exp":-0.0e+05, "x_new":2, "caf\u00e9\/":"\u0041\/\ud800", "x_deep":{"b" :[ 1 ,{}],"a":null}`

// form is a body of any number of rounds, in which ODD stands for members and RESULT
// for what the tool returned.
type form struct{ head, round, tail string }

var forms = map[plimsoll.Dialect]form{
	plimsoll.OpenAI: {
		` {"model":"m", ODD,"messages":[ {"role":"user",ODD,"content":[{"type":"text","text":"caf\u00e9",ODD}]} `,
		`, {"role":"assistant","content":null,"tool_calls":[{"id":"ID","type":"function","function":{"name":"f","arguments":"{\"n\": 1.0}",ODD},ODD}]},
		 {"role":"tool","tool_call_id":"ID",ODD,"content":"RESULT"}`,
		`,{"role":"user","content":"go on"}], "tools":[{"type":"function","function":{"name":"f","parameters":{ODD}}}]}  `,
	},
	plimsoll.Responses: {
		` {"model":"m", ODD,"input":[ {"role":"user",ODD,"content":[{"type":"input_text","text":"caf\u00e9",ODD}]} `,
		`, {"type":"function_call","call_id":"ID","name":"f","arguments":"{\"n\": 1.0}",ODD},
		 {"type":"function_call_output","call_id":"ID",ODD,"output":"RESULT"}`,
		`,{"role":"user","content":"go on"}], "tools":[{"type":"function","name":"f","parameters":{ODD}}]}  `,
	},
	plimsoll.Anthropic: {
		` {"model":"m", ODD,"messages":[ {"role":"user",ODD,"content":[{"type":"text","text":"caf\u00e9",ODD}]} `,
		`, {"role":"assistant","content":[{"type":"tool_use","id":"ID","name":"f","input":{ODD},ODD}]},
		 {"role":"user","content":[{"type":"tool_result","tool_use_id":"ID",ODD,"content":"RESULT"}]}`,
		`,{"role":"assistant","content":"ok"},{"role":"user","content":"go on"}], "tools":[{"name":"f","input_schema":{ODD}}]}  `,
	},
	plimsoll.Ollama: {
		` {"model":"m", ODD,"messages":[ {"role":"user",ODD,"content":"caf\u00e9","images":[ "aGk=" ]} `,
		`, {"role":"assistant","content":"","thinking":"caf\u00e9","tool_calls":[{"id":"ID","function":{"index":0,"name":"f","arguments":{ODD},ODD},ODD}]},
		 {"role":"tool","tool_call_id":"ID",ODD,"content":"RESULT"}`,
		`,{"role":"user","content":"go on"}], "tools":[{"type":"function","function":{"name":"f","parameters":{ODD}}}]}  `,
	},
	plimsoll.Converse: {
		` { ODD,"messages":[ {"role":"user",ODD,"content":[{"text":"caf\u00e9"}]} `,
		`, {"role":"assistant","content":[{"toolUse":{"toolUseId":"ID","name":"f","input":{ODD},ODD}}]},
		 {"role":"user","content":[{"toolResult":{"toolUseId":"ID",ODD,"content":[{"text":"RESULT"}]}}]}`,
		`,{"role":"assistant","content":[{"text":"ok"}]},{"role":"user","content":[{"text":"go on"}]}], "toolConfig":{"tools":[{"toolSpec":{"name":"f","inputSchema":{"json":{ODD}}}}],ODD}}  `,
	},
	plimsoll.Gemini: {
		` {"model":"m", ODD,"contents":[ {"role":"user",ODD,"parts":[{"text":"caf\u00e9",ODD}]} `,
		`, {"role":"model","parts":[{"functionCall":{"id":"ID","name":"f","args":{ODD}},ODD}]},
		 {"role":"user","parts":[{"functionResponse":{"id":"ID","name":"f",ODD,"response":{"output":"RESULT"}}}]}`,
		`,{"role":"model","parts":[{"text":"ok"}]},{"role":"user","parts":[{"text":"go on"}]}], "tools":[{"functionDeclarations":[{"name":"f","parameters":{ODD}}]}]}  `,
	},
}

// body returns a body of n rounds.
func (f form) body(n int, members, result string) string {
	var b strings.Builder
	b.WriteString(f.head)
	for i := range n {
		b.WriteString(strings.ReplaceAll(f.round, "ID", strconv.Itoa(i)))
	}
	b.WriteString(f.tail)
	return strings.NewReplacer("ODD", members, "RESULT", result).Replace(b.String())
}

func TestOddFormsKeepTheirBytesBesideAnEdit(t *testing.T) {
	t.Parallel()
	for dialect, form := range forms {
		body := form.body(2, odd, "some output")
		r := decoded(t, dialect, body)
		checkUnedited(t, string(dialect), r)
		if v := wire.Check(r); len(v) > 0 {
			t.Errorf("%s: a valid request is refused: %v", dialect, v)
		}
		d := plimsoll.NewDraft(r.Conversation(), nil)
		replaceResults(t, d, 2)
		out, err := r.Encode(d)
		if want := strings.ReplaceAll(body, "some output", "gone"); err != nil || string(out) != want {
			t.Errorf("%s: %v\n got %s\nwant %s", dialect, err, out, want)
		}
	}
}

func decoded(t *testing.T, d plimsoll.Dialect, body string) *wire.Request {
	t.Helper()
	r, err := dialects.Codec(d).Decode([]byte(body))
	if err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	return r
}

// replaceResults puts another text in the place of n results.
func replaceResults(t *testing.T, d *plimsoll.Draft, n int) {
	t.Helper()
	pairs := d.Outline().Pairs
	if len(pairs) != n {
		t.Fatalf("%d calls met their results, want %d", len(pairs), n)
	}
	gone := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "gone"})
	for _, p := range pairs {
		if err := d.ReplaceResult(p.Result, gone, plimsoll.Why{Rung: "clear", Reason: "old"}); err != nil {
			t.Fatal(err)
		}
	}
}

// session is a body of n rounds with results of four to five kilobytes of code.
func session(d plimsoll.Dialect, n int) []byte {
	line := `\tif err != nil { return fmt.Errorf(\"check: %w\", err) }\n`
	return []byte(forms[d].body(n, `"x_new":1.0`, strings.Repeat(line, 70)))
}

// allocated returns what is allocated while a body of n rounds is decoded, identified,
// checked and written, with all its results replaced if they are to be.
func allocated(t *testing.T, d plimsoll.Dialect, body []byte, n int, edit bool) int {
	t.Helper()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	r, err := dialects.Codec(d).Decode(body)
	if err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	r.Chain()
	if v := wire.Check(r); len(v) > 0 {
		t.Fatalf("%s: %v", d, v)
	}
	draft := plimsoll.NewDraft(r.Conversation(), nil)
	if edit {
		replaceResults(t, draft, n)
	}
	if _, err := r.Encode(draft); err != nil {
		t.Fatalf("%s: %v", d, err)
	}
	runtime.ReadMemStats(&after)
	return int(after.TotalAlloc - before.TotalAlloc)
}

// They measure what the whole process allocates, so they do not run in parallel.

func TestAnUneditedBodyAllocatesLessThanOneAndAHalfOfItsSize(t *testing.T) {
	for _, d := range dialects.All() {
		body := session(d, 250)
		if got := allocated(t, d, body, 250, false); got > len(body)*3/2 {
			t.Errorf("%s: %d bytes took %d", d, len(body), got)
		}
	}
}

func TestNoStepTakesMoreThanInProportion(t *testing.T) {
	for _, d := range dialects.All() {
		small, large := session(d, 500), session(d, 2000)
		if s, l := allocated(t, d, small, 500, true), allocated(t, d, large, 2000, true); l > 5*s {
			t.Errorf("%s: %d bytes took %d, and %d took %d", d, len(small), s, len(large), l)
		}
	}
}
