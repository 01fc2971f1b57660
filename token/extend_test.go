package token_test

import (
	"fmt"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func firstMessages(c plimsoll.Conversation, n int) plimsoll.Conversation {
	c.Messages = plimsoll.ListOf(c.Messages.Slice()[:n]...)
	return c
}

// TestExtendEqualsWeighingAnewForAnySplit weighs a conversation piece by piece,
// with forks that are extended from the same load, and compares every load at the
// end, when all of them have been grown.
func TestExtendEqualsWeighingAnewForAnySplit(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c, fork := anyConversation().Draw(t, "conversation"), anyConversation().Draw(t, "fork")
		meter := token.NewMeter(nil)
		type weighed struct {
			c    plimsoll.Conversation
			load plimsoll.Load
		}
		all := []weighed{{firstMessages(c, 0), meter.Weigh(firstMessages(c, 0))}}
		siblings := c.Outline().Siblings
		for n := 0; n < c.Messages.Len(); {
			n = rapid.IntRange(n+1, c.Messages.Len()).Draw(t, "upto")
			known, next := all[len(all)-1], firstMessages(c, n)
			if !siblingsAgree(siblings, next.Outline().Siblings) {
				continue
			}
			other := known.c
			other.Messages = plimsoll.ListOf(append(other.Messages.Slice(), fork.Messages.Slice()...)...)
			if siblingsAgree(other.Outline().Siblings, known.c.Outline().Siblings) {
				all = append(all, weighed{other, meter.Extend(known.load, other)})
			}
			all = append(all, weighed{next, meter.Extend(known.load, next)})
		}
		for i, w := range all {
			if diff := cmp.Diff(token.NewMeter(nil).Weigh(w.c), w.load); diff != "" {
				t.Fatalf("load %d of %d (-anew +extended):\n%s", i, len(all), diff)
			}
		}
	})
}

func TestExtendSeesOtherInstructionsAndTools(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	c := chat("gpt-4o", say(plimsoll.User, "hello"))
	known := meter.Weigh(c)
	c.System = plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "stay concise"})
	c.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "read", Description: "reads a file", Schema: `{"type":"object"}`})
	got := meter.Extend(known, c)
	if diff := cmp.Diff(token.NewMeter(nil).Weigh(c), got); diff != "" || got.System == 0 || got.Tools == 0 {
		t.Errorf("system %d, tools %d (-anew +extended):\n%s", got.System, got.Tools, diff)
	}
}

func TestInstructionsAndToolsAreCountedOnce(t *testing.T) {
	t.Parallel()
	c := &counting{Counter: named(t, "o200k_base")}
	meter := token.NewMeter(&token.MeterOptions{Counter: c})
	conversation := chat("gpt-4o")
	conversation.System = plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "keep the ship afloat"})
	conversation.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "read", Description: "reads a file", Schema: `{"type":"object"}`})
	first := meter.Weigh(conversation)
	counted := c.bytes
	second := meter.Weigh(conversation)
	if c.bytes != counted || counted == 0 {
		t.Errorf("%d bytes were read the first time, %d the second", counted, c.bytes-counted)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
}

func TestManyMayExtendOneLoadAtOnce(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	base := []plimsoll.Message{say(plimsoll.User, "hello"), say(plimsoll.Assistant, "hi")}
	known := meter.Weigh(chat("gpt-4o", base...))
	var wg sync.WaitGroup
	for g := range 6 {
		wg.Go(func() {
			messages, load := append([]plimsoll.Message{}, base...), known
			for i := range 30 {
				messages = append(messages, say(plimsoll.User, fmt.Sprintf("line %d of speaker %d", i, g)))
				load = meter.Extend(load, chat("gpt-4o", messages...))
			}
			if diff := cmp.Diff(token.NewMeter(nil).Weigh(chat("gpt-4o", messages...)), load); diff != "" {
				t.Errorf("speaker %d (-anew +extended):\n%s", g, diff)
			}
		})
	}
	wg.Wait()
}
