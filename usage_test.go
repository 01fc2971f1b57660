package plimsoll_test

import (
	"testing"

	"github.com/plimsoll/plimsoll"
)

func TestUsageAdds(t *testing.T) {
	t.Parallel()
	a := plimsoll.Usage{Input: 1, Output: 2, CacheCreation: 3, CacheRead: 4, Reasoning: 5}
	want := plimsoll.Usage{Input: 2, Output: 4, CacheCreation: 6, CacheRead: 8, Reasoning: 10}
	if got := a.Add(a); got != want || got.Total() != 20 || got.Prompt() != 16 {
		t.Errorf("sum %+v, total %d, prompt %d", got, got.Total(), got.Prompt())
	}
}
