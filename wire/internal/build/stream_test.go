package build_test

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// streams are those that hold back events, with a limit to the size of these.
func streams(limit int) map[plimsoll.Dialect]wire.Reply {
	all := map[plimsoll.Dialect]wire.Reply{}
	for _, d := range []plimsoll.Dialect{plimsoll.Anthropic, plimsoll.OpenAI, plimsoll.Responses} {
		reply := dialects.Codec(d).NewReply("text/event-stream", isOurs)
		if limit > 0 {
			build.LimitEvents(reply.(*build.Stream), limit)
		}
		all[d] = reply
	}
	return all
}

// whatever is no call of ours passes, in any chunking, complete or not, JSON or not, and
// however large.
func TestStreamsWithoutCallsOfOursPassByteForByte(t *testing.T) {
	t.Parallel()
	lines := rapid.SampledFrom([]string{
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"a\"}}]}", "data: {\"choices\":[{\"index\":1,\"delta\":{}}]}",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"1\"}]}}]}",
		"data: {\"choices\":[{\"index\":0,\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"name\":\"shell\"}}]},\"finish_reason\":\"tool_calls\"}]}",
		"data: {\"choices\":[],\"usage\":{\"completion_tokens\":3}}", "data: [DONE]", "data: {\"error\":{\"message\":\"no\"}}", "data: {\"choices\":[",
		"event: content_block_start", "data: {\"type\":\"content_block_start\",\"index\":7,\"content_block\":{\"type\":\"tool_use\",\"name\":\"shell\"}}",
		"data: {\"type\":\"content_block_delta\",\"index\":7,\"delta\":{\"type\":\"text_delta\",\"text\":\"x\"}}", "data: {\"type\":\"message_stop\"}",
		"data: {\"type\":\"message_delta\",\"delta\":{},\"usage\":{\"output_tokens\":1}}", "data: {\"type\":\"error\"}",
		"data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"reasoning\",\"id\":\"rs_1\"}}",
		"data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\"}}",
		"data: {\"type\":\"response.output_item.added\",\"output_index\":1,\"item\":{\"type\":\"message\"}}",
		"data: {\"type\":\"response.reasoning_text.delta\"}", "data: {\"type\":\"response.completed\"}",
		": comment", "id: 4", "data", "data: null", "data: \"choices\"", "", "", "",
	})
	ends := rapid.SampledFrom([]string{"\n", "\n", "\n", "\r\n", "\r"})
	rapid.Check(t, func(t *rapid.T) {
		var sent []byte
		for range rapid.IntRange(0, 20).Draw(t, "lines") {
			sent = append(append(sent, lines.Draw(t, "line")...), ends.Draw(t, "end")...)
		}
		sent = sent[:rapid.IntRange(0, len(sent)).Draw(t, "length")]
		cuts := []int{}
		for rest := len(sent); rest > 0; rest -= cuts[len(cuts)-1] {
			cuts = append(cuts, rapid.IntRange(1, rest).Draw(t, "cut"))
		}
		for dialect, reply := range streams(rapid.SampledFrom([]int{0, 40, 100, 110}).Draw(t, "limit")) {
			var got []byte
			rest := sent
			for _, n := range cuts {
				got = append(got, reply.Write(rest[:n])...)
				rest = rest[n:]
			}
			round := reply.End()
			if got = append(got, reply.Finish()...); !bytes.Equal(sent, got) {
				t.Fatalf("%s: %q came as %q", dialect, sent, got)
			}
			if _, hidden := reply.Record(nil); hidden || len(round.Calls) > 0 {
				t.Fatalf("%s: there is nothing of ours in %q", dialect, sent)
			}
		}
	})
}

func TestEventsThatAreTooLargePassAsTheyComeAndEndTheWeaving(t *testing.T) {
	t.Parallel()
	large := "data: {\"type\":\"x\",\"choices\":[],\"text\":\"" + strings.Repeat("x", 100) + "\"}\n\n"
	for dialect, reply := range streams(50) {
		got := string(reply.Write([]byte(large[:80])))
		if got != large[:80] {
			t.Errorf("%s: %d bytes have passed, want all that came", dialect, len(got))
		}
		got += string(reply.Write([]byte(large[80:])))
		if round := reply.End(); !round.Broken {
			t.Errorf("%s: nobody knows what was in the event", dialect)
		}
		if got += string(reply.Finish()); got != large {
			t.Errorf("%s: %q", dialect, got)
		}
	}
}

func TestNoMoreIsKeptOfAnAnswerThanThereIsRoomFor(t *testing.T) {
	t.Parallel()
	s := anthropic.Codec{}.NewReply("text/event-stream", isOurs).(*build.Stream)
	if !s.Keep(build.MaxStream) {
		t.Error("there is room for a whole answer")
	}
	if s.Write([]byte(`data: {"type":"message_stop"}` + "\n\n")); s.End().Broken {
		t.Error("a whole answer is not broken")
	}
	if s.Keep(1) || !s.End().Broken {
		t.Error("there is no room for more")
	}
}

func TestAnAnswerThatIsTooLongPassesWithoutBeingKept(t *testing.T) {
	t.Parallel()
	r := anthropic.Codec{}.NewReply("", isOurs)
	piece := bytes.Repeat([]byte(" "), build.MaxReply/4)
	passed := 0
	for range 6 {
		passed += len(r.Write(piece))
	}
	if round := r.End(); !round.Broken {
		t.Error("an answer that was not kept cannot be read")
	}
	if passed += len(r.Finish()); passed != 6*len(piece) {
		t.Errorf("%d bytes passed, want %d", passed, 6*len(piece))
	}
}

func TestWhatWaitsPassesBeforeAnEventThatIsTooLarge(t *testing.T) {
	t.Parallel()
	large := "data: " + strings.Repeat("x", 300) + "\n\n"
	waiting := map[plimsoll.Dialect]string{
		plimsoll.OpenAI:    `data: {"choices":[{"index":0,"delta":{"tool_calls":[{"index":0,"id":"1"}]}}]}` + "\n\n",
		plimsoll.Responses: `data: {"type":"response.output_item.added","output_index":0,"item":{"type":"reasoning"}}` + "\n\n",
	}
	for dialect, event := range waiting {
		reply := streams(200)[dialect]
		if got := reply.Write([]byte(event)); len(got) > 0 {
			t.Errorf("%s: %s has not waited", dialect, got)
		}
		if got := string(reply.Write([]byte(large))); got != event+large {
			t.Errorf("%s: %s", dialect, got)
		}
	}
}

func isOurs(name string) bool { return strings.HasPrefix(name, "plimsoll_") }

func TestTheTextsOfAnAnswerThatIsTooLongToBeContinuedAreNotKept(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("the tide turns ", 1000)
	for dialect, s := range map[plimsoll.Dialect][2]string{
		plimsoll.OpenAI:    {"", `data: {"choices":[{"index":0,"delta":{"content":"` + text + `"}}]}` + "\n\n"},
		plimsoll.Anthropic: {`data: {"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}` + "\n\n", `data: {"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + text + `"}}` + "\n\n"},
	} {
		reply := streams(build.MaxEvent)[dialect]
		passed := len(reply.Write([]byte(s[0])))
		pieces := 2 * build.MaxStream / len(text)
		for range pieces {
			passed += len(reply.Write([]byte(s[1])))
		}
		if passed != len(s[0])+pieces*len(s[1]) {
			t.Errorf("%s: %d bytes passed", dialect, passed)
		}
		round := reply.End()
		if said := len(bytes.Join(round.Said, nil)); !round.Broken || said > len(text) {
			t.Errorf("%s: broken %t, %d bytes are kept", dialect, round.Broken, said)
		}
	}
}
