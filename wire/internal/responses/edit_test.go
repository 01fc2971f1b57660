package responses_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// edited decodes a body, edits it and returns what is sent. The edit and the
// result must be legal.
func edited(t *testing.T, body string, edit func(d *plimsoll.Draft) error) string {
	t.Helper()
	out := wiretest.Edited(t, responses.Codec{}, body, edit)
	if v := wire.CheckEdited(decode(t, body), decode(t, out)); len(v) > 0 {
		t.Errorf("the result is refused: %v\n%s", v, out)
	}
	return out
}

func TestO13_ATrimmedResultIsSentAsItsPlaceholder(t *testing.T) {
	t.Parallel()
	const patch = `{"type":"apply_patch_call","call_id":"c","operation":{}}`
	for _, tt := range []struct{ name, call, before, after string }{
		{
			"a string stays a string",
			`{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`,
			`{"type":"function_call_output", "id":"fco_1","call_id":"c","output" : "a long\ntext","status":"completed"}`,
			`{"type":"function_call_output", "id":"fco_1","call_id":"c","output" : "[cut \"x\"]","status":"completed"}`,
		},
		{
			"a list stays a list",
			`{"type":"custom_tool_call","call_id":"c","name":"f","input":""}`,
			`{"type":"custom_tool_call_output","output":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"}],"call_id":"c"}`,
			`{"type":"custom_tool_call_output","output":[{"type":"input_text","text":"[cut \"x\"]"}],"call_id":"c"}`,
		},
		{
			"the chunks of a shell stay chunks and keep the last outcome",
			`{"type":"shell_call","call_id":"c","action":{}}`,
			`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","stderr":"b","outcome":{"type":"exit","exit_code":0}},{"stdout":"c","stderr":"","outcome":{"type": "exit","exit_code":2}}]}`,
			`{"type":"shell_call_output","call_id":"c","output":[{"stdout":"[cut \"x\"]","stderr":"","outcome":{"type": "exit","exit_code":2}}]}`,
		},
		{
			"the output of a local shell",
			`{"type":"local_shell_call","id":"l","call_id":"c","action":{}}`,
			`{"type":"local_shell_call_output","id":"c","output":"{\"stdout\":1}"}`,
			`{"type":"local_shell_call_output","id":"c","output":"[cut \"x\"]"}`,
		},
		{
			"a patch with output", patch, `{"type":"apply_patch_call_output","call_id":"c","status":"completed","output":"ok"}`,
			`{"type":"apply_patch_call_output","call_id":"c","status":"completed","output":"[cut \"x\"]"}`,
		},
		{
			"a patch without output", patch, `{"type":"apply_patch_call_output","call_id":"c","status":"completed" }`,
			`{"type":"apply_patch_call_output","call_id":"c","status":"completed" ,"output":"[cut \"x\"]"}`,
		},
		{
			"a patch with null", patch, `{"type":"apply_patch_call_output","call_id":"c","status":"completed","output":null}`,
			`{"type":"apply_patch_call_output","call_id":"c","status":"completed","output":"[cut \"x\"]"}`,
		},
		{
			"the result of a program", `{"type":"program","id":"p","call_id":"c","code":"x"}`,
			`{"type":"program_output","id":"q","call_id":"c","result":"long","status":"completed"}`,
			`{"type":"program_output","id":"q","call_id":"c","result":"[cut \"x\"]","status":"completed"}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := edited(t, request(`{"role":"user","content":"go"}`, tt.call, tt.before), func(d *plimsoll.Draft) error {
				return d.ReplaceResult(plimsoll.PartRef{Message: 2}, textOf(`[cut "x"]`), because)
			})
			if want := request(`{"role":"user","content":"go"}`, tt.call, tt.after); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
			if got := describe(decode(t, got).Conversation().Messages.At(2)); !strings.HasSuffix(got, ` [text [cut "x"]]`) {
				t.Errorf("it reads %s", got)
			}
		})
	}
}

func TestAResultMayBecomeSeveralPartsOrNone(t *testing.T) {
	t.Parallel()
	several := plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "a"}, plimsoll.Opaque{Kind: "input_image", Raw: `{"type":"input_image","file_id":"f"}`})
	shell := []string{`{"type":"shell_call","call_id":"c","action":{}}`, `{"type":"shell_call_output","call_id":"c","output":[{"stdout":"a","stderr":"","outcome":{"type":"timeout"}}]}`}
	for _, tt := range []struct {
		name    string
		items   []string
		content plimsoll.List[plimsoll.Part]
		want    string
	}{
		{"several in the place of a string", []string{call, answer}, several, `"output":[{"type":"input_text","text":"a"},{"type":"input_image","file_id":"f"}]}`},
		{"none in the place of a string", []string{call, answer}, plimsoll.List[plimsoll.Part]{}, `"output":""}`},
		{"none in the place of a shell's chunks", shell, plimsoll.List[plimsoll.Part]{}, `"output":[]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := edited(t, request(append([]string{ask}, tt.items...)...), func(d *plimsoll.Draft) error {
				return d.ReplaceResult(plimsoll.PartRef{Message: 2}, tt.content, because)
			})
			if !strings.HasSuffix(got, tt.want+"]}") {
				t.Errorf("got %s\nwant %s at its end", got, tt.want)
			}
		})
	}
	r := decode(t, request(append([]string{ask}, shell...)...))
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := d.ReplaceResult(plimsoll.PartRef{Message: 2}, several, because); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("a picture in a shell's output: %v", err)
	}
}

func TestAScreenshotCanOnlyBecomeAnotherPicture(t *testing.T) {
	t.Parallel()
	r := decode(t, request(`{"role":"user","content":"go"}`, `{"type":"computer_call","id":"cu","call_id":"c","action":{}}`,
		`{"type":"computer_call_output","call_id":"c","output":{"type":"computer_screenshot","file_id":"f"}}`))
	at := plimsoll.PartRef{Message: 2}
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := d.ReplaceResult(at, textOf("cut"), because); err != nil {
		t.Fatal(err)
	}
	if _, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("a text: %v", err)
	}
	d = plimsoll.NewDraft(r.Conversation(), nil)
	picture := plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "AA"}
	if err := d.ReplaceResult(at, plimsoll.ListOf[plimsoll.Part](picture), because); err != nil {
		t.Fatal(err)
	}
	out, err := r.Encode(d)
	if err != nil || !strings.Contains(string(out), `"output":{"type":"computer_screenshot","image_url":"data:image/png;base64,AA"}`) {
		t.Errorf("a picture: %s, %v", out, err)
	}
}

func TestDroppedItemsLeaveTheOthersAsTheyWere(t *testing.T) {
	t.Parallel()
	items := []string{
		`{"role":"user","content":"one"}`, `{ "type":"message","id":"msg_1","role":"assistant","content":[{"type":"output_text","text":"1"}] }`,
		`{"role":"user","content":"two", "n": 1.0}`,
	}
	got := edited(t, request(items...), func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 0, End: 2}, because) })
	if want := request(items[2]); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOnePartOfAMessageCanBeRemoved(t *testing.T) {
	t.Parallel()
	got := edited(t, request(`{"role":"user","content":[{"type":"input_image","image_url":"u"}, {"type":"input_text","text":"x"}]}`), func(d *plimsoll.Draft) error {
		return d.RemovePart(plimsoll.PartRef{}, because)
	})
	if want := request(`{"role":"user","content":[{"type":"input_text","text":"x"}]}`); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestInsertedMessagesBecomeItems(t *testing.T) {
	t.Parallel()
	picture := plimsoll.Media{Kind: plimsoll.Image, URL: "u"}
	for _, tt := range []struct {
		name    string
		message plimsoll.Message
		want    string
	}{
		{"a summary", plimsoll.Say(plimsoll.User, "so \"far\""), `{"type":"message","role":"user","content":"so \"far\""}`},
		{
			"a list", plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "a"}, picture, plimsoll.Media{Kind: plimsoll.Document, Data: "data:x,y"}, plimsoll.Media{Kind: plimsoll.Document, URL: "u"}),
			`{"type":"message","role":"user","content":[{"type":"input_text","text":"a"},{"type":"input_image","image_url":"u"},{"type":"input_file","file_data":"data:x,y"},{"type":"input_file","file_url":"u"}]}`,
		},
		{
			"an assistant's texts", plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Text{Text: "a"}, plimsoll.Text{Text: "b"}),
			`{"type":"message","role":"assistant","content":[{"type":"output_text","text":"a"},{"type":"output_text","text":"b"}]}`,
		},
		{"items that are carried whole", plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Opaque{Kind: "web_search_call", Raw: `{"type":"web_search_call","id":"w"}`}), `{"type":"web_search_call","id":"w"}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := edited(t, request(`{"role":"user","content":"x"}`), func(d *plimsoll.Draft) error {
				_, err := d.Insert(0, tt.message, because)
				return err
			})
			if want := request(tt.want, `{"role":"user","content":"x"}`); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestABareStringBecomesAListWhenSomethingStandsBesideIt(t *testing.T) {
	t.Parallel()
	got := edited(t, `{"input": "a \u00e9" ,"x":1.0}`, func(d *plimsoll.Draft) error {
		d.AddSystem(plimsoll.Text{Text: "note"}, because)
		return nil
	})
	want := `{"input": [{"type":"message","role":"system","content":"note"},{"type":"message","role":"user","content":"a \u00e9"}] ,"x":1.0}`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestMoreInstructionsStandBehindTheClientsOwn(t *testing.T) {
	t.Parallel()
	note := func(d *plimsoll.Draft) error {
		d.AddSystem(plimsoll.Text{Text: "note"}, because)
		return nil
	}
	for _, tt := range []struct{ name, before, after string }{
		{
			"instructions keep their bytes", `{"instructions":"be\tbrief","input":[{"role":"user","content":"x"}]}`,
			`{"instructions":"be\tbrief","input":[{"type":"message","role":"system","content":"note"},{"role":"user","content":"x"}]}`,
		},
		{
			"the role is that of the leading items", request(`{"role":"developer","content":"a"}`, `{"role":"user","content":"x"}`),
			request(`{"role":"developer","content":"a"}`, `{"type":"message","role":"developer","content":"note"}`, `{"role":"user","content":"x"}`),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if got := edited(t, tt.before, note); got != tt.after {
				t.Errorf("got  %s\nwant %s", got, tt.after)
			}
		})
	}
}

func TestAddedToolsJoinTheClientsOwn(t *testing.T) {
	t.Parallel()
	const ours = `{"type":"function","name":"expand","description":"reads \"more\"","parameters":{"type":"object"},"strict":false}`
	for _, tt := range []struct{ name, before, after string }{
		{"a list", `{"tools":[{"type":"web_search"} ],"input":"x"}`, `{"tools":[{"type":"web_search"},` + ours + ` ],"input":"x"}`},
		{"an empty list", `{"tools":[],"input":"x"}`, `{"tools":[` + ours + `],"input":"x"}`},
		{"null", `{"tools":null,"input":"x"}`, `{"tools":[` + ours + `],"input":"x"}`},
		{"none", `{"input":"x"}`, `{"input":"x","tools":[` + ours + `]}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := edited(t, tt.before, func(d *plimsoll.Draft) error {
				d.AddTool(plimsoll.Tool{Name: "expand", Description: `reads "more"`, Schema: `{"type":"object"}`}, because)
				return nil
			})
			if got != tt.after {
				t.Errorf("got  %s\nwant %s", got, tt.after)
			}
		})
	}
	got := edited(t, `{"input":"x"}`, func(d *plimsoll.Draft) error {
		d.AddTool(plimsoll.Tool{Name: "expand"}, because)
		d.AddTool(plimsoll.Tool{Opaque: `{"type":"web_search"}`}, because)
		return nil
	})
	if want := `{"input":"x","tools":[{"type":"function","name":"expand","parameters":{"type":"object","properties":{}},"strict":false},{"type":"web_search"}]}`; got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

const (
	think  = `{"type":"reasoning","id":"rs_1","summary":[],"encrypted_content":"gAAA"}`
	say    = `{"id":"msg_1","type":"message","role":"assistant","content":[{"type":"output_text","text":"reading"}]}`
	call   = `{"type":"function_call", "id":"fc_1" , "call_id":"c","name":"f","arguments":"{}"}`
	answer = `{"type":"function_call_output","id":"fco_1","call_id":"c","output":"r"}`
	ask    = `{"role":"user","content":"go"}`
)

func TestAnItemLosesItsIDWithItsReasoning(t *testing.T) {
	t.Parallel()
	last := strings.ReplaceAll(strings.ReplaceAll(call, "fc_1", "fc_2"), `"c"`, `"d"`)
	end := strings.ReplaceAll(answer, `"c"`, `"d"`)
	end = strings.ReplaceAll(end, "fco_1", "fco_2")
	think2 := strings.ReplaceAll(think, "rs_1", "rs_2")
	body := request(ask, think, say, call, answer, think2, last, end)
	got := edited(t, body, func(d *plimsoll.Draft) error { return d.Drop(d.Outline().Turns[0].Rounds[0].Span, because) })
	bare := `{"type":"function_call","call_id":"c","name":"f","arguments":"{}"}`
	if want := request(ask, bare, answer, think2, last, end); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestOnlyItemsThatNeedNoIDLoseIt(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, item, output, want string }{
		{"a message", say, "", strings.Replace(say, `"id":"msg_1",`, "", 1)},
		{"a custom call", `{"type":"custom_tool_call","id":"ctc_1","call_id":"c","name":"f","input":""}`, `{"type":"custom_tool_call_output","call_id":"c","output":"r"}`, `{"type":"custom_tool_call","call_id":"c","name":"f","input":""}`},
		{"a shell call", `{"type":"shell_call","id":"sh_1","call_id":"c","action":{}}`, `{"type":"shell_call_output","call_id":"c","output":[]}`, `{"type":"shell_call","call_id":"c","action":{}}`},
		{"a patch", `{"type":"apply_patch_call","id":"apc_1","call_id":"c","operation":{}}`, `{"type":"apply_patch_call_output","call_id":"c","output":"r"}`, `{"type":"apply_patch_call","call_id":"c","operation":{}}`},
		{"a call that must have one", `{"type":"local_shell_call","id":"lsh_1","call_id":"c","action":{}}`, `{"type":"local_shell_call_output","id":"c","output":"r"}`, `{"type":"local_shell_call","id":"lsh_1","call_id":"c","action":{}}`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			items := []string{ask, think, tt.item}
			want := []string{ask, tt.want}
			if tt.output != "" {
				items, want = append(items, tt.output), append(want, tt.output)
			}
			got := edited(t, request(items...), func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 1, End: 2}, because) })
			if want := request(want...); got != want {
				t.Errorf("got  %s\nwant %s", got, want)
			}
		})
	}
}

func TestReasoningIsNotParted(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		edit func(d *plimsoll.Draft) error
	}{
		{"its follower dropped", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 2, End: 3}, because) }},
		{"all behind it dropped", func(d *plimsoll.Draft) error { return d.Drop(plimsoll.Span{Start: 2, End: 5}, because) }},
		{"a message put between", func(d *plimsoll.Draft) error {
			_, err := d.Insert(2, plimsoll.Say(plimsoll.User, "x"), because)
			return err
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := decode(t, request(ask, think, say, call, answer))
			d := plimsoll.NewDraft(r.Conversation(), nil)
			if err := tt.edit(d); err != nil {
				t.Fatal(err)
			}
			if out, err := r.Encode(d); !errors.Is(err, plimsoll.ErrUnsupported) {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
	d := plimsoll.NewDraft(decode(t, request(ask, think, say)).Conversation(), nil)
	if err := d.RemovePart(plimsoll.PartRef{Message: 1}, because); err == nil {
		t.Error("reasoning alone can be removed")
	}
}
