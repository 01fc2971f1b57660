package sse_test

import (
	"bytes"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll/internal/sse"
)

func TestEachLineIsAnEvent(t *testing.T) {
	t.Parallel()
	const in = "{\"a\":1}\n\ndata: x\r\n: y\n{\"b\""
	want := []outcome{
		{Event: sse.Event{Data: data(`{"a":1}`), Raw: data("{\"a\":1}\n")}},
		{Event: sse.Event{Raw: data("\n")}},
		{Event: sse.Event{Data: data("data: x"), Raw: data("data: x\r\n")}},
		{Event: sse.Event{Data: data(": y"), Raw: data(": y\n")}},
		{Event: sse.Event{Data: data(`{"b"`), Raw: data(`{"b"`), Cut: true}},
	}
	if diff := cmp.Diff(want, pushTo(t, sse.Lines, singles(in), nil)); diff != "" {
		t.Errorf("events (-want +got):\n%s", diff)
	}
}

// In every chunking nothing is lost, and no line is beyond the limit.
func TestLinesAreTheSameInAnyChunking(t *testing.T) {
	t.Parallel()
	text := rapid.StringOf(rapid.SampledFrom([]rune("\r\n\n: xé\ufeffdata")))
	rapid.Check(t, func(rt *rapid.T) {
		in, lengths := []byte(text.Draw(rt, "stream")), rapid.SliceOf(rapid.Byte()).Draw(rt, "lengths")
		limit := rapid.IntRange(1, 40).Draw(rt, "limit")
		o := &sse.Options{MaxEvent: limit}
		want := pushTo(adapter{t, rt}, sse.Lines, [][]byte{in}, o)
		if diff := cmp.Diff(want, pushTo(adapter{t, rt}, sse.Lines, pieces(in, lengths), o)); diff != "" {
			rt.Fatalf("written in pieces (-at once +in pieces):\n%s", diff)
		}
		at := 0
		for _, one := range want {
			at = checkPlace(adapter{t, rt}, in, at, one, limit)
			if bytes.ContainsAny(one.Event.Data, "\r\n") {
				rt.Fatalf("the data has a line end: %q", one.Event.Data)
			}
		}
		if at != len(in) {
			rt.Fatalf("%d of %d bytes came out", at, len(in))
		}
	})
}
