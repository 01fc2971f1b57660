package trim_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/trim"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// drawMessages draws a conversation, legal or not: calls that are never answered,
// results of nothing, ids that come twice, system messages anywhere.
func drawMessages(t *rapid.T) []json.RawMessage {
	text := rapid.StringN(0, 40, 80)
	one := rapid.Custom(func(t *rapid.T) json.RawMessage {
		content := string(marshal(t, text.Draw(t, "text")))
		id := rapid.IntRange(0, 3).Draw(t, "id")
		switch rapid.IntRange(0, 6).Draw(t, "kind") {
		case 0:
			return json.RawMessage(`{"role":"system","content":` + content + `}`)
		case 1, 2:
			return json.RawMessage(fmt.Sprintf(`{"role":"assistant", "content":null, "tool_calls":[`+
				`{"id":"%d","type":"function","function":{"name":"f","arguments":"{}"}},`+
				`{"id":"%d","type":"function","function":{"name":"g","arguments":"{}"}}]}`, id, id+1))
		case 3, 4:
			return json.RawMessage(fmt.Sprintf(`{"role":"tool","tool_call_id":"%d","content":%s}`, id, content))
		case 5:
			return json.RawMessage(`{"role":"assistant","content":[{"type":"text","text":` + content + `}]}`)
		default:
			return json.RawMessage(`{"role":"user","content":` + content + `}`)
		}
	})
	return rapid.SliceOfN(one, 0, 14).Draw(t, "messages")
}

func TestResultsAreWhatTheyMustBeForAnyMessages(t *testing.T) {
	t.Parallel()
	counter := counterFor(t, "")
	rapid.Check(t, func(t *rapid.T) {
		in := drawMessages(t)
		before := make([][]byte, len(in))
		for i, m := range in {
			before[i] = bytes.Clone(m)
		}
		o := &trim.Options{MaxTokens: rapid.IntRange(0, 150).Draw(t, "max"), Pairs: rapid.Bool().Draw(t, "pairs"), Counter: counter}
		got, err := trim.Messages(t.Context(), in, o)
		if err != nil {
			t.Fatal(err)
		}
		for i, m := range in {
			if !bytes.Equal(m, before[i]) {
				t.Fatalf("message %d of the input was changed", i)
			}
		}
		checkOrder(t, in, got)
		checkBudget(t, in, got, o)
		if o.Pairs {
			checkPairs(t, in, got)
		}
	})
}

// checkOrder demands a part of the input in its order, save for the first system
// message, which must be there and come first.
func checkOrder(t *rapid.T, in []json.RawMessage, got *trim.Result) {
	system := firstSystem(in)
	kept := got.Kept
	if system >= 0 {
		if len(kept) == 0 || kept[0] != system {
			t.Fatalf("the system message %d is not first in %v", system, kept)
		}
		kept = kept[1:]
	}
	last := -1
	for _, i := range kept {
		if i <= last || i == system {
			t.Fatalf("%v is out of order", got.Kept)
		}
		last = i
	}
	if n := len(in); n > 0 && system != n-1 && last != n-1 {
		t.Fatalf("the newest of %d messages is not in %v", n, got.Kept)
	}
	for i, at := range got.Kept {
		if !bytes.Equal(got.Messages[i], in[at]) {
			t.Fatalf("message %d has other bytes than in the input", at)
		}
	}
}

func firstSystem(in []json.RawMessage) int {
	for i, m := range in {
		if bytes.Contains(m, []byte(`"role":"system"`)) {
			return i
		}
	}
	return -1
}

// checkBudget demands that what is over the budget is there by force only: that
// the same messages come of a budget of nothing.
func checkBudget(t *rapid.T, in []json.RawMessage, got *trim.Result, o *trim.Options) {
	s := got.Statistics
	if s.OutputTokens > s.InputTokens || s.CompressRatio > 1 {
		t.Fatalf("more came out than went in: %+v", s)
	}
	if s.OutputTokens <= o.MaxTokens {
		return
	}
	forced, err := trim.Messages(t.Context(), in, &trim.Options{Pairs: o.Pairs, Counter: o.Counter})
	if err != nil {
		t.Fatal(err)
	}
	if len(forced.Kept) != len(got.Kept) {
		t.Fatalf("%d tokens of %d, and more than what is forced: %v, %v", s.OutputTokens, o.MaxTokens, got.Kept, forced.Kept)
	}
}

func checkPairs(t *rapid.T, in []json.RawMessage, got *trim.Result) {
	kept := map[int]bool{}
	for _, i := range got.Kept {
		kept[i] = true
	}
	before := outline(t, in)
	for _, p := range before.Pairs {
		if kept[p.Call.Message] != kept[p.Result.Message] {
			t.Fatalf("call %d and result %d were separated", p.Call.Message, p.Result.Message)
		}
	}
	orphans := 0
	for _, o := range before.Orphans {
		if kept[o.Message] {
			orphans++
		}
	}
	if after := outline(t, got.Messages); len(after.Orphans) > orphans {
		t.Fatalf("%d results without calls, of which %d had none before", len(after.Orphans), orphans)
	}
}

func outline(t *rapid.T, messages []json.RawMessage) plimsoll.Outline {
	r, err := dialects.Codec(plimsoll.OpenAI).Decode([]byte(`{"messages":` + string(marshal(t, messages)) + `}`))
	if err != nil {
		t.Fatal(err)
	}
	return r.Conversation().Outline()
}
