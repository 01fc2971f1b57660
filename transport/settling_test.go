package transport

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

func TestOnlyTheConversationThatIsSettledWaits(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var u unsettled
		waited := func(conversation string) time.Duration {
			began := time.Now()
			u.wait(t.Context(), conversation)
			return time.Since(began)
		}
		u.begin("one")
		u.begin("one")
		if took := waited("another"); took != 0 {
			t.Errorf("another conversation waited for %v", took)
		}
		go func() {
			time.Sleep(settlingWait / 4)
			u.end("one")
			time.Sleep(settlingWait / 4)
			u.end("one")
		}()
		if took := waited("one"); took != settlingWait/2 {
			t.Errorf("it waited for %v, and both were settled after %v", took, settlingWait/2)
		}
		if len(u.open) != 0 {
			t.Errorf("%d conversations are still remembered", len(u.open))
		}
		u.begin("one")
		if took := waited("one"); took != settlingWait {
			t.Errorf("one that is never settled was waited for %v", took)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		began := time.Now()
		u.wait(ctx, "one")
		if took := time.Since(began); took != 0 {
			t.Errorf("who is gone waited for %v", took)
		}
	})
}
