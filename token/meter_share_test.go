package token

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
)

func TestSharedWorkIsDoneOnceEach(t *testing.T) {
	t.Parallel()
	for _, n := range []int{0, 1, shareLen, 2 * shareLen, 4*shareLen - 1, 4 * shareLen, 1001} {
		done := make([]atomic.Int32, n)
		share(n, func(i int) { done[i].Add(1) })
		for i := range done {
			if got := done[i].Load(); got != 1 {
				t.Errorf("%d of %d was done %d times", i, n, got)
			}
		}
	}
}

func TestAPanicInSharedWorkIsTheCallers(t *testing.T) {
	t.Parallel()
	defer func() {
		if r := recover(); r != "at 700" {
			t.Errorf("recovered %v", r)
		}
	}()
	share(1001, func(i int) {
		if i == 700 {
			panic("at 700")
		}
	})
	t.Error("the panic got lost")
}

// TestSharedWeighingIsWeighing is not parallel: it sets how many processors there are.
func TestSharedWeighingIsWeighing(t *testing.T) {
	var messages []plimsoll.Message
	for i := range 500 {
		messages = append(messages, plimsoll.Say(plimsoll.User, fmt.Sprint(i, " ", strings.Repeat("some words ", i%7))))
	}
	c := plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
	processors := runtime.GOMAXPROCS(4)
	defer runtime.GOMAXPROCS(processors)
	shared := NewMeter(nil).Weigh(c)
	runtime.GOMAXPROCS(1)
	if diff := cmp.Diff(NewMeter(nil).Weigh(c), shared, cmp.AllowUnexported(plimsoll.Load{})); diff != "" {
		t.Errorf("-alone +shared\n%s", diff)
	}
}
