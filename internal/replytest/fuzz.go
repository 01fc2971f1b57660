package replytest

import (
	"bytes"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// checkAnything holds for whatever a server sends, in two answers: nothing panics, the
// bytes of an answer without our tools pass, and no more comes out than has to.
func checkAnything(t *testing.T, v Server, streamed bool, first, second []byte, chunk int) {
	t.Helper()
	codec := v.Codec()
	r := codec.NewReply(v.Rules().ContentType(streamed), IsHiddenTool)
	out := Drip(r, first, chunk)
	round := r.End()
	if said := saidIn(t, first, streamed); !bytes.Contains(said, []byte("hidden")) && !bytes.Contains(said, []byte(`\`)) {
		out = append(out, r.Finish()...)
		if !bytes.Equal(out, first) {
			t.Fatalf("%q passed as %q", first, out)
		}
		return
	}
	checkSendable(t, codec, round)
	results := [][]wire.Result{ResultsFor(round.Calls)}
	r.Again()
	out = append(out, Drip(r, second, chunk)...)
	round = r.End()
	checkSendable(t, codec, round)
	results = append(results, ResultsFor(round.Calls))
	out = append(out, r.Finish()...)
	if most := 16*(len(first)+len(second)) + 1024; len(out) > most {
		t.Fatalf("%d bytes became %d", len(first)+len(second), len(out))
	}
	r.Record(results)
}

func checkSendable(t *testing.T, codec wire.Codec, round wire.Round) {
	t.Helper()
	if len(round.Calls) == 0 || round.Broken {
		return
	}
	body := `{"` + codec.Traits().Messages + `":[` + strings.Join(Strings(round.Said), ",") + `]}`
	MustDecode(t, codec, []byte(body))
}

// Fuzz lets a server say anything, in two answers.
func Fuzz(f *testing.F, v Server) {
	story := ModelReply{ids: true, Answers: []ModelAnswer{
		{Pieces: []Piece{{Kind: SaysText, Text: "a"}, {Kind: CallsHidden, Call: plimsoll.ToolCall{ID: "1", Name: HiddenTool, Arguments: "{}"}}}},
		{Pieces: []Piece{{Kind: SaysThought, Text: "b"}, {Kind: CallsTheirs, Call: plimsoll.ToolCall{ID: "2", Name: "shell", Arguments: "{}"}}}},
	}}
	for _, streamed := range []bool{true, false} {
		answers := make([][]byte, len(story.Answers))
		for i, a := range story.Answers {
			if answers[i] = v.Whole(i, a); streamed {
				answers[i] = v.Streamed(i, a)
			}
		}
		f.Add(streamed, answers[0], answers[1], uint16(50))
		f.Add(streamed, answers[1], answers[0], uint16(1))
	}
	f.Fuzz(func(t *testing.T, streamed bool, first, second []byte, chunk uint16) {
		checkAnything(t, v, streamed, first, second, int(chunk)+1)
	})
}

// Bench measures a streamed answer without hidden calls, as almost all are.
func Bench(b *testing.B, v Server) {
	var a ModelAnswer
	for range 400 {
		a.Pieces = append(a.Pieces, Piece{Kind: SaysText, Text: "some words of an answer "})
	}
	data := v.Streamed(0, a)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		r := v.Codec().NewReply(v.Rules().ContentType(true), IsHiddenTool)
		for rest := data; len(rest) > 0; {
			n := min(4096, len(rest))
			r.Write(rest[:n])
			rest = rest[n:]
		}
		r.End()
		r.Finish()
	}
}
