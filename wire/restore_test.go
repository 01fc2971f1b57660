package wire_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

const (
	hiddenCall   = `{"role":"assistant","content":[{"type":"text","text":"Look."},{"type":"tool_use","id":"o1","name":"tool_output_cache","input":{}}]}`
	hiddenResult = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"o1","content":"x"}]}`
	lastSaid     = `{"role":"assistant","content":[{"type":"text","text":"It says x."}]}`
	mixedSaid    = `{"role":"assistant","content":[{"type":"tool_use","id":"o2","name":"tool_output_cache","input":{}},{"type":"tool_use","id":"c1","name":"shell","input":{}}]}`
	besideResult = `{"type":"tool_result","tool_use_id":"o2","content":"y"}`
)

func rawAll(texts ...string) (all [][]byte) {
	for _, t := range texts {
		all = append(all, []byte(t))
	}
	return all
}

// shownOf identifies a reply of texts and calls.
func shownOf(texts []string, calls []plimsoll.ToolCall) plimsoll.Digest {
	var parts []plimsoll.Part
	for _, t := range texts {
		parts = append(parts, plimsoll.Text{Text: t})
	}
	for _, c := range calls {
		parts = append(parts, c)
	}
	return wire.ShownBy(plimsoll.NewMessage(plimsoll.Assistant, parts...))
}

func TestRestore(t *testing.T) {
	t.Parallel()
	plain := wire.Record{Shown: shownOf([]string{"Look.", "It says x."}, nil), Elements: rawAll(hiddenCall, hiddenResult, lastSaid)}
	mixed := wire.Record{Shown: shownOf(nil, []plimsoll.ToolCall{{ID: "c1", Arguments: "{}"}}), Elements: rawAll(mixedSaid), Results: rawAll(besideResult)}
	const user, shown = `{"role":"user","content":"hi"}`, `{"role":"assistant","content":[{"type":"text","text":"Look."},{"type":"text","text":"It says x."}]}`
	const call = `{"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"shell","input":{}}]}`
	const result = `{"type":"tool_result","tool_use_id":"c1","content":"z"}`
	const thought = `{"type":"thinking","thinking":"x","signature":"y"}`
	whole := hiddenCall + "," + hiddenResult + "," + lastSaid
	for _, tt := range []struct {
		name     string
		messages string
		records  map[int]wire.Record
		want     string // "" for as it was
	}{
		{"a reply gets back what was hidden", user + " , " + shown + " ,\n" + user, map[int]wire.Record{1: plain}, user + " , " + whole + " ,\n" + user},
		{"white space and the cut of texts do not matter", user + `,{"role":"assistant","content":" Look. It\nsays x. "},` + user, map[int]wire.Record{1: plain}, user + "," + whole + "," + user},
		{
			"a client may send one reply as several messages",
			user + `,{"role":"assistant","content":"Look."},{"role":"assistant","content":"It says x."},` + user,
			map[int]wire.Record{1: plain},
			user + "," + whole + "," + user,
		},
		{
			"what the assistant says behind the reply stays",
			user + "," + shown + `,{"role":"assistant","content":"More."},` + user,
			map[int]wire.Record{1: plain},
			user + "," + whole + `,{"role":"assistant","content":"More."},` + user,
		},
		{"a record of something else is left out", user + `,{"role":"assistant","content":"No."},` + user, map[int]wire.Record{1: plain}, ""},
		{"a record for the user's message is left out", user + "," + shown + "," + user, map[int]wire.Record{0: plain, 2: plain}, ""},
		{"a record beyond the messages is left out", user, map[int]wire.Record{1: plain, 7: plain, -1: plain}, ""},
		{
			"our results stand behind the client's and before its words",
			user + "," + call + `,{"role":"user","content":[` + result + ` ,{"type":"text","text":"and"}]}`,
			map[int]wire.Record{1: mixed},
			user + "," + mixedSaid + `,{"role":"user","content":[` + result + "," + besideResult + ` ,{"type":"text","text":"and"}]}`,
		},
		{"calls that the client has not answered stay as they are", user + "," + call, map[int]wire.Record{1: mixed}, ""},
		{"calls that the client talks over stay as they are", user + "," + call + "," + user, map[int]wire.Record{1: mixed}, ""},
		{
			"several replies get back their own",
			user + "," + shown + "," + user + "," + call + `,{"role":"user","content":[` + result + `]},` + shown,
			map[int]wire.Record{1: plain, 3: mixed, 5: plain},
			user + "," + whole + "," + user + "," + mixedSaid + `,{"role":"user","content":[` + result + "," + besideResult + "]}," + whole,
		},
		{
			"a reply of which nothing is left goes",
			user + `,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"}]} , ` + user,
			map[int]wire.Record{1: {Shown: shownOf(nil, nil)}},
			user + "," + user,
		},
		{
			"the mark for the cache goes to the end of what is restored",
			user + `,{"role":"assistant","content":[{"type":"text","text":"Look.","cache_control":{"type":"ephemeral"}},{"type":"text","text":"It says x.","cache_control":{"type":"ephemeral","ttl":"5m"}}]},` + user,
			map[int]wire.Record{1: plain},
			user + "," + hiddenCall + "," + hiddenResult + `,{"role":"assistant","content":[{"type":"text","text":"It says x.","cache_control":{"type":"ephemeral","ttl":"5m"}}]},` + user,
		},
		{
			"no thinking gets a mark",
			user + `,{"role":"assistant","content":[{"type":"text","text":"A","cache_control":{"type":"ephemeral"}}]},` + user,
			map[int]wire.Record{1: {Shown: shownOf([]string{"A"}, nil), Elements: rawAll(hiddenCall, hiddenResult, `{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"}]}`)}},
			user + "," + hiddenCall + `,{"role":"user","content":[{"type":"tool_result","tool_use_id":"o1","content":"x","cache_control":{"type":"ephemeral"}}]}` +
				`,{"role":"assistant","content":[{"type":"thinking","thinking":"x","signature":"y"}]},` + user,
		},
		{
			"thinking that the client keeps comes back",
			user + `,{"role":"assistant","content":[` + thought + `,{"type":"text","text":"A"}]},` + user,
			map[int]wire.Record{1: {Shown: shownOf([]string{"A"}, nil), Elements: rawAll(`{"role":"assistant","content":[` + thought + `,` + thought + `,{"type":"text","text":"A"}]}`)}},
			user + `,{"role":"assistant","content":[` + thought + `,` + thought + `,{"type":"text","text":"A"}]},` + user,
		},
		{
			"thinking that the client has taken out stays out",
			user + `,{"role":"assistant","content":"A"},` + user,
			map[int]wire.Record{1: {Thought: true, Shown: shownOf([]string{"A"}, nil), Elements: rawAll(`{"role":"assistant","content":[` + thought + `,` + thought + `,{"type":"text","text":"A"}]}`)}},
			user + `,{"role":"assistant","content":[{"type":"text","text":"A"}]},` + user,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			body := func(messages string) string {
				return `{"model":"m", "messages" : [ ` + messages + ` ], "max_tokens":9}`
			}
			if tt.want == "" {
				tt.want = tt.messages
			}
			r, err := anthropic.Codec{}.Decode([]byte(body(tt.messages)))
			if err != nil {
				t.Fatal(err)
			}
			got, err := wire.Restore(anthropic.Codec{}, r, tt.records)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(body(tt.want), string(got)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestRestoreLeavesChatsOfOpenAIWithoutResultsAlone(t *testing.T) {
	t.Parallel()
	call := `{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"shell","arguments":"{}"}}]}`
	record := wire.Record{Shown: shownOf(nil, []plimsoll.ToolCall{{ID: "c1"}}), Elements: rawAll(`{"role":"assistant","content":"never"}`), Results: rawAll(`{"role":"tool","tool_call_id":"o1","content":"x"}`)}
	for _, rest := range []string{"", `,{"role":"user","content":"well?"}`} {
		body := []byte(`{"messages":[{"role":"user","content":"hi"},` + call + rest + `]}`)
		r, err := openai.Codec{}.Decode(body)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := wire.Restore(openai.Codec{}, r, map[int]wire.Record{1: record}); err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s, %v", got, err)
		}
	}
}

func TestRecordsKeepTheBytesOfTheirElements(t *testing.T) {
	t.Parallel()
	want := wire.Record{
		Shown:    shownOf([]string{"a"}, []plimsoll.ToolCall{{ID: "b"}}),
		Thought:  true,
		Elements: rawAll(`{ "input" : { "n" : 1.50, "s":"<&>\u2028" } }`),
		Results:  rawAll(`{"a":  1}`),
	}
	raw, err := json.Marshal(want)
	if err != nil {
		t.Fatal(err)
	}
	var got wire.Record
	if err := json.Unmarshal(raw, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	broken := strings.Replace(string(raw), `\"a\"`, `a\"`, 1)
	if err := json.Unmarshal([]byte(broken), &got); plimsoll.CodeOf(err) != plimsoll.CodeInvalid {
		t.Errorf("%s was read: %v", broken, err)
	}
}

func TestShownTellsRepliesApart(t *testing.T) {
	t.Parallel()
	digests := map[plimsoll.Digest]string{}
	calls := func(all ...plimsoll.ToolCall) []plimsoll.ToolCall { return all }
	for name, d := range map[string]plimsoll.Digest{
		"nothing":                shownOf(nil, nil),
		"a text":                 shownOf([]string{"ab"}, nil),
		"a call":                 shownOf(nil, calls(plimsoll.ToolCall{ID: "ab"})),
		"two calls":              shownOf(nil, calls(plimsoll.ToolCall{ID: "a"}, plimsoll.ToolCall{ID: "b"})),
		"the other order":        shownOf(nil, calls(plimsoll.ToolCall{ID: "b"}, plimsoll.ToolCall{ID: "a"})),
		"both":                   shownOf([]string{"a"}, calls(plimsoll.ToolCall{ID: "b"})),
		"other arguments":        shownOf(nil, calls(plimsoll.ToolCall{ID: "ab", Arguments: `{"a":1}`})),
		"another value":          shownOf(nil, calls(plimsoll.ToolCall{ID: "ab", Arguments: `{"a":2}`})),
		"a text for a number":    shownOf(nil, calls(plimsoll.ToolCall{ID: "ab", Arguments: `{"a":"2"}`})),
		"no JSON":                shownOf(nil, calls(plimsoll.ToolCall{ID: "ab", Arguments: `{"a":`})),
		"a name without an id":   shownOf(nil, calls(plimsoll.ToolCall{Name: "shell", Arguments: `{"a":1}`})),
		"the name, another file": shownOf(nil, calls(plimsoll.ToolCall{Name: "shell", Arguments: `{"a":"B"}`})),
	} {
		if other, ok := digests[d]; ok {
			t.Errorf("%s looks like %s", name, other)
		}
		digests[d] = name
	}
	if shownOf([]string{" a\n", "b"}, nil) != shownOf([]string{"ab"}, nil) {
		t.Error("white space and the cut of texts should not matter")
	}
}

func TestClientsMayWriteArgumentsAnew(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, a, b string }{
		{"the order of keys", `{"a":1,"b":{"c":2,"d":3}}`, `{"b":{"d":3,"c":2},"a":1}`},
		{"white space", `{"a":[1,2]}`, "{ \"a\" : [ 1,\n 2 ] }"},
		{"how a character is written", `{"a":"<\u00e9/>"}`, `{"a":"\u003cé\/\u003e"}`},
		{"how a number is written", `{"a":1.50,"b":100}`, `{"a":1.5,"b":1e2}`},
		{"no arguments", "", " {} "},
		{"nothing for arguments", "null", "{}"},
		{"members that are null", `{"a":null,"b":[{"c":null}],"d":[null]}`, `{"b":[{}],"d":[null]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			shown := func(arguments string) plimsoll.Digest {
				return shownOf(nil, []plimsoll.ToolCall{{ID: "1", Arguments: arguments}})
			}
			if shown(tt.a) != shown(tt.b) {
				t.Errorf("%s and %s are taken for different arguments", tt.a, tt.b)
			}
		})
	}
}
