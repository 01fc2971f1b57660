package sse_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/sse"
)

func TestEventsAreWritten(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, event, data, want string }{
		{"a name and a line", "delta", "{}", "event: delta\ndata: {}\n\n"},
		{"no name is no event line", "", "[DONE]", "data: [DONE]\n\n"},
		{"no data is an empty data line", "ping", "", "event: ping\ndata: \n\n"},
		{"each line of the data has its own", "", "a\nb\rc\r\nd", "data: a\ndata: b\ndata: c\ndata: d\n\n"},
		{"a line end at the end of the data is kept", "", "a\n", "data: a\ndata: \n\n"},
		{"LF and CR in this order are two", "", "a\n\rb", "data: a\ndata: \ndata: b\n\n"},
		{"a space at the start of the data is kept", "", " a", "data:  a\n\n"},
		{"a name cannot smuggle in a field", "a\ndata: x\r\n\r\n", "1", "event: adata: x\ndata: 1\n\n"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got := string(sse.Append([]byte("before"), tt.event, []byte(tt.data)))
			if diff := cmp.Diff("before"+tt.want, got); diff != "" {
				t.Errorf("written (-want +got):\n%s", diff)
			}
		})
	}
}

func TestWhatIsWrittenIsReadBack(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("\r\n: \x00é\ufeffadt")))
	rapid.Check(t, func(rt *rapid.T) {
		var stream []byte
		var want []message
		for range rapid.IntRange(0, 5).Draw(rt, "events") {
			name, data := text.Draw(rt, "name"), text.Draw(rt, "data")
			stream = sse.Append(stream, name, []byte(data))
			want = append(want, message{
				Name: strings.NewReplacer("\r", "", "\n", "").Replace(name),
				Data: strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(data),
			})
		}
		if diff := cmp.Diff(want, messages(pull(adapter{t, rt}, bytes.NewReader(stream), nil))); diff != "" {
			rt.Fatalf("read back (-want +got):\n%s", diff)
		}
	})
}
