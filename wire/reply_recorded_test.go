package wire_test

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/internal/replytest"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/anthropic"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

// The streams that the codecs are tested with pass if no tool is ours. If all of them
// are, no call passes and every one is told.
func TestStreamsThatServersSent(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		codec wire.Codec
		kind  string
	}{{anthropic.Codec{}, "tool_use\",\"id"}, {openai.Codec{}, `"tool_calls":[{`}} {
		archive, err := txtar.ParseFile(filepath.Join("internal", string(tt.codec.Dialect()), "testdata", "streams.txtar"))
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			name, ok := strings.CutSuffix(f.Name, ".stream")
			if !ok {
				continue
			}
			t.Run(string(tt.codec.Dialect())+" "+name, func(t *testing.T) {
				t.Parallel()
				var stream []byte
				for line := range strings.Lines(string(f.Data)) {
					stream = sse.Append(stream, "", []byte(strings.TrimSuffix(line, "\n")))
				}
				checkRecorded(t, tt.codec, tt.kind, stream)
			})
		}
	}
}

func checkRecorded(t *testing.T, codec wire.Codec, kind string, stream []byte) {
	t.Helper()
	none := codec.NewReply(true, func(string) bool { return false })
	view, foreign := feed(none, stream)
	if diff := cmp.Diff(string(stream), view+string(none.Finish())); diff != "" {
		t.Errorf("no tool is ours (-want +got):\n%s", diff)
	}
	a := codec.NewAssembler()
	for _, e := range replytest.Events(t, codec, stream) {
		a.Event(e.Name, e.Data)
	}
	var want []plimsoll.ToolCall
	for _, p := range a.Response().Message.Parts.All() {
		if c, ok := p.(plimsoll.ToolCall); ok {
			want = append(want, c)
		}
	}
	if foreign.Foreign != (len(want) > 0) || len(foreign.Calls) > 0 {
		t.Errorf("no tool is ours: %+v", foreign)
	}
	all := codec.NewReply(true, func(string) bool { return true })
	view, round := feed(all, stream)
	view += string(all.Finish())
	if len(round.Calls) > 0 && !round.Foreign && strings.Contains(view, kind) {
		t.Errorf("all tools are ours, and the client sees\n%s", view)
	}
	unanswered := slices.DeleteFunc(want, func(c plimsoll.ToolCall) bool {
		return slices.Contains(round.Calls, c) || !rawjson.IsObject([]byte(c.Arguments)) // cut off
	})
	if len(unanswered) > 0 && !round.Foreign && !round.Broken {
		t.Errorf("calls that nobody answers: %v", unanswered)
	}
}

// feed writes an answer whole.
func feed(r wire.Reply, answer []byte) (view string, round wire.Round) {
	view = string(r.Write(answer))
	return view, r.End()
}
