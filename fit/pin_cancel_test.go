package fit

import (
	"context"
	"errors"
	"regexp"
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestPatternsAreNotComparedForAClientThatIsGone(t *testing.T) {
	t.Parallel()
	message := plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "a"})
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(message, message)}
	pin := Pin{Match: regexp.MustCompile("a")}
	ctx, cancel := context.WithCancel(t.Context())
	if chosen := pinnedBy(ctx, pin, c, nil); len(chosen) != 2 {
		t.Errorf("%d messages are pinned", len(chosen))
	}
	cancel()
	if chosen := pinnedBy(ctx, pin, c, nil); len(chosen) != 0 {
		t.Errorf("%d messages are pinned", len(chosen))
	}
	w := &Work{k: &Keeper{options: Options{Pins: []Pin{pin}}}, task: &Task{Conversation: c}, draft: plimsoll.NewDraft(c, nil)}
	if err := w.protect(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("the walk goes on: %v", err)
	}
}
