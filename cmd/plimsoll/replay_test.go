package main

import (
	"testing"

	"github.com/plimsoll/plimsoll/internal/lab/replay"
)

func TestProgressIsDrawnAsABar(t *testing.T) {
	t.Parallel()
	at := replay.Progress{Sessions: 1, Calls: 1234, Share: 0.25}
	if got, want := progressLine(at, display{ascii: true}), "#####............... 1 conversation, 1,234 calls"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	at.Share = 7
	if got, want := progressLine(at, display{}), "████████████████████ 1 conversation, 1,234 calls"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}
