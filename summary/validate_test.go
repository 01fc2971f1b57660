package summary

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
)

// agentCalls and toolAnswers make a round of a conversation.
func agentCalls(id, tool, arguments string) plimsoll.Message {
	return plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: tool, Arguments: arguments})
}

func toolAnswers(id, text string) plimsoll.Message {
	return plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
		CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text}),
	})
}

// bytesOver4 counts tokens in a way that tests can follow.
func bytesOver4(text string) int { return (len(text) + 3) / 4 }

// requestOf asks for a summary of all the messages.
func requestOf(f Format, messages ...plimsoll.Message) *Request {
	return &Request{
		Conversation: plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)},
		Old:          plimsoll.Span{End: len(messages)},
		Format:       f,
		Budget:       1000,
		Count:        bytesOver4,
	}
}

// prose returns words that differ from one number to the next.
func prose(n, from int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "Sentence %d tells of the %s number %d and why it was moved. ", from+i, []string{"harbour", "crane", "ledger"}[(from+i)%3], (from+i)*7919)
	}
	return b.String()
}

func TestUselessSummariesAreRefused(t *testing.T) {
	t.Parallel()
	r := requestOf(Retained, plimsoll.Say(plimsoll.User, "Move the cranes."), agentCalls("1", "cat", "{}"), toolAnswers("1", prose(200, 0)))
	tests := map[string]struct {
		s    Summary
		want error
	}{
		"one that is fine":                {Summary{Text: "The cranes are being moved."}, nil},
		"one that is empty":               {Summary{Text: " \n"}, errEmpty},
		"one that repeats":                {Summary{Text: "As follows: " + prose(40, 100)}, errEcho},
		"one that repeats in other lines": {Summary{Text: strings.ReplaceAll(prose(40, 100), " ", "\n")}, errEcho},
		"one that is far over its budget": {Summary{Text: strings.Repeat("new words ", 1300)}, errLarger},
		"one that is a little over":       {Summary{Text: prose(80, 5000)}, nil},
		"one that quotes what it retains": {Summary{Retain: prose(10, 5), Text: "Done."}, nil},
		"one that is its own words":       {Summary{Text: prose(40, 1000)}, nil},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if err := validate(r, tt.s); !errors.Is(err, tt.want) || tt.want == nil && err != nil {
				t.Errorf("got %v, want %v", err, tt.want)
			}
		})
	}
	t.Run("one that is larger than what it replaces", func(t *testing.T) {
		t.Parallel()
		small := requestOf(Retained, plimsoll.Say(plimsoll.User, "Hi."))
		if err := validate(small, Summary{Text: "The user said hello and nothing else."}); !errors.Is(err, errLarger) {
			t.Errorf("got %v", err)
		}
	})
	t.Run("a snapshot without sections", func(t *testing.T) {
		t.Parallel()
		snap := *r
		snap.Format = Snapshot
		if err := validate(&snap, Summary{Text: "All is well."}); !errors.Is(err, errMalformed) {
			t.Errorf("got %v", err)
		}
	})
}

func TestWindowsAreFoundWhereverTheyStand(t *testing.T) {
	t.Parallel()
	text := prose(5, 0)
	for at := 0; at+echoBlock <= len(text); at += 7 {
		want, found := hashOf(text[at:at+echoBlock]), false
		eachWindow(text, echoBlock, func(hash uint64) { found = found || hash == want })
		if !found {
			t.Fatalf("the window at %d is not found", at)
		}
	}
}
