package main

import (
	"testing"

	"github.com/plimsoll/plimsoll/bench/internal/peers"
)

func TestOnlyKeepsUsTheReferenceAndWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	all := []peers.Peer{{Name: peers.Us}, {Name: peers.Native}, {Name: "gpt-tokenizer"}, {Name: "ai-tokenizer"}, {Name: peers.Reference}}
	o := options{only: "gpt,bpe"}
	var got string
	for _, p := range o.choose(all) {
		got += p.Name + ";"
	}
	if want := "plimsoll;bpe-openai;gpt-tokenizer;tiktoken (npm);"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
}
