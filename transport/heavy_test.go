package transport

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

func TestLargeBodiesWaitForTheirTurnButNotForEver(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		turns := make(heavy, 2)
		enter := func(ctx context.Context, bytes int) (func(), time.Duration, error) {
			began := time.Now()
			leave, err := turns.enter(ctx, bytes)
			return leave, time.Since(began), err
		}
		first, took, err := enter(t.Context(), heavyBody)
		if err != nil || took != 0 {
			t.Fatalf("the first waits %s: %v", took, err)
		}
		second, _, _ := enter(t.Context(), heavyBody)

		if leave, took, err := enter(t.Context(), heavyBody-1); err != nil || took != 0 {
			t.Errorf("a small one waits %s: %v", took, err)
		} else {
			leave()
		}
		if leave, took, err := enter(t.Context(), heavyBody); err != nil || took != heavyWait {
			t.Errorf("a third waits %s, want %s: %v", took, heavyWait, err)
		} else {
			leave() // it never had a turn, so that nobody else gets one by this
		}
		if len(turns) != 2 {
			t.Errorf("%d turns are taken, want 2", len(turns))
		}

		time.AfterFunc(time.Second, first)
		third, took, err := enter(t.Context(), heavyBody)
		if err != nil || took != time.Second {
			t.Errorf("whoever waits for a turn that ends after a second waits %s: %v", took, err)
		}

		ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
		defer cancel()
		if _, took, err := enter(ctx, heavyBody); !errors.Is(err, context.DeadlineExceeded) || took != 2*time.Second {
			t.Errorf("a client that leaves waits %s: %v", took, err)
		}
		second()
		third()
		if len(turns) != 0 {
			t.Errorf("%d turns were not given back", len(turns))
		}
	})
}
