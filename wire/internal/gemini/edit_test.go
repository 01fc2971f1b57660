package gemini_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

const placeholder = "[tool output trimmed; ref=r1]"

// edited returns the body with the edits that a test makes.
func edited(t *testing.T, body string, edit func(*plimsoll.Draft) error) string {
	t.Helper()
	return wiretest.Edited(t, gemini.Codec{}, body, edit)
}

func TestO13_ATrimmedResultIsSerialisedAsItsPlaceholder(t *testing.T) {
	t.Parallel()
	const before = `{ "contents":[{"parts":[{"text":"go"}]},{"role":"model","parts":[{"thoughtSignature":"s/+=","functionCall":{"name":"f","args":{}}}]},{"parts":[ {"functionResponse": {"name":"f", `
	const after = `}} ]}], "seed": 9007199254740993 }`
	picture := plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "BB"}
	for _, tt := range []struct {
		name, result, want string
		content            []plimsoll.Part
	}{
		{"one text", `"response": {"output":"long"} , "x":1.0`, `"response": {"output":"` + placeholder + `"} , "x":1.0`, nil},
		{"an object with many members", `"response":{"a":[1,2],"b":{}}`, `"response":{"output":"` + placeholder + `"}`, nil},
		{"a failure stays a failure", `"response":{"error":"long"}`, `"response":{"error":"` + placeholder + `"}`, nil},
		{"null", `"response":null`, `"response":{"output":"` + placeholder + `"}`, nil},
		{
			"pictures beside the response go too", `"parts" : [{"inlineData":{"data":"AA"}}],"response":{"output":"long"}`,
			`"parts" : [],"response":{"output":"` + placeholder + `"}`, nil,
		},
		{
			"a picture may stay", `"response":{"output":"long"},"parts":{"inlineData":{"data":"AA"}}`,
			`"response":{"output":"` + placeholder + `"},"parts":[{"inlineData":{"mimeType":"image/png","data":"BB"}}]`,
			[]plimsoll.Part{plimsoll.Text{Text: placeholder}, picture},
		},
		{
			"a picture may come", `"response":{"output":"long"}`,
			`"response":{"output":"` + placeholder + `"},"parts":[{"inlineData":{"mimeType":"image/png","data":"BB"}}]`,
			[]plimsoll.Part{plimsoll.Text{Text: placeholder}, picture},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			content := textOf(placeholder)
			if tt.content != nil {
				content = plimsoll.ListOf(tt.content...)
			}
			got := edited(t, before+tt.result+after, func(d *plimsoll.Draft) error {
				return d.ReplaceResult(plimsoll.PartRef{Message: 2}, content, plimsoll.Why{Rung: "clear", Ref: &plimsoll.Ref{ID: "r1"}})
			})
			if diff := cmp.Diff(before+tt.want+after, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
			result := decode(t, got).Conversation().Messages.At(2).Parts.At(0).(plimsoll.ToolResult)
			if diff := cmp.Diff(content.Slice(), result.Content.Slice()); diff != "" {
				t.Errorf("read again (-want +got):\n%s", diff)
			}
		})
	}
}

func TestEditsTouchOnlyTheirSpans(t *testing.T) {
	t.Parallel()
	const start = `{"contents": [ {"role":"user","parts":[{"text":"u1"}]} , `
	const model = `{"role":"model", "parts" :[ {"thought":true,"text":"old"} , {"text":"a1", "thoughtSignature":"c2ln"} ]}`
	const end = `, {"parts":[{"text":"u2"}]} ], "n":1 }`
	for _, tt := range []struct {
		name string
		edit func(*plimsoll.Draft) error
		want string
	}{
		{
			"dropping the oldest turn", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 0, End: 2}, because) },
			`{"contents": [ {"parts":[{"text":"u2"}]} ], "n":1 }`,
		},
		{
			"dropping the newest turn", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 2, End: 3}, because) },
			start + model + ` ], "n":1 }`,
		},
		{
			"dropping everything", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 0, End: 3}, because) },
			`{"contents": [  ], "n":1 }`,
		},
		{
			"removing reasoning", func(d *plimsoll.Draft) error { return d.RemovePart(plimsoll.PartRef{Message: 1}, because) },
			start + `{"role":"model", "parts" :[ {"text":"a1", "thoughtSignature":"c2ln"} ]}` + end,
		},
		{"inserting messages", func(d *plimsoll.Draft) error {
			_, err := d.Insert(0, plimsoll.Say(plimsoll.User, "\"sum\""), because)
			if err == nil {
				_, err = d.Insert(0, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "t", Signature: "s"}, plimsoll.Text{Text: "ok"}), because)
			}
			return err
		}, `{"contents": [ {"role":"user","parts":[{"text":"\"sum\""}]},{"role":"model","parts":[{"thought":true,"text":"t","thoughtSignature":"s"},{"text":"ok"}]},` +
			strings.TrimPrefix(start, `{"contents": [ `) + model + end},
		{"inserting a call and its result", func(d *plimsoll.Draft) error {
			_, err := d.Insert(3, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Name: "f", Arguments: `{"a": 1.0}`},
				plimsoll.ToolCall{Name: "g"}, plimsoll.ToolCall{Name: "h", Arguments: "*** x"}), because)
			if err == nil {
				_, err = d.Insert(3, plimsoll.NewMessage(plimsoll.ToolRole,
					plimsoll.ToolResult{CallID: "1", Name: "f", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "r"}, plimsoll.Media{MIME: "a/b", URL: "u"})},
					plimsoll.ToolResult{Name: "g", IsError: true}), because)
			}
			return err
		}, start + model + strings.TrimSuffix(end, ` ], "n":1 }`) +
			`,{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{"a": 1.0}}},{"functionCall":{"name":"g","args":{}}},{"functionCall":{"name":"h","args":{"input":"*** x"}}}]}` +
			`,{"role":"user","parts":[{"functionResponse":{"id":"1","name":"f","response":{"output":"r"},"parts":[{"fileData":{"mimeType":"a/b","fileUri":"u"}}]}},{"functionResponse":{"name":"g","response":{"error":""}}}]}` +
			` ], "n":1 }`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.want, edited(t, start+model+end, tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestInstructionsAreAddedInTheFormThatIsThere(t *testing.T) {
	t.Parallel()
	const contents = `"contents":[{"parts":[{"text":"u"}]}]`
	for _, tt := range []struct{ name, system, want string }{
		{"a list of parts", `"systemInstruction":{"role":"user","parts":[ {"text":"s"} ]},`, `"systemInstruction":{"role":"user","parts":[ {"text":"s"},{"text":"more"} ]},`},
		{"an empty list", `"systemInstruction":{"parts":[]},`, `"systemInstruction":{"parts":[{"text":"more"}]},`},
		{"a lone part", `"system_instruction":{"parts":{"text":"\u0073"}},`, `"system_instruction":{"parts":[{"text":"\u0073"},{"text":"more"}]},`},
		{"parts that are null", `"system_instruction":{"parts":null},`, `"system_instruction":{"parts":[{"text":"more"}]},`},
		{"no parts", `"systemInstruction":{"role":"user"},`, `"systemInstruction":{"role":"user","parts":[{"text":"more"}]},`},
		{"an empty object", `"systemInstruction":{},`, `"systemInstruction":{"parts":[{"text":"more"}]},`},
		{"a string", `"systemInstruction":"\u0073",`, `"systemInstruction":{"parts":[{"text":"\u0073"},{"text":"more"}]},`},
		{"null", `"systemInstruction":null,`, `"systemInstruction":{"parts":[{"text":"more"}]},`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := edited(t, `{`+tt.system+contents+`}`, func(d *plimsoll.Draft) error {
				d.AddSystem(plimsoll.Text{Text: "more"}, because)
				return nil
			})
			if diff := cmp.Diff(`{`+tt.want+contents+`}`, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
	got := edited(t, `{`+contents+`}`, func(d *plimsoll.Draft) error { d.AddSystem(plimsoll.Text{Text: "more"}, because); return nil })
	if want := `{` + contents + `,"systemInstruction":{"parts":[{"text":"more"}]}}`; got != want {
		t.Errorf("where there was none: %s", got)
	}
}

func TestToolsAreAddedInTheFormThatIsThere(t *testing.T) {
	t.Parallel()
	const function, search = `{"name":"t","description":"d","parameters":{"type":"object"}}`, `{"googleSearch":{}}`
	for _, tt := range []struct {
		name, tools, want string
		opaque            bool
	}{
		{
			"functions", `[{"functionDeclarations":[ {"name":"a"} ]},{"functionDeclarations":[]}]`,
			`[{"functionDeclarations":[ {"name":"a"},` + function + ` ]},{"functionDeclarations":[]}]`, false,
		},
		{"tools of Google's own only", `[{"codeExecution":{}}]`, `[{"codeExecution":{}},{"functionDeclarations":[` + function + `]}]`, false},
		{"both kinds are added", `[{"functionDeclarations":[{"name":"a"}]}]`, `[{"functionDeclarations":[{"name":"a"},` + function + `]},` + search + `]`, true},
		{"a lone tool", `{"function_declarations":{"name":"a"}}`, `{"function_declarations":[{"name":"a"},` + function + `]}`, false},
		{"both kinds beside a lone tool", `{"functionDeclarations":[]}`, `[{"functionDeclarations":[]},` + search + `,{"functionDeclarations":[` + function + `]}]`, true},
		{"null", `null`, `[{"functionDeclarations":[` + function + `]}]`, false},
		{"none", ``, `[{"functionDeclarations":[` + function + `]}]`, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			member := func(value string) string {
				if value == "" {
					return ""
				}
				return `,"tools":` + value
			}
			got := edited(t, `{"contents":[]`+member(tt.tools)+`}`, func(d *plimsoll.Draft) error {
				if tt.opaque {
					d.AddTool(plimsoll.Tool{Opaque: search}, because)
				}
				d.AddTool(plimsoll.Tool{Name: "t", Description: "d", Schema: `{"type":"object"}`}, because)
				return nil
			})
			if diff := cmp.Diff(`{"contents":[]`+member(tt.want)+`}`, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestALoneContentBecomesAListWhenOthersJoinIt(t *testing.T) {
	t.Parallel()
	const lone = `{"parts": [ {"text":"u", "new":1.0}, {"inlineData":{"data":"AA"}} ] }`
	got := edited(t, `{"contents": `+lone+` }`, func(d *plimsoll.Draft) error {
		d.AddSystem(plimsoll.Text{Text: "s"}, because)
		_, err := d.Insert(0, plimsoll.Say(plimsoll.User, "before"), because)
		if err == nil {
			_, err = d.Insert(1, plimsoll.Say(plimsoll.Assistant, "after"), because)
		}
		return err
	})
	want := `{"contents": [{"role":"user","parts":[{"text":"before"}]},` + lone + `,{"role":"model","parts":[{"text":"after"}]}],"systemInstruction":{"parts":[{"text":"s"}]} }`
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestALoneContentThatIsChangedAndThenDroppedIsGone(t *testing.T) {
	t.Parallel()
	got := edited(t, `{"contents":{"parts":[{"text":"a"},{"text":"b"}]}}`, func(d *plimsoll.Draft) error {
		if err := d.RemovePart(plimsoll.PartRef{}, because); err != nil {
			return err
		}
		return d.Drop(plimsoll.Span{Start: 0, End: 1}, because)
	})
	if want := `{"contents":[]}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestAnEmptyListIsFilled(t *testing.T) {
	t.Parallel()
	got := edited(t, `{"contents":[ ]}`, func(d *plimsoll.Draft) error {
		_, err := d.Insert(0, plimsoll.Say(plimsoll.User, "u"), because)
		return err
	})
	if want := `{"contents":[ {"role":"user","parts":[{"text":"u"}]}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestAResultThatIsReplacedAndThenDroppedIsGone(t *testing.T) {
	t.Parallel()
	const round = `{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f","response":{},"parts":[{"inlineData":{"data":"AA"}}]}}]}`
	got := edited(t, `{"contents":[{"parts":[{"text":"u"}]},`+round+`,{"role":"model","parts":[{"text":"a"}]}]}`, func(d *plimsoll.Draft) error {
		if err := d.ReplaceResult(plimsoll.PartRef{Message: 2}, textOf("cut"), because); err != nil {
			return err
		}
		return d.Drop(plimsoll.Span{Start: 1, End: 3}, because)
	})
	if want := `{"contents":[{"parts":[{"text":"u"}]},{"role":"model","parts":[{"text":"a"}]}]}`; got != want {
		t.Errorf("got %s", got)
	}
}

func TestOfSeveralReplacementsTheLastIsWritten(t *testing.T) {
	t.Parallel()
	const before = `{"contents":[{"parts":[{"text":"u"}]},{"role":"model","parts":[{"functionCall":{"name":"f"}}]},{"parts":[{"functionResponse":{"name":"f","response":`
	got := edited(t, before+`{"output":"long"},"parts":[{"inlineData":{"data":"AA"}}]}}]}]}`, func(d *plimsoll.Draft) error {
		picture := plimsoll.Media{MIME: "a/b", URL: "u"}
		return errors.Join(
			d.ReplaceResult(plimsoll.PartRef{Message: 2}, textOf("first"), because),
			d.ReplaceResult(plimsoll.PartRef{Message: 2}, plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "last"}, picture), because),
		)
	})
	if want := before + `{"output":"last"},"parts":[{"fileData":{"mimeType":"a/b","fileUri":"u"}}]}}]}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestWhatCannotBeWrittenIsAnError(t *testing.T) {
	t.Parallel()
	system := func(d *plimsoll.Draft) error { d.AddSystem(plimsoll.Text{Text: "s"}, because); return nil }
	tool := func(d *plimsoll.Draft) error { d.AddTool(plimsoll.Tool{Name: "t"}, because); return nil }
	for _, tt := range []struct {
		name, body string
		edit       func(*plimsoll.Draft) error
	}{
		{"instructions beside cached content", `{"contents":[],"cachedContent":"cachedContents/1"}`, system},
		{"tools beside cached content", `{"contents":[],"cached_content":"cachedContents/1"}`, tool},
		{"a part of a lone content", `{"contents":{"parts":[{"text":"a"},{"text":"b"}]}}`, func(d *plimsoll.Draft) error {
			return d.RemovePart(plimsoll.PartRef{}, because)
		}},
		{"a result that has no response", `{"contents":[{"parts":[{"functionResponse":{"name":"f"}}]}]}`, func(d *plimsoll.Draft) error {
			return d.ReplaceResult(plimsoll.PartRef{}, textOf("x"), because)
		}},
	} {
		r := decode(t, tt.body)
		d := plimsoll.NewDraft(r.Conversation(), nil)
		if err := tt.edit(d); err != nil {
			t.Fatal(err)
		}
		if out, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
			t.Errorf("%s: %v, %s", tt.name, err, out)
		}
	}
}

func TestThoughtSignaturesGoThroughByteForByte(t *testing.T) {
	t.Parallel()
	const old = `{"role":"user","parts":[{"text":"one"}]},{"role":"model","parts":[{"text":"done"}]},`
	const newest = `{"role":"user","parts":[{"text":"two"}]},
	  {"role":"model","parts":[{"functionCall":{"name":"f","args":{"x":1.0}},"thoughtSignature":"Q2lR\u002bkJ\/=="} , {"functionCall":{"name":"f","args":{}}}]},
	  {"role":"user","parts":[{"functionResponse":{"name":"f","response":{"output":"long"}}},{"functionResponse":{"name":"f","response":{"output":"b"}}}]},
	  {"role":"model","parts":[{"thought":true,"text":"t","thought_signature":"\u0041"},{"text":"","thoughtSignature":"B"}]}]}`
	got := edited(t, `{"contents":[`+old+newest, func(d *plimsoll.Draft) error {
		if err := d.Drop(plimsoll.Span{Start: 0, End: 2}, because); err != nil {
			return err
		}
		return d.ReplaceResult(plimsoll.PartRef{Message: 4}, textOf("cut"), because)
	})
	if want := `{"contents":[` + strings.Replace(newest, "long", "cut", 1); got != want {
		t.Errorf("got %s", got)
	}
}

func TestAResumedSessionWithEveryResponseTwiceIsReportedAndEdited(t *testing.T) {
	t.Parallel()
	const call = `{"role":"model","parts":[{"functionCall":{"id":"1","name":"f","args":{}},"thoughtSignature":"skip_thought_signature_validator"}]}`
	const response = `{"functionResponse":{"id":"1","name":"f","response":{"output":"long"}}}`
	for _, tt := range []struct{ name, responses, rule string }{
		{"in one content", `{"role":"user","parts":[` + response + `,` + response + `]}`, wire.RuleOrphanResult},
		{"in two contents", `{"role":"user","parts":[` + response + `]},{"role":"user","parts":[` + response + `]}`, wire.RuleOrphanResult},
	} {
		body := `{"contents":[{"role":"user","parts":[{"text":"go"}]},` + call + `,` + tt.responses + `]}`
		wiretest.ExpectRule(t, wire.Check(decode(t, body)), tt.rule)
		got := edited(t, body, func(d *plimsoll.Draft) error {
			return d.ReplaceResult(d.Outline().Pairs[0].Result, textOf("cut"), because)
		})
		if want := strings.Replace(body, "long", "cut", 1); got != want {
			t.Errorf("%s: %s", tt.name, got)
		}
	}
}
