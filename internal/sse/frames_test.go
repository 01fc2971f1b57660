package sse_test

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/sse"
)

// split reads frames in pieces of some size.
func split(t testing.TB, stream []byte, size int, o *sse.Options) (all []sse.Event) {
	t.Helper()
	s := sse.Frames.Splitter(func(e sse.Event, err error) {
		if err != nil {
			t.Fatal(err)
		}
		e.Data, e.Raw = bytes.Clone(e.Data), bytes.Clone(e.Raw)
		all = append(all, e)
	}, o)
	for part := range slices.Chunk(stream, max(1, size)) {
		piece := bytes.Clone(part)
		if n, err := s.Write(piece); n != len(part) || err != nil {
			t.Fatalf("Write took %d of %d bytes: %v", n, len(part), err)
		}
		clear(piece)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Write([]byte("x")); err == nil {
		t.Error("a closed splitter takes more")
	}
	return all
}

// withHeaders is a frame whose headers are given in their own form.
func withHeaders(headers, payload string) []byte {
	return sse.FrameOf([]byte(headers), []byte(payload))
}

func TestFramesAreReadAsAmazonWritesThem(t *testing.T) {
	t.Parallel()
	// The example that Amazon's SDKs test with: one header of a string, a payload.
	known, err := hex.DecodeString("0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1")
	if err != nil {
		t.Fatal(err)
	}
	event := "\x0b:event-type\x07\x00\x0cmessageStart\x0d:message-type\x07\x00\x05event"
	odd := "\x01a\x00\x01b\x01\x01c\x02x\x01d\x03xx\x01e\x04xxxx\x01f\x05xxxxxxxx\x01g\x06\x00\x02xx\x01h\x08xxxxxxxx\x01i\x09xxxxxxxxxxxxxxxx"
	for _, tt := range []struct {
		name string
		raw  []byte
		want sse.Event
	}{
		{"Amazon's own example", known, sse.Event{Data: data("{'foo':'bar'}")}},
		{"an event has a name", withHeaders(event, `{}`), sse.Event{Name: "messageStart", Data: data(`{}`)}},
		{"headers of other types are skipped", withHeaders(odd+event, `{}`), sse.Event{Name: "messageStart", Data: data(`{}`)}},
		{"a header that breaks off ends the headers", withHeaders("\x0b:event-type\x07\x00\x7fx", `{}`), sse.Event{Data: data(`{}`)}},
		{"a header without a type ends the headers", withHeaders("\x0b:event-type", `{}`), sse.Event{Data: data(`{}`)}},
		{"a header of an unknown type ends the headers", withHeaders("\x01a\x0a", `{}`), sse.Event{Data: data(`{}`)}},
		{
			"a chunk has its data in base64",
			withHeaders("\x0b:event-type\x07\x00\x05chunk", `{"bytes":"`+base64.StdEncoding.EncodeToString([]byte(`{"type":"ping"}`))+`","p":"abc"}`),
			sse.Event{Data: data(`{"type":"ping"}`)},
		},
		{"a chunk whose data is no base64 has none", withHeaders("\x0b:event-type\x07\x00\x05chunk", `{"bytes":"?"}`), sse.Event{}},
		{
			"an exception is an error",
			withHeaders("\x0f:exception-type\x07\x00\x13validationException\x0d:message-type\x07\x00\x09exception", `{"message":"too long"}`),
			sse.Event{Name: "error", Data: data(`{"error":{"message":"too long","type":"validationException"},"type":"error"}`)},
		},
		{
			"an exception that was written is read", sse.AppendException(nil, "throttlingException", []byte(`{"message":"later"}`)),
			sse.Event{Name: "error", Data: data(`{"error":{"message":"later","type":"throttlingException"},"type":"error"}`)},
		},
		{
			"an error says so in its headers",
			withHeaders("\x0b:error-code\x07\x00\x04busy\x0e:error-message\x07\x00\x05later\x0d:message-type\x07\x00\x05error", ``),
			sse.Event{Name: "error", Data: data(`{"error":{"message":"later","type":"busy"},"type":"error"}`)},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			tt.want.Raw = tt.raw
			for _, size := range []int{1, 7, len(tt.raw)} {
				if diff := cmp.Diff([]sse.Event{tt.want}, split(t, tt.raw, size, nil)); diff != "" {
					t.Errorf("in pieces of %d (-want +got):\n%s", size, diff)
				}
			}
		})
	}
}

func TestWhatIsWrittenIsRead(t *testing.T) {
	t.Parallel()
	known := sse.FrameOf([]byte("\x0ccontent-type\x07\x00\x10application/json"), []byte("{'foo':'bar'}"))
	if got := hex.EncodeToString(known); got != "0000003d0000002007fd83960c636f6e74656e742d747970650700106170706c69636174696f6e2f6a736f6e7b27666f6f273a27626172277d8d9c08b1" {
		t.Errorf("Amazon's own example is written as %s", got)
	}
	stream := sse.Frames.Append(nil, "metadata", []byte(`{"usage":{}}`))
	first := len(stream)
	stream = sse.Chunks.Append(stream, "message_stop", []byte(`{"type":"message_stop"}`))
	want := []sse.Event{
		{Name: "metadata", Data: data(`{"usage":{}}`), Raw: stream[:first]},
		{Data: data(`{"type":"message_stop"}`), Raw: stream[first:]},
	}
	if diff := cmp.Diff(want, split(t, stream, 10, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestBehindAFrameThatIsNoneNothingIsRead(t *testing.T) {
	t.Parallel()
	good := sse.Frames.Append(nil, "a", []byte(`{}`))
	changed := func(at int) []byte {
		frame := bytes.Clone(good)
		frame[at]++
		return frame
	}
	for name, bad := range map[string][]byte{
		"text":                         []byte(strings.Repeat("x", 50)),
		"a wrong checksum of lengths":  changed(8),
		"a wrong checksum of all":      changed(len(good) - 1),
		"a payload that was changed":   changed(len(good) - 5),
		"a frame that is too large":    sse.Frames.Append(nil, "a", make([]byte, 200)),
		"headers longer than the rest": sse.Prelude(20, 5),
		"a frame shorter than a frame": sse.Prelude(15, 0),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stream := slices.Concat(good, bad, good)
			got := split(t, stream, len(stream), &sse.Options{MaxEvent: 100})
			want := []sse.Event{{Name: "a", Data: data(`{}`), Raw: good}, {Raw: stream[len(good):]}}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got):\n%s", diff)
			}
		})
	}
}

func TestAFrameThatBreaksOffIsCut(t *testing.T) {
	t.Parallel()
	frame := sse.Frames.Append(nil, "a", []byte(`{}`))
	cut := frame[:len(frame)-1]
	if diff := cmp.Diff([]sse.Event{{Raw: cut, Cut: true}}, split(t, cut, 5, nil)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// FuzzFrames finds the same bytes and the same events however a stream was cut on its way.
func FuzzFrames(f *testing.F) {
	event := sse.Chunks.Append(nil, "", []byte(`{"type":"ping"}`))
	f.Add(slices.Concat(event, sse.Frames.Append(nil, "b", []byte(`{"message":"no"}`)), event), uint8(7))
	f.Add(append(event, "x"...), uint8(1))
	f.Add(make([]byte, 12), uint8(3))
	f.Fuzz(func(t *testing.T, stream []byte, piece uint8) {
		read := func(size int) (raw, said []byte) {
			for _, e := range split(t, stream, size, nil) {
				raw = append(raw, e.Raw...)
				if e.HasData() {
					said = append(append(append(said, e.Name...), e.Data...), '\n')
				}
			}
			return raw, said
		}
		raw, whole := read(len(stream))
		again, inPieces := read(int(piece))
		if !bytes.Equal(raw, stream) || !bytes.Equal(again, stream) {
			t.Errorf("%q was read as %q, and in pieces as %q", stream, raw, again)
		}
		if !bytes.Equal(whole, inPieces) {
			t.Errorf("whole %q, in pieces %q", whole, inPieces)
		}
	})
}

func TestTheContentTypeNamesTheFraming(t *testing.T) {
	t.Parallel()
	for contentType, want := range map[string]sse.Framing{
		"text/event-stream; charset=utf-8":   sse.Events,
		"application/vnd.amazon.eventstream": sse.Frames,
		"application/x-ndjson":               sse.Lines,
	} {
		if got, ok := sse.FramingOf(contentType); got != want || !ok {
			t.Errorf("%s: %d, %v", contentType, got, ok)
		}
	}
	for _, contentType := range []string{"", "application/json", "text/event-stream2", ";"} {
		if _, ok := sse.FramingOf(contentType); ok {
			t.Errorf("%q is a stream of events", contentType)
		}
	}
}
