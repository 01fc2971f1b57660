package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
)

func TestOnlyAFailureOfTheStoreOpensTheBreaker(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what string
		err  error
		open bool
	}{
		{"success", nil, false},
		{"content that is not there", fmt.Errorf("get: %w", plimsoll.ErrNotFound), false},
		{"a client that leaves", fmt.Errorf("get: %w", context.Canceled), false},
		{"a store that fails", errors.New("the disk is gone"), true},
		{"a store that hangs", fmt.Errorf("get: %w", context.DeadlineExceeded), true},
	} {
		b := breaker.New(func() time.Time { return time.Unix(0, 0) })
		err := b.Do(t.Context(), breaker.ReadTimeout, func(context.Context) error { return c.err })
		if !errors.Is(err, c.err) {
			t.Errorf("%s: Do returns %v", c.what, err)
		}
		if b.Closed() == c.open {
			t.Errorf("%s: closed is %v", c.what, b.Closed())
		}
	}
}

func TestAnOpenBreakerRunsNothingAndClosesAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	b := breaker.New(func() time.Time { return now })
	b.Note(errors.New("the disk is gone"))
	for _, c := range []struct {
		after time.Duration
		runs  bool
	}{{0, false}, {5*time.Second - 1, false}, {5 * time.Second, true}, {time.Hour, true}} {
		now = time.Unix(1000, 0).Add(c.after)
		ran := false
		err := b.Do(t.Context(), breaker.ReadTimeout, func(context.Context) error {
			ran = true
			return nil
		})
		if ran != c.runs || errors.Is(err, breaker.ErrOpen) == c.runs {
			t.Errorf("%s after the failure: ran %v, %v", c.after, ran, err)
		}
	}
}

func TestAnOperationHasATimeLimit(t *testing.T) {
	t.Parallel()
	b := breaker.New(time.Now)
	err := b.Do(t.Context(), 0, func(ctx context.Context) error {
		<-ctx.Done()
		return ctx.Err()
	})
	if !errors.Is(err, context.DeadlineExceeded) || b.Closed() {
		t.Errorf("%v, closed %v", err, b.Closed())
	}
}
