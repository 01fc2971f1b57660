package wire_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// drawAnswers draws what a model says in one reply: it calls our tools as long as it
// goes on, and the client's only in the end.
func drawAnswers(t *rapid.T, v voice) []testAnswer {
	texts := rapid.SampledFrom([]string{"Let me look.", "\"quoted\" \\ é 日本 🚢", "a <b> & c\n", " x", "{\"role\":\"assistant\"}", "[DONE]"})
	n := rapid.IntRange(1, 4).Draw(t, "rounds")
	answers := make([]testAnswer, n)
	id := 0
	call := func(name string) plimsoll.Part {
		id++
		arguments := rapid.SampledFrom([]string{"{}", `{"ref_id":"a \"b\" <c>","n":1.50}`, `{ "x" : [1, 2] }`}).Draw(t, "arguments")
		return plimsoll.ToolCall{ID: fmt.Sprintf("call_%d", id), Name: name, Arguments: arguments}
	}
	for i := range answers {
		last := i == n-1
		var parts []plimsoll.Part
		for range rapid.IntRange(1, 5).Draw(t, "parts") {
			switch k := rapid.IntRange(0, 9).Draw(t, "part"); {
			case k < 2:
				parts = append(parts, plimsoll.Reasoning{Text: texts.Draw(t, "thought"), Signature: fmt.Sprint("sig", i)})
			case k < 5:
				parts = append(parts, plimsoll.Text{Text: texts.Draw(t, "text")})
			case k < 7:
				parts = append(parts, call(ourTool))
			case last:
				parts = append(parts, call("shell"))
			}
		}
		a := testAnswer{n: i + 1, piece: rapid.IntRange(1, 20).Draw(t, "piece"), odd: rapid.Bool().Draw(t, "odd")}
		a.parts = v.order(parts)
		if !last && len(a.calls(true)) == 0 {
			a.parts = append(a.parts, call(ourTool))
		}
		if len(a.parts) == 0 || a.stops() && !hasText(a.parts) {
			a.parts = append(a.parts, plimsoll.Text{Text: "Done."})
		}
		a.parts = v.order(a.parts)
		answers[i] = a
	}
	return answers
}

func hasText(parts []plimsoll.Part) bool {
	return slices.ContainsFunc(parts, func(p plimsoll.Part) bool { _, ok := p.(plimsoll.Text); return ok })
}

// checkJoined checks the promises of the package for random answers.
func checkJoined(t *testing.T, v voice) {
	t.Helper()
	rapid.Check(t, func(t *rapid.T) {
		answers := drawAnswers(t, v)
		last := answers[len(answers)-1]
		streamed := rapid.Bool().Draw(t, "streamed")
		mixed := len(last.calls(true)) > 0 && len(last.calls(false)) > 0
		answerLast := mixed || rapid.Bool().Draw(t, "answered")
		question := plimsoll.Say(plimsoll.User, "What stands in the log?")
		body := v.request(t, question)
		p := v.play(t, body, answers, streamed, answerLast, func(n int) int { return rapid.IntRange(1, n).Draw(t, "cut") })
		checkRounds(t, answers, p)
		response := checkView(t, v, answers, p, streamed)

		follow := plimsoll.Say(plimsoll.User, "Go on.")
		said := []plimsoll.Message{question}
		if response.Message.Parts.Len() > 0 {
			said = append(said, response.Message)
		}
		if theirs := last.calls(false); len(theirs) > 0 {
			said = append(said, plimsoll.NewMessage(v.resultRole, clientResults(theirs)...))
		}
		said = append(said, follow)
		checkRestored(t, v, answers, p, answerLast, v.request(t, said...), v.request(t, append(said, plimsoll.Say(plimsoll.Assistant, "Yes."), follow)...))
	})
}

func checkRounds(t rapid.TB, answers []testAnswer, p played) {
	t.Helper()
	for i, r := range p.rounds {
		if diff := cmp.Diff(answers[i].calls(true), r.Calls); diff != "" {
			t.Fatalf("calls of round %d (-want +got):\n%s", i, diff)
		}
		if want := len(answers[i].calls(false)) > 0; r.Foreign != want || r.Broken {
			t.Fatalf("round %d: foreign %v, broken %v", i, r.Foreign, r.Broken)
		}
	}
}

// checkView holds what the client got against what the model said.
func checkView(t rapid.TB, v voice, answers []testAnswer, p played, streamed bool) wire.Response {
	t.Helper()
	last := answers[len(answers)-1]
	hides := len(answers) > 1 || len(last.calls(true)) > 0
	raw := v.whole(answers[0])
	if streamed {
		raw = v.stream(answers[0])
	}
	if !hides && !bytes.Equal(raw, p.view) {
		t.Fatalf("the very bytes should have passed:\n%s\n%s", raw, p.view)
	}
	if p.hidden != hides && len(p.results) == len(answers) {
		t.Fatalf("hidden: %v, want %v", p.hidden, hides)
	}
	if bytes.Contains(p.view, []byte(ourTool)) {
		t.Fatalf("the client sees our tool:\n%s", p.view)
	}
	response := v.view(t, p.view, streamed)
	var text, thoughts strings.Builder
	output := 0
	for _, a := range answers {
		output += a.output()
		for _, part := range a.parts {
			switch part := part.(type) {
			case plimsoll.Text:
				text.WriteString(part.Text)
			case plimsoll.Reasoning:
				thoughts.WriteString(part.Text)
			}
		}
	}
	var gotText, gotThoughts strings.Builder
	var calls []plimsoll.ToolCall
	for _, part := range response.Message.Parts.All() {
		switch part := part.(type) {
		case plimsoll.Text:
			gotText.WriteString(part.Text)
		case plimsoll.Reasoning:
			gotThoughts.WriteString(part.Text)
		case plimsoll.ToolCall:
			calls = append(calls, part)
		}
	}
	if diff := cmp.Diff(squeeze(text.String()), squeeze(gotText.String())); diff != "" {
		t.Fatalf("text (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(squeeze(thoughts.String()), squeeze(gotThoughts.String())); diff != "" {
		t.Fatalf("thoughts (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff(last.calls(false), calls); diff != "" {
		t.Fatalf("the client's calls (-want +got):\n%s", diff)
	}
	want := wire.StopEnd
	if len(calls) > 0 {
		want = wire.StopTools
	}
	if response.Stop != want {
		t.Fatalf("the reply ended by %q, want %q", response.Stop, want)
	}
	if response.HasUsage && (response.Usage.Output != output || response.Usage.Prompt() != 1000*last.n) {
		t.Fatalf("usage %+v, want %d put out by %d", response.Usage, output, 1000*last.n)
	}
	return response
}

// checkRestored holds a restored request against what the model saw.
func checkRestored(t rapid.TB, v voice, answers []testAnswer, p played, answerLast bool, next, later []byte) {
	t.Helper()
	r := v.decode(t, next) // a client may keep what it cannot send, such as thinking alone
	raw, err := json.Marshal(p.record)
	if err != nil {
		t.Fatal(err)
	}
	var stored wire.Record
	if err := json.Unmarshal(raw, &stored); err != nil {
		t.Fatal(err)
	}
	records := map[int]wire.Record{1: stored}
	if !p.hidden {
		records = nil
	}
	restored, err := wire.Restore(v.codec, r, records)
	if err != nil {
		t.Fatal(err)
	}
	if !p.hidden && &restored[0] != &next[0] {
		t.Fatal("a request without records should be the very body")
	}
	if again, _ := wire.Restore(v.codec, r, records); !bytes.Equal(again, restored) {
		t.Fatalf("restored once more:\n%s\n%s", restored, again)
	}
	shown := slices.ContainsFunc(r.Conversation().Messages.Slice(), func(m plimsoll.Message) bool { return m.Role == plimsoll.Assistant })
	if !p.hidden || !shown {
		return
	}
	if diff := cmp.Diff(v.seen(answers, answerLast), flat(v.valid(t, restored))); diff != "" {
		t.Fatalf("what the model sees (-want +got):\n%s\n%s", diff, restored)
	}
	if end := p.sent.Layout().Messages.End - 1; rawjson.SharedPrefix(p.sent.Body(), restored) < end {
		t.Fatalf("what the model has read is changed:\n%s\n%s", p.sent.Body(), restored)
	}
	longer, err := wire.Restore(v.codec, v.decode(t, later), records)
	if err != nil {
		t.Fatal(err)
	}
	if end := v.valid(t, restored).Layout().Messages.End - 1; rawjson.SharedPrefix(restored, longer) < end {
		t.Fatalf("a longer request does not begin with the shorter:\n%s\n%s", restored, longer)
	}
}

// seen lists what the model said and was told, part by part.
func (v voice) seen(answers []testAnswer, answerLast bool) []string {
	all := flatMessage(plimsoll.Say(plimsoll.User, "What stands in the log?"))
	for i, a := range answers {
		ours, theirs := a.calls(true), a.calls(false)
		last := i == len(answers)-1
		parts := slices.Clone(a.parts)
		if last && !answerLast {
			parts = slices.DeleteFunc(parts, func(p plimsoll.Part) bool { c, ok := p.(plimsoll.ToolCall); return ok && isOurs(c.Name) })
			ours = nil
			for len(parts) > 0 && isReasoning(parts[len(parts)-1]) {
				parts = parts[:len(parts)-1]
			}
		}
		all = append(all, flatMessage(plimsoll.NewMessage(plimsoll.Assistant, parts...))...)
		var results []plimsoll.Part
		for _, r := range resultsOf(ours) {
			results = append(results, plimsoll.ToolResult{CallID: r.Call.ID, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: r.Text})})
		}
		all = append(all, flatMessage(plimsoll.NewMessage(v.resultRole, v.beside(results, clientResults(theirs))...))...)
	}
	return append(all, flatMessage(plimsoll.Say(plimsoll.User, "Go on."))...)
}

func isReasoning(p plimsoll.Part) bool { _, ok := p.(plimsoll.Reasoning); return ok }
