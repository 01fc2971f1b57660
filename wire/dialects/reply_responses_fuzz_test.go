package dialects_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// checkAnything holds for whatever a server sends, in two answers: nothing panics, the
// bytes of an answer without our tools pass, and no more comes out than has to.
func checkAnything(t *testing.T, d plimsoll.Dialect, streamed bool, first, second []byte, chunk int) {
	t.Helper()
	r := dialects.Codec(d).NewReply(streamed, isOurTool)
	out := drip(r, first, chunk)
	round := r.End()
	if !bytes.Contains(first, []byte("hidden")) && !bytes.Contains(first, []byte(`\`)) {
		out = append(out, r.Finish()...)
		if !bytes.Equal(out, first) {
			t.Fatalf("%q passed as %q", first, out)
		}
		return
	}
	checkSendable(t, d, round)
	results := [][]wire.Result{answersTo(round.Calls)}
	r.Again()
	out = append(out, drip(r, second, chunk)...)
	round = r.End()
	checkSendable(t, d, round)
	results = append(results, answersTo(round.Calls))
	out = append(out, r.Finish()...)
	if most := 16*(len(first)+len(second)) + 1024; len(out) > most {
		t.Fatalf("%d bytes became %d", len(first)+len(second), len(out))
	}
	r.Record(results)
}

func checkSendable(t *testing.T, d plimsoll.Dialect, round wire.Round) {
	t.Helper()
	if len(round.Calls) == 0 || round.Broken {
		return
	}
	list := map[plimsoll.Dialect]string{plimsoll.Responses: "input", plimsoll.Gemini: "contents"}[d]
	body := `{"` + list + `":[` + strings.Join(texts(round.Said), ",") + `]}`
	decodedBody(t, dialects.Codec(d), []byte(body))
}

func fuzzAnswers(f *testing.F, d plimsoll.Dialect, v teller) {
	story := tale{ids: true, answers: []told{
		{pieces: []piece{{kind: saysText, text: "a"}, {kind: callsOurs, call: plimsoll.ToolCall{ID: "1", Name: ourTool, Arguments: "{}"}}}},
		{pieces: []piece{{kind: saysThought, text: "b"}, {kind: callsTheirs, call: plimsoll.ToolCall{ID: "2", Name: "shell", Arguments: "{}"}}}},
	}}
	for _, streamed := range []bool{true, false} {
		answers := make([][]byte, len(story.answers))
		for i, a := range story.answers {
			if answers[i] = v.whole(i, a); streamed {
				answers[i] = v.streamed(i, a)
			}
		}
		f.Add(streamed, answers[0], answers[1], uint16(50))
		f.Add(streamed, answers[1], answers[0], uint16(1))
	}
	f.Fuzz(func(t *testing.T, streamed bool, first, second []byte, chunk uint16) {
		checkAnything(t, d, streamed, first, second, int(chunk)+1)
	})
}

func FuzzResponses(f *testing.F) { fuzzAnswers(f, plimsoll.Responses, responsesTeller{}) }
