package responses_test

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// thoughtsThatLed lists the ids of reasoning that the client may see: an answer is cut
// before each run of thoughts, and a run is seen if anything of the client's is behind it.
func thoughtsThatLed(story replytest.ModelReply) (ids []string) {
	for n, a := range story.Answers {
		var run []string
		led, seen, ours := false, false, false
		end := func() {
			if seen || !ours {
				ids = append(ids, run...)
			}
			run, led, seen, ours = nil, false, false, false
		}
		for i, p := range a.Pieces {
			switch p.Kind {
			case replytest.SaysThought:
				if led {
					end()
				}
				run = append(run, fmt.Sprintf("rs_%d_%d", n, i))
			case replytest.CallsHidden:
				led, ours = true, true
			default:
				led, seen = true, true
			}
		}
		end()
	}
	return ids
}

// The API refuses reasoning without what it led to. A client that has no record any more
// sends what it was shown.
func TestTheClientSeesReasoningOnlyWithWhatItLedTo(t *testing.T) {
	t.Parallel()
	thought := regexp.MustCompile(`"id":"(rs_\d+_\d+)"`)
	rapid.Check(t, func(rt *rapid.T) {
		v := server{}
		story := replytest.DrawReply(rt, v)
		streamed := rapid.Bool().Draw(rt, "streamed")
		w := replytest.Perform(rt, v, story, streamed, rapid.IntRange(1, 3000).Draw(rt, "chunk"))
		var ids []string
		for _, item := range v.View(rt, w.View, streamed) {
			if id := thought.FindStringSubmatch(item); id != nil {
				ids = append(ids, id[1])
			}
		}
		want := thoughtsThatLed(story)
		if diff := cmp.Diff(want, ids); diff != "" {
			rt.Fatalf("reasoning (-want +got):\n%s\n%s", diff, w.View)
		}
		if record, ok := w.Reply.Record(w.Results); ok && record.Thought != (len(want) > 0) {
			rt.Fatalf("thought %v with %v", record.Thought, want)
		}
	})
}

func TestReasoningPassesWhenItIsKnownWhatItLedTo(t *testing.T) {
	t.Parallel()
	delta := `{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"Hm."}`
	bare := `{"type":"response.reasoning_text.delta","delta":"Hm."}`
	thought := streamOf(append(slices.Insert(eventsFor(itemThought), 1, delta, bare), `{"type":"keepalive"}`)...)
	thought = append(thought, ": still here\n\n"...)
	at := func(place int, item string) []string {
		return []string{
			fmt.Sprintf(`{"type":"response.output_item.added","output_index":%d,"item":%s}`, place, item),
			fmt.Sprintf(`{"type":"response.output_item.done","output_index":%d,"item":%s}`, place, item),
		}
	}
	other := strings.Replace(itemThought, "rs_1", "rs_2", 1)
	for _, tt := range []struct {
		name string
		next []byte
		// want is what passes once that has come, with the thought before it.
		want string
	}{
		{"to a message", streamOf(at(1, itemText)...), string(thought) + string(streamOf(at(1, itemText)...))},
		{"to a call of the client's", streamOf(at(1, itemTheirs)...), string(thought) + string(streamOf(at(1, itemTheirs)...))},
		{"to a call of ours", streamOf(at(1, itemOurs)...), ""},
		{"to calls of both", streamOf(append(at(1, itemOurs), at(2, itemTheirs)...)...), string(thought) + string(streamOf(at(1, itemTheirs)...))},
		{"to a call of ours, and more reasoning", streamOf(slices.Concat(at(1, itemOurs), at(2, other))...), string(streamOf(`{"type":"keepalive"}`)) + ": still here\n\n"},
		{
			"to a call of ours, and more reasoning to a message", streamOf(slices.Concat(at(1, itemOurs), at(2, other), at(3, itemText))...),
			string(streamOf(`{"type":"keepalive"}`)) + ": still here\n\n" + string(streamOf(append(at(0, other), at(1, itemText)...)...)),
		},
		{
			"to a call of ours at the same place, and more reasoning to a message",
			streamOf(slices.Concat(at(0, itemOurs), slices.Insert(at(0, other), 1, delta), at(0, itemText))...),
			string(streamOf(`{"type":"keepalive"}`)) + ": still here\n\n" + string(streamOf(slices.Concat(slices.Insert(at(0, other), 1, delta), at(0, itemText))...)),
		},
		{
			"to calls of both, while it is told once more", streamOf(slices.Concat(at(1, itemOurs)[:1], at(0, itemThought)[1:], at(1, itemOurs)[1:], at(2, itemTheirs))...),
			string(thought) + string(streamOf(append(at(0, itemThought)[1:], at(1, itemTheirs)...)...)),
		},
		{"to nothing that has come yet", nil, ""},
		{"to nothing", streamOf(endOf("response.completed", responsesOf("r", "completed", itemThought))), string(thought) + string(streamOf(endOf("response.completed", responsesOf("r", "completed", itemThought))))},
		{"to an error", streamOf(`{"type":"error"}`), string(thought) + string(streamOf(`{"type":"error"}`))},
		{
			"to a call of ours that is told at the end alone", streamOf(endOf("response.completed", responsesOf("r", "completed", itemThought, itemOurs))),
			string(streamOf(`{"type":"keepalive"}`)) + ": still here\n\n",
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			r := responses.Codec{}.NewReply("text/event-stream", replytest.IsHiddenTool)
			if got := replytest.Drip(r, thought, 50); len(got) > 0 {
				t.Errorf("passed too early: %s", got)
			}
			if diff := cmp.Diff(tt.want, string(replytest.Drip(r, tt.next, 50))); diff != "" {
				t.Errorf("the client's stream (-want +got):\n%s", diff)
			}
		})
	}
}

func TestAStreamThatBreaksOffInAThoughtLosesNothing(t *testing.T) {
	t.Parallel()
	thought := string(streamOf(eventsFor(itemThought)...))
	for _, tt := range []struct{ name, data, want string }{
		{"in the thought", thought, thought},
		{"in an event of the thought", thought[:len(thought)-20], thought[:len(thought)-20]},
		{"in a call of ours", thought + string(streamOf(`{"type":"response.output_item.added","output_index":1,"item":`+itemOurs+`}`)), ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			_, round, view := oneAnswer(true, []byte(tt.data))
			if diff := cmp.Diff(tt.want, view); diff != "" || !round.Broken {
				t.Errorf("broken %v, the client's stream (-want +got):\n%s", round.Broken, diff)
			}
		})
	}
}

func TestAThoughtThatIsTooLongPassesAndIsNotHiddenLater(t *testing.T) {
	t.Parallel()
	r := responses.Codec{}.NewReply("text/event-stream", replytest.IsHiddenTool)
	sent := streamOf(eventsFor(itemThought)[0])
	got := replytest.Drip(r, sent, 1000)
	for range 12 {
		delta := sse.Append(nil, "", []byte(`{"type":"response.reasoning_summary_text.delta","output_index":0,"delta":"`+strings.Repeat("x", 100<<10)+`"}`))
		sent, got = append(sent, delta...), append(got, replytest.Drip(r, delta, 1000)...)
	}
	if len(got) != len(sent) {
		t.Errorf("%d of %d bytes have passed", len(got), len(sent))
	}
	done := streamOf(eventsFor(itemThought)[1])
	sent, got = append(sent, done...), append(got, replytest.Drip(r, done, 1000)...)
	if string(got) != string(sent) {
		t.Error("the thought is not what it was")
	}
	completed := endOf("response.completed", responsesOf("r", "completed", itemThought, itemOurs))
	r.Write(streamOf(completed))
	round := r.End()
	end := string(r.Finish())
	if want := string(streamOf(endOf("response.completed", responsesOf("r", "completed", itemThought)))); end != want {
		t.Errorf("the end is %s, want %s", end, want)
	}
	if record, ok := r.Record([][]wire.Result{replytest.ResultsFor(round.Calls)}); !ok || !record.Thought {
		t.Errorf("record %+v, %v", record, ok)
	}
}
