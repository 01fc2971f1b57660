package gemini_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

const (
	pieceOfText = `{"candidates":[{"content":{"role":"model","parts":[{"text":"a, ]} \"b\""}]},"index":0}]}`
	pieceOfOurs = `{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"hidden_tool","args":{}}}]},"index":0}]}`
	pieceOfEnd  = `{"candidates":[{"content":{"role":"model","parts":[{"text":"z"}]},"finishReason":"STOP","index":0}]}`
)

func TestPiecesOfAListAreHandedOnWhenTheyAreThere(t *testing.T) {
	t.Parallel()
	r := gemini.Codec{}.NewReply("", replytest.IsHiddenTool)
	for i, step := range []struct{ write, want string }{
		{"[", "["},
		{pieceOfText[:20], ""},
		{pieceOfText[20:], pieceOfText},
		{"\n,\r\n", ""},
		{pieceOfText, "\n,\r\n" + pieceOfText},
		{"\n,\r\n" + pieceOfEnd + "\n", "\n,\r\n" + pieceOfEnd},
	} {
		if got := string(r.Write([]byte(step.write))); got != step.want {
			t.Fatalf("step %d: %q was handed on, want %q", i, got, step.want)
		}
	}
	if got := string(r.Write([]byte("]\n"))) + func() string { r.End(); return string(r.Finish()) }(); got != "\n]\n" {
		t.Errorf("the end is %q", got)
	}
}

func TestPiecesBehindACallOfOursAreStillHandedOnOneByOne(t *testing.T) {
	t.Parallel()
	for name, second := range map[string]string{
		"as a list":       "[" + pieceOfText + ",\r\n" + pieceOfEnd + "]",
		"as a lone piece": pieceOfEnd,
	} {
		r := gemini.Codec{}.NewReply("", replytest.IsHiddenTool)
		out := string(r.Write([]byte("[" + pieceOfText + ",\r\n" + pieceOfOurs + ",\r\n" + `{"candidates":[{"finishReason":"STOP","index":0}]}` + "]")))
		if !strings.Contains(out, `\"b\"`) {
			t.Fatalf("%s: what came before the call is held back: %q", name, out)
		}
		round := r.End()
		if round.Broken || len(round.Calls) != 1 {
			t.Fatalf("%s: %+v", name, round)
		}
		r.Again()
		before, after := second[:len(second)-1], second[len(second)-1:]
		middle := string(r.Write([]byte(before)))
		if name == "as a list" && !strings.Contains(middle, `\"b\"`) {
			t.Errorf("%s: the first piece of the second answer is held back: %q", name, middle)
		}
		out += middle + string(r.Write([]byte(after)))
		r.End()
		out += string(r.Finish())
		var pieces []json.RawMessage
		if err := json.Unmarshal([]byte(out), &pieces); err != nil || strings.Contains(out, "hidden") || !strings.HasSuffix(out, "]") {
			t.Errorf("%s: %v in %s", name, err, out)
		}
		if last := string(pieces[len(pieces)-1]); !strings.Contains(last, `"z"`) || !strings.Contains(last, "STOP") {
			t.Errorf("%s: the last piece is %s", name, last)
		}
	}
}

func TestListsOfAnyShapePassAsTheyAre(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", " ", "[]", " [ ] ", "[ {} , {} ]", `[1, "a,]" ,null,[[]],{"x":"\\\"]"}]`, "[{}] and more", "[,{}]", "[{},]", "[{}", "[{]", "[}", "]", "[{} {}]",
		`{"a":[1]}`, "\n{", "no JSON", `["`, `[{"a":"`, "[" + pieceOfEnd + "]",
	} {
		for chunk := 1; chunk < 9; chunk++ {
			r := gemini.Codec{}.NewReply("", replytest.IsHiddenTool)
			out := replytest.Drip(r, []byte(body), chunk)
			r.End()
			if out = append(out, r.Finish()...); string(out) != body {
				t.Fatalf("%q passed as %q in pieces of %d", body, out, chunk)
			}
		}
	}
}

func TestAListThatBreaksOffIsNotCompleted(t *testing.T) {
	t.Parallel()
	whole := "[" + pieceOfText + "," + pieceOfOurs + "," + pieceOfEnd + "]"
	for n := range whole {
		r := gemini.Codec{}.NewReply("", replytest.IsHiddenTool)
		out := r.Write([]byte(whole[:n]))
		if round := r.End(); !round.Broken {
			t.Fatalf("%q counts as whole", whole[:n])
		}
		if out = append(out, r.Finish()...); json.Valid(out) {
			t.Fatalf("%q was completed to %q", whole[:n], out)
		}
	}
}
