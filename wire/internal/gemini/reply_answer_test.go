package gemini_test

import (
	"bytes"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/gemini"
)

const (
	partOurs   = `{"functionCall":{"name":"hidden_tool","args":{"n":1}},"thoughtSignature":"c2ln"}`
	partTheirs = `{"functionCall":{"name":"shell","args":{}}}`
	partText   = `{"text":"Well."}`
)

// pieceOf makes a chunk of parts; without a reason it does not end the answer.
func pieceOf(finish string, parts ...string) string {
	if finish != "" {
		finish = fmt.Sprintf(`,"finishReason":%q`, finish)
	}
	return fmt.Sprintf(`{"candidates":[{"content":{"role":"model","parts":[%s]}%s}]}`, strings.Join(parts, ","), finish)
}

func dataOf(pieces ...string) (stream []byte) {
	for _, p := range pieces {
		stream = fmt.Appendf(stream, "data: %s\n\n", p)
	}
	return stream
}

func TestChunksOfGeminiLoseOurCallsAlone(t *testing.T) {
	t.Parallel()
	billed := `{"candidates":[{"content":{"role":"model","parts":[` + partOurs + `]}}],"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`
	for _, tt := range []struct {
		name       string
		data, want []string
		broken     bool
	}{
		{
			"text beside a call stays",
			[]string{pieceOf("", partText, partOurs), pieceOf("STOP", partText)},
			[]string{pieceOf("", partText), pieceOf("STOP", partText)},
			false,
		},
		{
			"a chunk of our calls goes",
			[]string{pieceOf("", partText), pieceOf("", partOurs), pieceOf("STOP", `{"text":""}`)},
			[]string{pieceOf("", partText), pieceOf("STOP", `{"text":""}`)},
			false,
		},
		{
			"what it says of the bill stays",
			[]string{billed, pieceOf("STOP", partText)},
			[]string{strings.TrimSuffix(pieceOf("STOP", partText), "}") + `,"usageMetadata":{"promptTokenCount":3,"candidatesTokenCount":2,"totalTokenCount":5}}`},
			false,
		},
		{
			"the end that stands beside a call stays",
			[]string{pieceOf("STOP", partOurs)},
			[]string{pieceOf("STOP", `{"text":""}`)},
			false,
		},
		{
			"an answer that was cut short ends so",
			[]string{pieceOf("", partOurs), pieceOf("MAX_TOKENS", partText)},
			[]string{pieceOf("MAX_TOKENS", partText)},
			false,
		},
		{
			"the first call of the client's is signed in place of ours",
			[]string{pieceOf("", partOurs), pieceOf("", partTheirs, partTheirs), pieceOf("STOP", `{"text":""}`)},
			[]string{pieceOf("", strings.TrimSuffix(partTheirs, "}")+`,"thoughtSignature":"c2ln"}`, partTheirs), pieceOf("STOP", `{"text":""}`)},
			false,
		},
		{
			"a signature of its own stays",
			[]string{pieceOf("STOP", partTheirs, partOurs, partTheirs)},
			[]string{pieceOf("STOP", partTheirs, partTheirs)},
			false,
		},
		{
			"all candidates",
			[]string{`{"candidates":[{"index":1,"content":{"parts":[` + partOurs + `,` + partText + `]}},{"index":0,"content":{"parts":[` + partText + `]},"finishReason":"STOP"}]}`},
			[]string{`{"candidates":[{"index":1,"content":{"parts":[` + partText + `]}},{"index":0,"content":{"parts":[` + partText + `]},"finishReason":"STOP"}]}`},
			false,
		},
		{
			"noise and errors pass",
			[]string{pieceOf("", partOurs), "noise", `{"error":{"code":503}}`},
			[]string{"noise", `{"error":{"code":503}}`},
			true,
		},
		{
			"an error as a list passes",
			[]string{pieceOf("", partText), `[{"error":{"code":503}}]`, pieceOf("STOP", partText)},
			[]string{pieceOf("", partText), `[{"error":{"code":503}}]`, pieceOf("STOP", partText)},
			true,
		},
		{"a stream that breaks off gets no end", []string{pieceOf("", partText, partOurs)}, []string{pieceOf("", partText)}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, round, view := oneAnswer(true, dataOf(tt.data...))
			if diff := cmp.Diff(string(dataOf(tt.want...)), view); diff != "" {
				t.Errorf("the client's stream (-want +got):\n%s", diff)
			}
			if round.Broken != tt.broken {
				t.Errorf("broken %v, want %v", round.Broken, tt.broken)
			}
			if list := "[" + strings.Join(tt.data, ",") + "]"; !tt.broken {
				_, _, view := oneAnswer(false, []byte(list))
				if diff := cmp.Diff("["+strings.Join(tt.want, ",")+"]", view); diff != "" {
					t.Errorf("the client's list (-want +got):\n%s", diff)
				}
			}
		})
	}
}

func TestASignatureOfAnEarlierAnswerIsNotUsed(t *testing.T) {
	t.Parallel()
	r := gemini.Codec{}.NewReply("text/event-stream", replytest.IsHiddenTool)
	r.Write(dataOf(pieceOf("STOP", partOurs)))
	r.End()
	r.Again()
	data := dataOf(pieceOf("", partTheirs), pieceOf("STOP", partText))
	view := replytest.Drip(r, data, 7)
	r.End()
	if view = append(view, r.Finish()...); !bytes.Equal(view, data) {
		t.Errorf("the client sees %s, want %s", view, data)
	}
}

func TestCallsOfAnAnswerOfGeminiThatWasCutShortAreNone(t *testing.T) {
	t.Parallel()
	_, round, _ := oneAnswer(false, []byte(pieceOf("MAX_TOKENS", partText, partOurs)))
	want := wire.Round{Said: [][]byte{[]byte(`{"role":"model","parts":[` + partText + `]}`)}}
	if diff := cmp.Diff(want, round); diff != "" {
		t.Errorf("round (-want +got):\n%s", diff)
	}
}

func TestTextOfGeminiIsPutTogether(t *testing.T) {
	t.Parallel()
	thought := `{"text":"Hm. ","thought":true}`
	signed := `{"text":"!","thoughtSignature":"c2ln"}`
	_, round, _ := oneAnswer(true, dataOf(
		pieceOf("", thought), pieceOf("", thought), pieceOf("", `{"text":"a \"b"}`), pieceOf("", `{"text":"\u00e9\n"}`), pieceOf("", signed),
		pieceOf("", `{"text":"c"}`, `{"text":"d"}`), pieceOf("STOP", partOurs)))
	want := `{"role":"model","parts":[{"text":"Hm. Hm. ","thought":true},{"text":"a \"b\u00e9\n"},` + signed + `,{"text":"c"},{"text":"d"},` + partOurs + `]}`
	if diff := cmp.Diff([]string{want}, replytest.Strings(round.Said)); diff != "" {
		t.Errorf("said (-want +got):\n%s", diff)
	}
}

func TestBodiesThatAreNoAnswerOfGeminiPass(t *testing.T) {
	t.Parallel()
	for _, body := range []string{
		"", "not json", `{"error":{"code":400}}`, `[{"error":{"code":400}}]`, "[]", pieceOf("STOP", partOurs)[:60],
		`{"promptFeedback":{"blockReason":"SAFETY"}}`, pieceOf("", partText), `{"candidates":"odd"}`, `{"candidates":[7,{"content":7}]}`,
	} {
		_, round, view := oneAnswer(false, []byte(body))
		if view != body || !round.Broken {
			t.Errorf("%s became %s, broken %v", body, view, round.Broken)
		}
	}
}

func TestOurResponsesStandBesideTheClients(t *testing.T) {
	t.Parallel()
	response := `{"functionResponse":{"name":"shell","response":{"output":"theirs"}}}`
	ours := `{"functionResponse":{"name":"hidden_tool","response":{"output":"answer to {\"n\":1}"}}}`
	said := `{"role":"model","parts":[` + partOurs + `,` + partTheirs + `]}`
	for _, tt := range []struct{ name, next, want string }{
		{"behind it", `{"role":"user","parts":[` + response + `,{"text":"go on"}]}`, `{"role":"user","parts":[` + response + `,` + ours + `,{"text":"go on"}]}`},
		{"behind the only one, which is no list", `{"role":"user","parts":` + response + `}`, `{"role":"user","parts":[` + response + `,` + ours + `]}`},
		{"nowhere, if there is none", `{"role":"user","parts":[{"text":"stop"}]}`, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			reply, round, _ := oneAnswer(false, []byte(pieceOf("STOP", partOurs, partTheirs)))
			record, _ := reply.Record([][]wire.Result{replytest.ResultsFor(round.Calls)})
			shown := `{"role":"model","parts":[` + partTheirs + `]}`
			v := server{}
			body := v.Request(v.User("hello"), shown, tt.next)
			restored, err := wire.Restore(gemini.Codec{}, replytest.MustDecode(t, gemini.Codec{}, body), map[int]wire.Record{1: record})
			if err != nil {
				t.Fatal(err)
			}
			want := body
			if tt.want != "" {
				want = v.Request(v.User("hello"), said, tt.want)
			}
			if diff := cmp.Diff(string(want), string(restored)); diff != "" {
				t.Fatalf("restored (-want +got):\n%s", diff)
			}
			if found := wire.Check(replytest.MustDecode(t, gemini.Codec{}, restored)); tt.want != "" && len(found) > 0 {
				t.Errorf("%v in %s", found, restored)
			}
		})
	}
}

func TestResultsOfGeminiSayWhatFailed(t *testing.T) {
	t.Parallel()
	call := plimsoll.ToolCall{ID: "1", Name: "hidden_tool"}
	r := replytest.MustDecode(t, gemini.Codec{}, []byte(`{"contents":{"parts":[{"text":"hello"}]}}`))
	body, err := wire.Continue(gemini.Codec{}, r, [][]byte{[]byte(`{"role":"model","parts":[` + partOurs + `]}`)}, []wire.Result{{Call: call, Text: "no such ref", IsError: true}})
	if err != nil {
		t.Fatal(err)
	}
	want := `{"contents":[{"parts":[{"text":"hello"}]},{"role":"model","parts":[` + partOurs +
		`]},{"role":"user","parts":[{"functionResponse":{"id":"1","name":"hidden_tool","response":{"error":"no such ref"}}}]}]}`
	if !bytes.Equal(body, []byte(want)) {
		t.Errorf("continued (-want +got):\n%s", cmp.Diff(want, string(body)))
	}
}
