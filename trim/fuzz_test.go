package trim_test

import (
	"bytes"
	"encoding/json"
	"testing"
	"unicode/utf8"

	"github.com/plimsoll/plimsoll/trim"
)

// FuzzMessages trims whatever [trim.Parse] takes for messages: no panic, and
// what comes out is JSON and a part of what came in.
func FuzzMessages(f *testing.F) {
	counter := counterFor(f, "")
	f.Fuzz(func(t *testing.T, data []byte, limit int, pairs bool) {
		before := bytes.Clone(data)
		in, err := trim.Parse(data)
		if err != nil {
			return
		}
		got, err := trim.Messages(t.Context(), in.Messages, &trim.Options{MaxTokens: limit, Pairs: pairs, Counter: counter})
		if !bytes.Equal(data, before) {
			t.Fatal("the input was changed")
		}
		if err != nil {
			return
		}
		for i, at := range got.Kept {
			if !bytes.Equal(got.Messages[i], in.Messages[at]) {
				t.Fatalf("message %d was changed", at)
			}
		}
		raw, err := got.MarshalJSON()
		if err != nil || !json.Valid(raw) {
			t.Fatalf("no JSON: %v\n%s", err, raw)
		}
		s := got.Statistics
		if s.OutputTokens > s.InputTokens || s.OutputTokens > limit && len(got.Kept) > 2 && !pairs {
			t.Fatalf("%d of %d tokens in %d messages, with a limit of %d", s.OutputTokens, s.InputTokens, len(got.Kept), limit)
		}
		if utf8.Valid(data) && !utf8.Valid(raw) {
			t.Fatal("text was broken")
		}
	})
}
