package responses_test

import (
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// A conversation in two requests: the second has only what is new.
const (
	firstRequest = `{"model":"gpt-5","instructions":"old ones","input":"Where is the load line?","store":true}`
	firstAnswer  = `{"id":"resp_1","model":"gpt-5","status":"completed","output":[
	  {"id":"rs_1","type":"reasoning","summary":[]},
	  {"id":"fc_1","type":"function_call","status":"completed","call_id":"c1","name":"grep","arguments":"{\"q\": \"line\"}"}],
	  "usage":{"input_tokens":40,"output_tokens":9,"input_tokens_details":{"cached_tokens":0}}}`
	secondRequest = `{"model":"gpt-5", "previous_response_id": "resp_1", "store":true,
	  "input": [ {"type":"function_call_output","call_id":"c1","output":"load.go:12","x":1.0} ], "seed":9007199254740993}`
)

func history(t *testing.T) [][]byte {
	t.Helper()
	items, err := responses.InputItems(decode(t, firstRequest))
	if err != nil {
		t.Fatal(err)
	}
	output, err := responses.OutputItems([]byte(firstAnswer))
	if err != nil {
		t.Fatal(err)
	}
	return append(items, output...)
}

func TestC11_AChainedRequestSaysWhatItContinues(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]string{
		secondRequest: "resp_1",
		firstRequest:  "",
		`{"previous_response_id":null,"input":"x"}`:                                "",
		`{"previous_response_id":"a","previous_response_id":"resp_2","input":"x"}`: "resp_2",
	} {
		if got := responses.PreviousResponseID(decode(t, body)); got != want {
			t.Errorf("%q, want %q: %s", got, want, body)
		}
	}
	chat, err := openai.Codec{}.Decode([]byte(`{"messages":[],"previous_response_id":"resp_1"}`))
	if err != nil {
		t.Fatal(err)
	}
	if got := responses.PreviousResponseID(chat); got != "" {
		t.Errorf("a request of another dialect continues %q", got)
	}
}

func TestC11_AnOutputMayAnswerACallThatTheServerHolds(t *testing.T) {
	t.Parallel()
	output := `{"type":"function_call_output","call_id":"c1","output":"x"}`
	for name, tt := range map[string]struct {
		body  string
		legal bool
	}{
		"a chain":        {secondRequest, true},
		"a conversation": {`{"conversation":"conv_1","input":[` + output + `]}`, true},
		"a reference":    {request(`{"type":"item_reference","id":"fc_1"}`, output), true},
		"an empty chain": {`{"previous_response_id":"resp_1","input":[]}`, true},
		"none of these":  {`{"conversation":null,"previous_response_id":null,"input":[` + output + `]}`, false},
	} {
		if v := wire.Check(decode(t, tt.body)); (len(v) == 0) != tt.legal {
			t.Errorf("%s: %v", name, v)
		}
	}
}

func TestC11_ItemsOfARequestAreItsBytes(t *testing.T) {
	t.Parallel()
	items, err := responses.InputItems(decode(t, request(ask, say)))
	if err != nil || len(items) != 2 || string(items[0]) != ask || string(items[1]) != say {
		t.Errorf("%s, %v", items, err)
	}
}

func TestC11_AChainIsRebuiltAsFullInput(t *testing.T) {
	t.Parallel()
	got, err := responses.Rebuild(decode(t, secondRequest), history(t))
	if err != nil {
		t.Fatal(err)
	}
	want := `{"model":"gpt-5","store":true,
	  "input": [ {"type":"message","role":"user","content":"Where is the load line?"},` +
		`{"id":"rs_1","type":"reasoning","summary":[]},` +
		`{"id":"fc_1","type":"function_call","status":"completed","call_id":"c1","name":"grep","arguments":"{\"q\": \"line\"}"},` +
		`{"type":"function_call_output","call_id":"c1","output":"load.go:12","x":1.0} ], "seed":9007199254740993}`
	if string(got) != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	r := decode(t, string(got))
	if v := wire.Check(r); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
	if pairs := r.Conversation().Outline().Pairs; len(pairs) != 1 || responses.PreviousResponseID(r) != "" {
		t.Errorf("pairs %v, continues %q", pairs, responses.PreviousResponseID(r))
	}
}

func TestC11_ARebuiltRequestCanBeEditedLikeAnyOther(t *testing.T) {
	t.Parallel()
	full, err := responses.Rebuild(decode(t, secondRequest), history(t))
	if err != nil {
		t.Fatal(err)
	}
	got := edited(t, string(full), func(d *plimsoll.Draft) error {
		return d.ReplaceResult(plimsoll.PartRef{Message: 3}, textOf("[cut]"), because)
	})
	if want := strings.Replace(string(full), "load.go:12", "[cut]", 1); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestC11_OlderItemsGiveWayToCompactedMessages(t *testing.T) {
	t.Parallel()
	items, err := responses.RenderItems(
		plimsoll.Say(plimsoll.User, "Summary: the line is in load.go."),
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "known to the server alone"}, plimsoll.Reasoning{Text: "hm", Signature: "gAAA"},
			plimsoll.Text{Text: "Reading."}, plimsoll.ToolCall{ID: "c1", Name: "grep", Arguments: "{}"}),
	)
	if err != nil {
		t.Fatal(err)
	}
	got, err := responses.Rebuild(decode(t, secondRequest), items)
	if err != nil {
		t.Fatal(err)
	}
	var messages []string
	r := decode(t, string(got))
	for _, m := range r.Conversation().Messages.All() {
		messages = append(messages, describe(m))
	}
	want := []string{
		"user: text Summary: the line is in load.go.", `assistant: reasoning "hm" "gAAA" redacted false`, "assistant: text Reading.",
		"assistant: call c1 grep({})", "tool: result of c1 [text load.go:12]",
	}
	if diff := cmp.Diff(want, messages); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if v := wire.Check(r); len(v) > 0 {
		t.Errorf("refused: %v", v)
	}
}

func TestC11_ABareStringIsRebuiltToo(t *testing.T) {
	t.Parallel()
	got, err := responses.Rebuild(decode(t, `{"input":"and \"now\"?","previous_response_id":"resp_1"}`), [][]byte{[]byte(`{"role":"user","content":"first"}`)})
	want := `{"input":[{"role":"user","content":"first"},{"type":"message","role":"user","content":"and \"now\"?"}]}`
	if err != nil || string(got) != want {
		t.Errorf("%v\ngot  %s\nwant %s", err, got, want)
	}
	got, err = responses.Rebuild(decode(t, `{"previous_response_id":"resp_1","input":[]}`), nil)
	if err != nil || string(got) != `{"input":[]}` {
		t.Errorf("without history: %s, %v", got, err)
	}
}

func TestC11_WhatCannotBeRebuiltIsAnError(t *testing.T) {
	t.Parallel()
	if _, err := responses.Rebuild(decode(t, firstRequest), nil); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("no chain: %v", err)
	}
	for _, item := range []string{`{`, `7`, ``, `{"role":"user","content":"x"}]`, `{}`} {
		if _, err := responses.Rebuild(decode(t, secondRequest), [][]byte{[]byte(item)}); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("item %q: %v", item, err)
		}
	}
	sound := plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "x"}, plimsoll.Media{Kind: plimsoll.Audio})
	if _, err := responses.RenderItems(sound); !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("a sound: %v", err)
	}
	for _, body := range []string{`{"id":"resp_1"}`, `[]`, `{"output":[`, ``} {
		if _, err := responses.OutputItems([]byte(body)); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("answer %q: %v", body, err)
		}
	}
}

func TestC11_ItemsAreFoundInTheLastEventOfAStream(t *testing.T) {
	t.Parallel()
	items, err := responses.OutputItems([]byte(`{"type":"response.completed","response":` + firstAnswer + `}`))
	if err != nil || len(items) != 2 || !strings.HasPrefix(string(items[1]), `{"id":"fc_1"`) {
		t.Errorf("%s, %v", items, err)
	}
}

func ExampleRebuild() {
	codec := responses.Codec{}
	r, err := codec.Decode([]byte(`{"model":"gpt-5","previous_response_id":"resp_1","input":"And now?"}`))
	if err != nil {
		fmt.Println(err)
		return
	}
	earlier, err := responses.RenderItems(plimsoll.Say(plimsoll.User, "Hello."), plimsoll.Say(plimsoll.Assistant, "Hi."))
	if err != nil {
		fmt.Println(err)
		return
	}
	body, err := responses.Rebuild(r, earlier)
	fmt.Println(string(body), err)
	// Output: {"model":"gpt-5","input":[{"type":"message","role":"user","content":"Hello."},{"type":"message","role":"assistant","content":"Hi."},{"type":"message","role":"user","content":"And now?"}]} <nil>
}

func FuzzOutputItems(f *testing.F) {
	f.Add([]byte(firstAnswer))
	f.Add([]byte(`{"type":"response.completed","response":` + firstAnswer + `}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		items, err := responses.OutputItems(answer)
		if err != nil {
			return
		}
		for _, item := range items {
			if !bytes.Contains(answer, item) {
				t.Errorf("an item that the answer does not have: %q", item)
			}
		}
	})
}
