package rung_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

// stickyOptions is a whole ladder that cuts later requests as earlier ones.
func stickyOptions(window int) fit.Options {
	return fit.Options{
		Meter: letterMeter(), Window: window, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.7}, Archive: &shelf{}, Sticky: true,
		Rungs: []fit.Rung{
			&rung.View{MaxBytes: 700, Errors: true}, &rung.Dedupe{}, &rung.Clear{ToGoal: true, KeepNewest: 1, MinReclaim: -1}, &rung.Reasoning{},
			&rung.Slide{}, &rung.View{ToFit: true, Tail: 0.3, Errors: true},
		},
	}
}

// beginnings returns a conversation as it grows, request by request: up to each user
// message and each result of tools.
func beginnings(c plimsoll.Conversation) []plimsoll.Conversation {
	var all []plimsoll.Conversation
	messages := c.Messages.Slice()
	for i, m := range messages {
		if last := i+1 == len(messages); last || m.Role != plimsoll.Assistant && messages[i+1].Role == plimsoll.Assistant {
			all = append(all, plimsoll.Conversation{Messages: plimsoll.ListOf(messages[:i+1]...)})
		}
	}
	return all
}

// TestSamePrefixSameBytes is the seventh law: as long as nothing new is cut, a request
// is what the one before was, with the new messages behind it.
func TestSamePrefixSameBytes(t *testing.T) {
	t.Parallel()
	recalled := 0
	rapid.Check(t, func(t *rapid.T) {
		c := drawConversation(t)
		o := stickyOptions(rapid.IntRange(500, 6000).Draw(t, "window"))
		k, err := fit.New(&o)
		if err != nil {
			t.Fatal(err)
		}
		var before []plimsoll.Message
		length := 0
		for _, request := range beginnings(c) {
			plan, err := k.Fit(t.Context(), fit.Task{Conversation: request})
			if err != nil {
				before = nil // it does not fit any more; a smaller tail may
				continue
			}
			got := plan.Conversation().Messages.Slice()
			if len(plan.Rungs) == 1 && plan.Rungs[0].Replayed && before != nil {
				recalled++
				want := append(before, request.Messages.Slice()[length:]...)
				if diff := cmp.Diff(asJSON(t, want), asJSON(t, got)); diff != "" {
					t.Fatalf("nothing new was cut, and yet (-want +got):\n%s", diff)
				}
			}
			if plan.After.Exceeds(plan.Line) {
				t.Fatalf("%d tokens are over %d", plan.After.Total, plan.Line.Limit())
			}
			before, length = got, request.Messages.Len()
		}
	})
	if recalled == 0 {
		t.Error("no request was cut as the one before; the test says nothing")
	}
}

func asJSON(t *rapid.T, messages []plimsoll.Message) string {
	return show(t, bare(plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}))
}

// TestALaterCutTakesTheReceiptOfTheEarlierOneOver slides twice.
func TestALaterCutTakesTheReceiptOfTheEarlierOneOver(t *testing.T) {
	t.Parallel()
	archive := &shelf{}
	o := fit.Options{Meter: letterMeter(), Window: 1500, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.6}, Archive: archive, Sticky: true, Rungs: []fit.Rung{&rung.Slide{}}}
	k, err := fit.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	var last *plimsoll.Plan
	for rounds := 30; rounds <= 60; rounds += 3 {
		if last, err = k.Fit(t.Context(), fit.Task{Conversation: loop(rounds)}); err != nil {
			t.Fatal(err)
		}
		if n := strings.Count(reads(last.Conversation()), "user: [plimsoll: "); n != 1 {
			t.Fatalf("%d rounds leave %d receipts:\n%s", rounds, n, reads(last.Conversation()))
		}
	}
	var receipt string
	for _, m := range last.Conversation().Messages.All() {
		if plimsoll.IsReceipt(m) {
			receipt = m.Text()
		}
	}
	left := strings.Count(reads(last.Conversation()), "call ")
	_, ref, _ := strings.Cut(receipt, "ref=")
	ref, _, _ = strings.Cut(ref, ",")
	if gone := strings.Count(archive.kept[ref], "tool_call"); gone != 60-left {
		t.Errorf("%d rounds are left and %d archived under %q, of 60: %s", left, gone, ref, receipt)
	}
}
