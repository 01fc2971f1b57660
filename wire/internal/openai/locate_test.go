package openai

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOutputsAreFoundWhereTheyStand(t *testing.T) {
	t.Parallel()
	for message, plain := range map[string]bool{
		`{"role":"tool","tool_call_id":"a","content":"x \"y\" \\"}`:                    true,
		`{ "content" : "", "role" : "tool" }`:                                          true,
		`{"role":"tool","content":"first","content":"second"}`:                         true,
		`{"role":"user","role":"tool","content":"x"}`:                                  true,
		`{"role":"tool","role":"user","content":"x"}`:                                  false,
		`{"role":"tool","tool_call_id":"a","content":[{"type":"text","text":"x"}]}`:    false,
		`{"role":"tool","tool_call_id":"a","content":null}`:                            false,
		`{"role":"tool","tool_call_id":"a"}`:                                           false,
		`{"role":"tool","content":"x","name":"f"}`:                                     false,
		`{"role":"tool","content":"x","annotations":[1]}`:                              false,
		`{"role":"tool","content":"x","reasoning":"y"}`:                                false,
		`{"role":"function","name":"f","content":"x"}`:                                 false,
		`{"role":"assistant","content":"x"}`:                                           false,
		`{"role":"t\u006fol","content":"x"}`:                                           false,
		`{"role":"tool","content":"x","cache_control":{"type":"ephemeral"}}`:           false,
		`{"role":"assistant","tool_calls":[{"id":"a","function":{"arguments":"{}"}}]}`: false,
	} {
		body := []byte(`{"messages":[{"role":"user","content":"a"}, ` + message + ` ]}`)
		r, err := Codec{}.Decode(body)
		if err != nil {
			t.Fatalf("%s: %v", message, err)
		}
		w := &writer{layout: r.Layout()}
		at := w.layout.Messages.Items[1]
		_, ok := plainOutput(body, at)
		if ok != plain {
			t.Errorf("%s: plain is %v", message, ok)
		}
		if diff := cmp.Diff(w.locate(1, at).Places, w.Locate(1).Places); diff != "" {
			t.Errorf("%s: -slow +quick\n%s", message, diff)
		}
	}
}
