package anthropic_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/anthropic"
	"github.com/plimsoll/plimsoll/wire/openai"
)

const (
	ours   = `"cache_control":{"type":"ephemeral"}`
	hourly = `"cache_control":{"type":"ephemeral","ttl":"1h"}`
	tool   = `{"name":"f","input_schema":{"type":"object"}}`
	word   = `{"type":"text","text":"a"}`
)

// with puts a mark into a block before its last brace.
func with(block, mark string) string { return block[:len(block)-1] + "," + mark + "}" }

// managed returns the body of a draft with our marks.
func managed(t wiretest.TB, body string, edit func(*plimsoll.Draft) error) string {
	t.Helper()
	req := decode(t, body)
	d := plimsoll.NewDraft(req.Conversation(), nil)
	if edit != nil {
		if err := edit(d); err != nil {
			t.Fatalf("%v", err)
		}
	}
	out, err := anthropic.Manage(req, d)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return string(out)
}

func TestMarksArePlacedForTheClient(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name, before, after string
		edit                func(*plimsoll.Draft) error
	}{
		{
			name:   "on a bare system text and the newest message",
			before: `{"system":"be good","messages":[` + user + `]}`,
			after:  `{"system":[{"type":"text","text":"be good",` + ours + `}],"messages":[` + says("user", with(`{"type":"text","text":"hi"}`, ours)) + `]}`,
		},
		{
			name:   "on the last system block that can carry one",
			before: `{"system":[` + word + `,{"type":"text","text":" "}],"tools":[` + tool + `],"messages":[` + says("user", word, word) + `]}`,
			after:  `{"system":[` + with(word, ours) + `,{"type":"text","text":" "}],"tools":[` + tool + `],"messages":[` + says("user", word, with(word, ours)) + `]}`,
		},
		{
			name:   "on the last tool that is always loaded, where there are no instructions",
			before: `{"system":"","tools":[` + tool + `,` + with(tool, `"defer_loading":true`) + `],"messages":[` + says("user", word) + `]}`,
			after:  `{"system":"","tools":[` + with(tool, ours) + `,` + with(tool, `"defer_loading":true`) + `],"messages":[` + says("user", with(word, ours)) + `]}`,
		},
		{
			name:   "and those of the client on system and tools stay, the others go",
			before: `{"system":[` + marked(word) + `,` + word + `],"tools":[` + marked(tool) + `],"messages":[` + says("user", marked(word)) + "," + assistant + "," + says("user", `{`+cacheMark+`, "type":"text","text":"b"}`, word) + `]}`,
			after:  `{"system":[` + marked(word) + `,` + word + `],"tools":[` + marked(tool) + `],"messages":[` + says("user", word) + "," + assistant + "," + says("user", `{"type":"text","text":"b"}`, with(word, ours)) + `]}`,
		},
		{
			name:   "and marks inside of results go",
			before: `{"messages":[` + user + "," + call + "," + says("user", `{"type":"tool_result","tool_use_id":"t1","content":[`+marked(word)+`]}`) + `]}`,
			after:  `{"messages":[` + user + "," + call + "," + says("user", `{"type":"tool_result","tool_use_id":"t1","content":[`+word+`],`+ours+`}`) + `]}`,
		},
		{
			name:   "for an hour where all of the client's were",
			before: `{"system":[` + word + `],"messages":[` + says("user", with(word, hourly)) + "," + assistant + "," + says("user", word) + `]}`,
			after:  `{"system":[` + with(word, hourly) + `],"messages":[` + says("user", word) + "," + assistant + "," + says("user", with(word, hourly)) + `]}`,
		},
		{
			name:   "for five minutes behind instructions of five minutes",
			before: `{"system":[` + with(word, ours) + `],"messages":[` + says("user", with(word, hourly)) + `]}`,
			after:  `{"system":[` + with(word, ours) + `],"messages":[` + says("user", with(word, ours)) + `]}`,
		},
		{
			name:   "and a mark on the request is the one on the newest message",
			before: `{"cache_control":{"type":"ephemeral"},"messages":[` + says("user", word) + `]}`,
			after:  `{"cache_control":{"type":"ephemeral"},"messages":[` + says("user", word) + `]}`,
		},
		{
			name:   "and not on thinking, white space or instructions",
			before: `{"messages":[` + says("user", word) + "," + says("assistant", word, thinking) + "," + says("user", word, `{"type":"text","text":" "}`) + "," + systemTurn + `]}`,
			after:  `{"messages":[` + says("user", word) + "," + says("assistant", word, thinking) + "," + says("user", with(word, ours), `{"type":"text","text":" "}`) + "," + systemTurn + `]}`,
		},
		{
			name:   "at the end of a checkpoint that is put in",
			before: `{"messages":[` + strings.Join([]string{user, assistant, user, assistant, says("user", word)}, ",") + `]}`,
			edit: func(d *plimsoll.Draft) error {
				_, err := d.Insert(2, plimsoll.Say(plimsoll.User, "S"), because)
				return errors.Join(err, d.Drop(span(0, 2), because))
			},
			after: `{"messages":[` + strings.Join([]string{says("user", with(`{"type":"text","text":"S"}`, ours)), user, assistant, says("user", with(word, ours))}, ",") + `]}`,
		},
		{
			name:   "at the end of a checkpoint that is there",
			before: `{"messages":[` + strings.Join([]string{user, `{"role":"assistant","content":"` + plimsoll.CheckpointTag + `>S"}`, user, assistant, says("user", word)}, ",") + `]}`,
			after:  `{"messages":[` + strings.Join([]string{user, says("assistant", with(`{"type":"text","text":"`+plimsoll.CheckpointTag+`>S"}`, ours)), user, assistant, says("user", with(word, ours))}, ",") + `]}`,
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if diff := cmp.Diff(tt.after, managed(t, tt.before, tt.edit)); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

// rounds is a session with so many parallel calls in each round.
func rounds(calls ...int) string {
	messages := []string{says("user", word)}
	for i, n := range calls {
		var asked, answered []string
		for k := range n {
			asked = append(asked, fmt.Sprintf(`{"type":"tool_use","id":"t%d_%d","name":"f","input":{}}`, i, k))
			answered = append(answered, fmt.Sprintf(`{"type":"tool_result","tool_use_id":"t%d_%d","content":"r"}`, i, k))
		}
		messages = append(messages, says("assistant", asked...), says("user", answered...))
	}
	return `{"messages":[` + strings.Join(messages, ",") + `]}`
}

// markedBlocks lists the blocks with a mark, counted from 0.
func markedBlocks(t *testing.T, body string) []int {
	t.Helper()
	var request struct {
		Messages []struct {
			Content []struct {
				Mark any `json:"cache_control"`
			}
		}
	}
	if err := json.Unmarshal([]byte(body), &request); err != nil {
		t.Fatal(err)
	}
	var at []int
	n := 0
	for _, m := range request.Messages {
		for _, b := range m.Content {
			if b.Mark != nil {
				at = append(at, n)
			}
			n++
		}
	}
	return at
}

func TestMarksAreWithinReachOfTheNewestMessage(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name  string
		calls []int
		want  []int
	}{
		{"a short session has one on the newest message", []int{1, 2}, []int{6}},
		{"of sixteen blocks all are within reach", []int{1, 1, 1, 1, 1, 1, 1}, []int{14}},
		{"a longer one has another fifteen blocks before", []int{1, 1, 1, 1, 1, 1, 1, 1, 1}, []int{3, 18}},
		{"and as many more as there may be", slices.Repeat([]int{1}, 50), []int{55, 70, 85, 100}},
		{"a round of many calls has one where the request before ended", []int{1, 1, 30}, []int{4, 34, 49, 64}},
		{"and in the round after it that is within reach again", []int{1, 1, 30, 1}, []int{21, 36, 51, 66}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := markedBlocks(t, managed(t, rounds(tt.calls...), nil))
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

var (
	markPattern = regexp.MustCompile(`\s*,\s*"cache_control"\s*:\s*\{[^{}]*\}|"cache_control"\s*:\s*\{[^{}]*\}\s*,\s*`)
	textPattern = regexp.MustCompile(`"content"(\s*:\s*)\[\{"type":"text","text":("(?:[^"\\]|\\.)*")\}\]`)
)

// unmarked is a message without its marks, a single text as a string.
func unmarked(raw []byte) string {
	return string(textPattern.ReplaceAll(markPattern.ReplaceAll(raw, nil), []byte(`"content"${1}$2`)))
}

// TestALongerConversationDiffersInNothingButMarks places marks in any history and in
// its beginnings: what is sent is legal, says the same, and each request begins with
// the one before, byte for byte, but for the marks.
func TestALongerConversationDiffersInNothingButMarks(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 3))
		c := wiretest.Conversation(r)
		g := renderer{r: rand.New(rand.NewPCG(1, 1)), spare: r.IntN(4), hours: r.IntN(4), anywhere: true}
		body := g.render(c)
		whole := decode(rt, managed(rt, string(body), nil))
		if v := wire.Check(whole); len(v) > 0 {
			rt.Fatalf("%v\n in %s\nout %s", v, body, whole.Body())
		}
		if n := bytes.Count(whole.Body(), []byte(`"cache_control"`)); n == 0 || n > 4 {
			rt.Fatalf("%d marks: %s", n, whole.Body())
		}
		req := decode(rt, string(body))
		if diff := cmp.Diff(req.Chain(), whole.Chain()); diff != "" {
			rt.Fatalf("it says something else (-want +got):\n%s", diff)
		}
		if again := managed(rt, string(whole.Body()), nil); again != string(whole.Body()) {
			rt.Fatalf("placed again they stand elsewhere\n%s\n%s", whole.Body(), again)
		}
		for n := 1; n < req.Conversation().Messages.Len(); n++ {
			part := decode(rt, managed(rt, beginning(req, n), nil))
			for i := range n {
				if was, is := unmarked(part.Raw(i)), unmarked(whole.Raw(i)); was != is {
					rt.Fatalf("message %d was\n%s and is\n%s", i, was, is)
				}
			}
		}
	})
}

// beginning is a body with its first n messages.
func beginning(r *wire.Request, n int) string {
	list := r.Layout().Messages
	return string(r.Body()[:list.Items[n-1].End]) + "]" + string(r.Body()[list.End:])
}

func TestManagedDraftsStayLegal(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(rt, "seed"), 4))
		g := renderer{r: r, spare: r.IntN(4), hours: r.IntN(4), anywhere: true}
		body := g.render(long(wiretest.Conversation(r)))
		req := decode(rt, string(body))
		d := plimsoll.NewDraft(req.Conversation(), nil)
		if rapid.Bool().Draw(rt, "checkpoint") {
			d = compacted(rt, req)
		} else {
			wiretest.Edit(d, r)
		}
		plain, err := req.Encode(d)
		if err != nil {
			rt.Fatal(err)
		}
		out, err := anthropic.Manage(req, d)
		if err != nil {
			rt.Fatal(err)
		}
		edited := decode(rt, string(out))
		if v := wire.CheckEdited(req, edited); len(v) > 0 {
			rt.Fatalf("%v\n in %s\nout %s", v, body, out)
		}
		if diff := cmp.Diff(decode(rt, string(plain)).Chain(), edited.Chain()); diff != "" {
			rt.Fatalf("it says something else (-want +got):\n%s", diff)
		}
		if end := edited.Conversation().Messages.Len() - 1; !hasMark(edited, end) {
			rt.Fatalf("the newest message has no mark: %s", edited.Raw(end))
		}
	})
}

func TestMarksThatCannotBePlacedAreSaidOrLeft(t *testing.T) {
	t.Parallel()
	other, err := openai.Codec{}.Decode([]byte(`{"messages":[{"role":"user","content":"hi"}]}`))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := anthropic.Manage(other, plimsoll.NewDraft(other.Conversation(), nil)); !errors.Is(err, plimsoll.ErrUnsupported) {
		t.Errorf("another dialect: %v", err)
	}
	tools := strings.Repeat(","+marked(tool), 5)[1:]
	for _, body := range []string{
		`{"tools":[` + tools + `],"messages":[` + user + `]}`,
		`{"messages":[]}`,
	} {
		if got := managed(t, body, nil); got != body {
			t.Errorf("%s became %s", body, got)
		}
	}
	twice := `{"messages":[` + says("user", `{"cache_control":{},"type":"tool_result","content":[`+marked(word)+`],"tool_use_id":"x","cache_control":{}}`, word) + `]}`
	want := `{"messages":[` + says("user", `{"type":"tool_result","content":[`+word+`],"tool_use_id":"x"}`, with(word, ours)) + `]}`
	if diff := cmp.Diff(want, managed(t, twice, nil)); diff != "" {
		t.Errorf("marks that are there twice (-want +got):\n%s", diff)
	}
}

// FuzzManage asks that marks can be placed in whatever can be read, and change nothing
// that it says.
func FuzzManage(f *testing.F) {
	f.Add([]byte(agentBody))
	f.Add([]byte(`{"system":[{"type":"text","text":"a","cache_control":null}],"messages":[{"role":"user","content":[{"type":"tool_result","content":[` + marked(word) + `],"content":"x","cache_control":{}}]}]}`))
	f.Add([]byte("{\"messages\":[{\"role\":\"user\",\"content\":\"a\",\"content\":[{\"\\u0063ache_control\" : {},\"type\":\"text\",\"text\":\"b\"}]}],\"tools\":[{}]}"))
	f.Fuzz(func(t *testing.T, body []byte) {
		req, err := anthropic.Codec{}.Decode(body)
		if err != nil {
			return
		}
		out, err := anthropic.Manage(req, plimsoll.NewDraft(req.Conversation(), nil))
		if err != nil {
			t.Fatalf("%v\n%s", err, body)
		}
		again, err := anthropic.Codec{}.Decode(out)
		if err != nil {
			t.Fatalf("%v\n in %s\nout %s", err, body, out)
		}
		if !slices.Equal(req.Chain(), again.Chain()) {
			t.Fatalf("it says something else\n in %s\nout %s", body, out)
		}
	})
}
