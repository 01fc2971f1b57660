package wire_test

import (
	"bytes"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/wire"
)

// asksTwice is a model that calls our tool, then ours and the client's together, and is
// done when it has all results.
func asksTwice(c *scripted.Call) (scripted.Step, bool) {
	ours := plimsoll.ToolCall{Name: ourTool, Arguments: `{"ref_id":"r"}`}
	switch c.N {
	case 0:
		return scripted.Step{Text: "Let me look.", Calls: []plimsoll.ToolCall{ours}}, true
	case 1:
		return scripted.Step{Text: "Now both.", Calls: []plimsoll.ToolCall{ours, {Name: "shell"}, ours}}, true
	}
	return scripted.Say("It is done."), true
}

// A model that is as strict as the real ones takes what is woven and restored, over
// HTTP, in chunks as they come.
func TestAStrictModelTakesWhatIsWovenAndRestored(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		voice voice
		path  string
	}{{anthropicVoice, "/v1/messages"}, {openaiVoice, "/v1/chat/completions"}} {
		for _, streamed := range []bool{true, false} {
			t.Run(fmt.Sprintf("%s, streamed %v", tt.voice.codec.Dialect(), streamed), func(t *testing.T) {
				t.Parallel()
				model := scripted.New(&scripted.Options{Script: asksTwice})
				server := httptest.NewServer(model)
				defer server.Close()
				c := client{tt.voice, server.URL + tt.path, streamed}
				question := plimsoll.Say(plimsoll.User, "What stands in the log?")

				first, record := c.ask(t, c.body(t, question))
				calls := callsOf(first)
				if len(calls) != 1 || calls[0].Name != "shell" || first.Stop != wire.StopTools {
					t.Fatalf("the client is to call %v, stop %q", calls, first.Stop)
				}
				results := plimsoll.NewMessage(c.voice.resultRole, clientResults(calls)...)
				restored, err := wire.Restore(c.voice.codec, c.voice.decode(t, c.body(t, question, first.Message, results)), map[int]wire.Record{1: record})
				if err != nil {
					t.Fatal(err)
				}
				second, _ := c.ask(t, restored)
				if got := second.Message.Text(); got != "It is done." {
					t.Errorf("the answer is %q", got)
				}
				log := model.Log()
				var seen []string
				for _, m := range log[len(log)-1].Call.Conversation.Messages.All() {
					seen = append(seen, kindsOf(m)...)
				}
				want := append([]string{"text", "text", "call", "result", "text", "call", "call", "call"}, "result", "result", "result")
				if diff := cmp.Diff(want, seen); diff != "" {
					t.Errorf("the model has seen (-want +got):\n%s", diff)
				}
			})
		}
	}
}

// client asks a model through a proxy that answers calls of ours.
type client struct {
	voice    voice
	address  string
	streamed bool
}

func (c client) body(t *testing.T, messages ...plimsoll.Message) []byte {
	t.Helper()
	body := c.voice.request(t, messages...)
	if !c.streamed {
		body = bytes.Replace(body, []byte(`"stream":true`), []byte(`"stream":false`), 1)
	}
	return body
}

func (c client) ask(t *testing.T, body []byte) (wire.Response, wire.Record) {
	t.Helper()
	reply := c.voice.codec.NewReply(c.streamed, isOurs)
	var view []byte
	var results [][]wire.Result
	for {
		view = append(view, c.read(t, reply, body)...)
		round := reply.End()
		if round.Broken {
			t.Fatalf("the answer to %s broke off", body)
		}
		results = append(results, resultsOf(round.Calls))
		if len(round.Calls) == 0 || round.Foreign {
			break
		}
		var err error
		if body, err = wire.Continue(c.voice.codec, c.voice.decode(t, body), round.Said, results[len(results)-1]); err != nil {
			t.Fatal(err)
		}
		reply.Again()
	}
	view = append(view, reply.Finish()...)
	if bytes.Contains(view, []byte(ourTool)) {
		t.Fatalf("the client sees our tool:\n%s", view)
	}
	record, _ := reply.Record(results)
	said := c.voice.codec.NewAssembler()
	if !c.streamed {
		response, err := c.voice.codec.ReadResponse(view)
		if err != nil {
			t.Fatal(err)
		}
		return response, record
	}
	for _, e := range events(t, view) {
		said.Event(e.Name, e.Data)
	}
	if !said.Done() {
		t.Fatalf("the stream has no end:\n%s", view)
	}
	return said.Response(), record
}

// read hands the answer to a request to the reply as it comes.
func (c client) read(t *testing.T, reply wire.Reply, body []byte) (view []byte) {
	t.Helper()
	response, err := http.Post(c.address, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		text, _ := io.ReadAll(response.Body)
		t.Fatalf("%s: %s for %s", response.Status, text, body)
	}
	chunk := make([]byte, 100)
	for {
		n, err := response.Body.Read(chunk)
		view = append(view, reply.Write(chunk[:n])...)
		if err == io.EOF {
			return view
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

func callsOf(r wire.Response) []plimsoll.ToolCall {
	var all []plimsoll.ToolCall
	for _, p := range r.Message.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			all = append(all, c)
		}
	}
	return all
}

func kindsOf(m plimsoll.Message) []string {
	var all []string
	for _, p := range m.Parts.All() {
		switch p.(type) {
		case plimsoll.Text:
			all = append(all, "text")
		case plimsoll.ToolCall:
			all = append(all, "call")
		case plimsoll.ToolResult:
			all = append(all, "result")
		}
	}
	return all
}
