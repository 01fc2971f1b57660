package wire_test

import (
	"bytes"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// fuzzReply lets a server say anything, in two answers.
func fuzzReply(f *testing.F, v voice) {
	call := func(id, name string) plimsoll.Part {
		return plimsoll.ToolCall{ID: id, Name: name, Arguments: `{"a":1}`}
	}
	ours := testAnswer{n: 1, piece: 3, parts: v.order([]plimsoll.Part{plimsoll.Reasoning{Text: "hm", Signature: "s"}, plimsoll.Text{Text: "Look."}, call("o1", ourTool)})}
	mixed := testAnswer{n: 2, piece: 9, odd: true, parts: v.order([]plimsoll.Part{plimsoll.Text{Text: "Both."}, call("o2", ourTool), call("c1", "shell")})}
	f.Add(true, v.stream(ours), v.stream(mixed), uint8(7))
	f.Add(true, v.stream(mixed), v.stream(ours), uint8(200))
	f.Add(false, v.whole(ours), v.whole(mixed), uint8(50))
	f.Add(false, v.whole(mixed), []byte(`{"error":{}}`), uint8(0))
	f.Fuzz(func(t *testing.T, streamed bool, first, second []byte, size uint8) {
		reply := v.codec.NewReply(streamed, isOurs)
		out := 0
		var results [][]wire.Result
		for i, answer := range [][]byte{first, second} {
			if i > 0 {
				reply.Again()
			}
			for rest := answer; len(rest) > 0; {
				n := min(int(size)+1, len(rest))
				out += len(reply.Write(bytes.Clone(rest[:n])))
				rest = rest[n:]
			}
			round := reply.End()
			results = append(results, resultsOf(round.Calls))
			if _, err := v.codec.Decode(v.listOf(round.Said)); err != nil && !round.Broken {
				t.Fatalf("what was said cannot be sent: %v: %s", err, round.Said)
			}
		}
		out += len(reply.Finish())
		// Each event may get the head and the end of another one.
		if most := 64 * (len(first) + len(second) + 64); out > most {
			t.Fatalf("%d bytes made of %d", out, len(first)+len(second))
		}
		reply.Record(results)
	})
}

func (v voice) listOf(elements [][]byte) []byte {
	return append(append([]byte(`{"messages":`), rawjson.Array(elements)...), '}')
}

func FuzzAnthropic(f *testing.F) { fuzzReply(f, anthropicVoice) }

func FuzzOpenAI(f *testing.F) { fuzzReply(f, openaiVoice) }
