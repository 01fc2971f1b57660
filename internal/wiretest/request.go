package wiretest

import (
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// TB is what the helpers need of a test; rapid's tests have it too.
type TB interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// TextOf returns one text as the content of a result.
func TextOf(s string) plimsoll.List[plimsoll.Part] {
	return plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: s})
}

// Decode decodes a body that must be readable.
func Decode(t TB, codec wire.Codec, body string) *wire.Request {
	t.Helper()
	r, err := codec.Decode([]byte(body))
	if err != nil {
		t.Fatalf("decode: %v\n%s", err, body)
	}
	return r
}

// Edited returns a body with edits that must succeed.
func Edited(t TB, codec wire.Codec, body string, edit func(*plimsoll.Draft) error) string {
	t.Helper()
	r := Decode(t, codec, body)
	d := plimsoll.NewDraft(r.Conversation(), nil)
	if err := edit(d); err != nil {
		t.Fatalf("edit: %v", err)
	}
	out, err := r.Encode(d)
	if err != nil {
		t.Fatalf("%v\n%s", err, body)
	}
	return string(out)
}

// DecodeError decodes a body that must not be readable, and returns why, after a
// look at what all such errors have in common.
func DecodeError(t TB, codec wire.Codec, body string) *wire.DecodeError {
	t.Helper()
	_, err := codec.Decode([]byte(body))
	var bad *wire.DecodeError
	if !errors.As(err, &bad) || !errors.Is(err, plimsoll.ErrInvalid) {
		t.Fatalf("error %v", err)
	}
	if bad.Dialect != codec.Dialect() || bad.Offset < 0 || bad.Offset > len(body) || bad.Err == nil && bad.Expected == "" {
		t.Errorf("an error of %q at %d of %d that expects %q: %v", bad.Dialect, bad.Offset, len(body), bad.Expected, err)
	}
	return bad
}

// ExpectRule asks that a rule is among those that were broken, or that none was if
// it is empty.
func ExpectRule(t TB, found []wire.Violation, rule string) {
	t.Helper()
	if rule == "" && len(found) > 0 {
		t.Errorf("found %v, want nothing", found)
	}
	for _, v := range found {
		if v.Rule == rule {
			return
		}
	}
	if rule != "" {
		t.Errorf("found %v, want %s", found, rule)
	}
}

// SharedLinks returns how long two chains are the same: 0 if even the
// instructions or the tools differ.
func SharedLinks(a, b *wire.Request) int {
	was, is := a.Chain(), b.Chain()
	n := 0
	for n < len(was) && n < len(is) && was[n] == is[n] {
		n++
	}
	return n
}
