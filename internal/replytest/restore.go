package replytest

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// checkRestored sends the reply back as a client does and looks at what the model gets.
func checkRestored(t rapid.TB, v Server, story ModelReply, w Performed, elements []string, record wire.Record) {
	stored, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	record = wire.Record{}
	if err := json.Unmarshal(stored, &record); err != nil {
		t.Fatal(err)
	}
	theirs := story.Answers[len(story.Answers)-1].of(CallsTheirs)
	after := v.Outputs(theirs)
	if len(theirs) == 0 {
		after = []string{v.User("and now?")}
	}
	next := slices.Concat([]string{v.User("hello")}, elements, after)
	codec := v.Codec()
	request := MustDecode(t, codec, v.Request(next...))
	if same, _ := wire.Restore(codec, request, nil); &same[0] != &request.Body()[0] {
		t.Fatal("a request without records is not the very body")
	}
	records := map[int]wire.Record{1: record}
	body, err := wire.Restore(codec, request, records)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := wire.Restore(codec, request, records); !bytes.Equal(body, again) {
		t.Fatalf("restored twice:\n%s\n%s", body, again)
	}
	restored := MustDecode(t, codec, body)
	if found := wire.Check(restored); len(found) > 0 {
		t.Fatalf("restored request: %v\n%s", found, body)
	}
	checkPrefix(t, w.seen, rawElements(restored))
	longer, err := wire.Restore(codec, MustDecode(t, codec, v.Request(append(next, v.User("go on"))...)), records)
	if err != nil {
		t.Fatal(err)
	}
	checkPrefix(t, rawElements(restored), rawElements(MustDecode(t, codec, longer)))
	if story.left {
		checkUnanswered(t, v, w, restored, after)
		return
	}
	want := conversationOf(t, v, slices.Concat(w.seen, Strings(w.last.Said), ownOutputs(t, v, w, theirs, after)))
	if diff := cmp.Diff(want, conversationOf(t, v, rawElements(restored))); diff != "" {
		t.Fatalf("what the model sees (-as it was +restored):\n%s\n%s", diff, body)
	}
}

// checkPrefix holds for a request that goes on from another: what the model has read keeps
// its bytes.
func checkPrefix(t rapid.TB, before, after []string) {
	if len(after) < len(before) || !slices.Equal(before, after[:len(before)]) {
		t.Fatalf("what the model has read is changed (-before +after):\n%s", cmp.Diff(before, after))
	}
}

// checkUnanswered holds if nothing answers the hidden calls of the last answer: the model
// sees everything but them, except for thoughts that led to them.
func checkUnanswered(t rapid.TB, v Server, w Performed, restored *wire.Request, after []string) {
	want := conversationOf(t, v, slices.Concat(w.seen, Strings(w.last.Said), after))
	unanswered := func(p string) bool {
		return slices.ContainsFunc(w.last.Calls, func(c plimsoll.ToolCall) bool { return p == said(plimsoll.Assistant, c) })
	}
	isThought := func(p string) bool { return strings.HasPrefix(p, thoughtMark) }
	want = slices.DeleteFunc(want, func(p string) bool { return unanswered(p) || isThought(p) })
	got := slices.DeleteFunc(conversationOf(t, v, rawElements(restored)), isThought)
	if diff := cmp.Diff(want, got); diff != "" {
		t.Fatalf("what the model sees (-as it was +restored):\n%s\n%s", diff, restored.Body())
	}
}

// ownOutputs returns what follows the last answer: the client's results, with ours.
func ownOutputs(t rapid.TB, v Server, w Performed, theirs []plimsoll.ToolCall, after []string) []string {
	if len(w.last.Calls) == 0 {
		return after
	}
	ours := w.Results[len(w.Results)-1]
	if len(theirs) == 0 {
		return append(besides(t, v, nil, ours), after...)
	}
	return besides(t, v, after, ours)
}

// besides puts results of hidden calls behind the client's in the way of the dialect.
func besides(t rapid.TB, v Server, after []string, ours []wire.Result) []string {
	codec := v.Codec()
	body, err := wire.Continue(codec, MustDecode(t, codec, v.Request()), nil, ours)
	if err != nil {
		t.Fatal(err)
	}
	return v.Beside(after, rawElements(MustDecode(t, codec, body)))
}

func rawElements(r *wire.Request) (raw []string) {
	for i := range r.Layout().Len() {
		raw = append(raw, string(r.Raw(i)))
	}
	return raw
}

// Strings returns raw elements as texts.
func Strings(raw [][]byte) (all []string) {
	for _, r := range raw {
		all = append(all, string(r))
	}
	return all
}

// conversationOf returns what elements say, part by part.
func conversationOf(t rapid.TB, v Server, elements []string) (all []string) {
	codec := v.Codec()
	for _, m := range MustDecode(t, codec, v.Request(elements...)).Conversation().Messages.All() {
		for _, p := range m.Parts.All() {
			all = append(all, said(m.Role, p))
		}
	}
	return all
}

// thoughtMark begins a thought in what conversationOf returns.
const thoughtMark = "thought "

// said describes a part of a message.
func said(role plimsoll.Role, p plimsoll.Part) string {
	switch p := p.(type) {
	case plimsoll.ToolResult:
		return fmt.Sprint(role, " result ", p.CallID, p.Name, plimsoll.TextOf(p.Content))
	case plimsoll.ToolCall:
		return fmt.Sprint(role, " call ", p.ID, p.Name, p.Arguments)
	case plimsoll.Reasoning:
		return fmt.Sprintf("%s%+v", thoughtMark, p)
	}
	return fmt.Sprintf("%s %+v", role, p)
}

// Rendered returns the message of a reply as elements of the next request. Request is one
// without messages.
func Rendered(t rapid.TB, codec wire.Codec, request []byte, m plimsoll.Message) []string {
	if m.Parts.Len() == 0 {
		return nil
	}
	r := MustDecode(t, codec, request)
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if _, err := d.Insert(0, m, plimsoll.Why{}); err != nil {
		t.Fatal(err)
	}
	body, err := r.Encode(d)
	if err != nil {
		t.Fatal(err)
	}
	return rawElements(MustDecode(t, codec, body))
}
