package hook_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

const secret = "the crane is number 3"

// about is a compaction that hooks are asked about.
func about() fit.PreCompress {
	return fit.PreCompress{
		Trigger: fit.Automatic, Old: plimsoll.Span{Start: 0, End: 3}, Before: 900, Line: plimsoll.Line{Window: 1100, Reserve: 100},
		Conversation: plimsoll.Conversation{
			Model: "gpt-4o", Dialect: plimsoll.OpenAI,
			Messages: plimsoll.ListOf(
				plimsoll.Say(plimsoll.User, secret),
				plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "1", Name: "look", Arguments: `{"at":"crane"}`}),
				plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "1", Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "rust"}), IsError: true}),
				plimsoll.Say(plimsoll.Assistant, "I see."),
			),
		},
	}
}

// outcome is what became of it.
func outcome() fit.ChatCompressed {
	return fit.ChatCompressed{
		Trigger: fit.Manual, Status: fit.Compressed, Model: "gpt-4o", Dialect: plimsoll.OpenAI, Messages: 4,
		Old: plimsoll.Span{Start: 0, End: 3}, Before: 900, After: 300, Line: plimsoll.Line{Window: 1100, Reserve: 100},
		Ref: &plimsoll.Ref{ID: "abc"}, Duration: 1500 * time.Millisecond, Notes: []string{secret},
	}
}

// The notices, as every hook gets them.
const (
	wantBefore = `{"event":"PreCompress","trigger":"auto","model":"gpt-4o","dialect":"openai","tokens_before":900,"limit":1000,"messages":4,"old_messages":3}`
	wantAfter  = `{"event":"PostCompress","trigger":"manual","model":"gpt-4o","dialect":"openai","tokens_before":900,"limit":1000,"messages":4,"old_messages":3,` +
		`"status":"COMPRESSED","tokens_after":300,"duration_ms":1500,"ref":"abc"}`
	wantContent = `[{"role":"user","old":true,"text":"the crane is number 3"},` +
		`{"role":"assistant","old":true,"tool_calls":[{"id":"1","name":"look","arguments":"{\"at\":\"crane\"}"}]},` +
		`{"role":"tool","old":true,"tool_results":[{"call_id":"1","text":"rust","error":true}]},` +
		`{"role":"assistant","old":false,"text":"I see."}]`
)

// asker is a hook as the keeper calls it.
type asker interface {
	PreCompress(context.Context, fit.PreCompress) (fit.Verdict, error)
	PostCompress(context.Context, fit.ChatCompressed) error
}

// answers are what a hook may say and what becomes of it, whichever way it is said.
var answers = []struct {
	name, said string
	want       fit.Verdict
	fails      string
}{
	{"nothing", "", fit.Verdict{}, ""},
	{"white space", " \n", fit.Verdict{}, ""},
	{"an empty object", "{}", fit.Verdict{}, ""},
	{"a veto", `{"veto":"a backup is running"}`, fit.Verdict{Veto: "a backup is running"}, ""},
	{"directives", `{"directives":["keep ticket numbers"," ","name the owner"],"other":1}`, fit.Verdict{Directives: []string{"keep ticket numbers", "name the owner"}}, ""},
	{"no JSON", "backed up!", fit.Verdict{}, "is not"},
	{"JSON of another kind", `["veto"]`, fit.Verdict{}, "is not"},
	{"too much", `{"veto":"` + strings.Repeat("x", 100_000) + `"}`, fit.Verdict{}, "more than 65536 bytes"},
}

// checkAnswers asks hooks that give each of the answers.
func checkAnswers(t *testing.T, hookThatSays func(t *testing.T, said string) asker) {
	t.Helper()
	for _, tt := range answers {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := hookThatSays(t, tt.said).PreCompress(t.Context(), about())
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("verdict (-want +got):\n%s", diff)
			}
			expectError(t, err, tt.fails)
		})
	}
}

func expectError(t *testing.T, err error, words string) {
	t.Helper()
	switch {
	case words == "" && err != nil:
		t.Errorf("error %v", err)
	case words != "" && (err == nil || !strings.Contains(err.Error(), words) || plimsoll.HintOf(err) == ""):
		t.Errorf("error %v with hint %q, want one with %q", err, plimsoll.HintOf(err), words)
	}
}

// sameJSON compares two texts of JSON whatever their order and spaces are.
func sameJSON(t *testing.T, want string, got []byte) {
	t.Helper()
	var w, g any
	if err := json.Unmarshal([]byte(want), &w); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(got, &g); err != nil {
		t.Fatalf("%v: %s", err, got)
	}
	if diff := cmp.Diff(w, g); diff != "" {
		t.Errorf("notice (-want +got):\n%s", diff)
	}
}

// withContent adds what was said to a notice.
func withContent(notice string) string {
	return strings.TrimSuffix(notice, "}") + `,"content":` + wantContent + "}"
}
