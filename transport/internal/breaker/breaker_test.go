package breaker_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/store"
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
		{"a deadline that is not the breaker's", fmt.Errorf("get: %w", context.DeadlineExceeded), false},
		{"a row that the store refuses", fmt.Errorf("put: %w", plimsoll.ErrInvalid), false},
		{"content that is damaged", fmt.Errorf("get: %w", store.ErrCorrupt), false},
		{"an error of the engine", errors.New("no such table"), false},
		{"a store that fails", fmt.Errorf("the disk is gone: %w", store.ErrUnavailable), true},
	} {
		b := breaker.New(func() time.Time { return time.Unix(0, 0) })
		err := b.Do(t.Context(), "anna", breaker.ReadTimeout, func(context.Context) error { return c.err })
		if !errors.Is(err, c.err) {
			t.Errorf("%s: Do returns %v", c.what, err)
		}
		for _, owner := range []string{"anna", "bert"} {
			if b.Closed(owner) == c.open {
				t.Errorf("%s: for %s closed is %v", c.what, owner, b.Closed(owner))
			}
		}
	}
}

func TestAnOpenBreakerRunsNothingAndClosesAfterFiveSeconds(t *testing.T) {
	t.Parallel()
	now := time.Unix(1000, 0)
	b := breaker.New(func() time.Time { return now })
	_ = b.Do(t.Context(), "anna", breaker.ReadTimeout, func(context.Context) error { return store.ErrUnavailable })
	for _, c := range []struct {
		after time.Duration
		runs  bool
	}{{0, false}, {5*time.Second - 1, false}, {5 * time.Second, true}, {time.Hour, true}} {
		now = time.Unix(1000, 0).Add(c.after)
		ran := false
		err := b.Do(t.Context(), "bert", breaker.ReadTimeout, func(context.Context) error {
			ran = true
			return nil
		})
		if ran != c.runs || errors.Is(err, breaker.ErrOpen) == c.runs {
			t.Errorf("%s after the failure: ran %v, %v", c.after, ran, err)
		}
	}
}

// hang is an operation that ends with its context.
func hang(ctx context.Context) error {
	<-ctx.Done()
	return ctx.Err()
}

func TestAnOperationThatTakesTooLongRestsTheStoreForItsOwnerAlone(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := breaker.New(time.Now)
		err := b.Do(t.Context(), "anna", breaker.ReadTimeout, hang)
		if !errors.Is(err, context.DeadlineExceeded) || b.Closed("anna") || !b.Closed("bert") {
			t.Errorf("%v; closed for anna %v, for bert %v", err, b.Closed("anna"), b.Closed("bert"))
		}
		_ = b.Do(t.Context(), "bert", breaker.ReadTimeout, func(context.Context) error { return nil })
		_ = b.Do(t.Context(), "carl", breaker.ReadTimeout, hang)
		if b.Closed("carl") || !b.Closed("bert") {
			t.Errorf("the store has answered in between: closed for carl %v, for bert %v", b.Closed("carl"), b.Closed("bert"))
		}
	})
}

func TestAStoreThatAnswersNoOwnerRestsForAll(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := breaker.New(time.Now)
		_ = b.Do(t.Context(), "anna", breaker.ReadTimeout, hang)
		_ = b.Do(t.Context(), "bert", breaker.ReadTimeout, hang)
		if b.Closed("carl") {
			t.Error("two owners waited in vain, and it is closed for a third")
		}
	})
}

func TestADeadlineThatTheRequestBroughtIsNoFailureOfTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := breaker.New(time.Now)
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if err := b.Do(ctx, "anna", breaker.ReadTimeout, hang); !errors.Is(err, context.DeadlineExceeded) || !b.Closed("anna") {
			t.Errorf("%v, closed %v", err, b.Closed("anna"))
		}
	})
}
