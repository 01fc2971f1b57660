package plimsoll

import (
	"slices"
	"testing"
)

func TestWhatASlabHandsOutDoesNotGrowIntoOthers(t *testing.T) {
	t.Parallel()
	var s slab[int]
	for n := range slabLen {
		list := slices.Repeat([]int{n}, n)
		first, second := s.clone(list), s.clone(list)
		first = append(first, -1)
		*s.one() = -2
		if !slices.Equal(first[:n], list) || !slices.Equal(second, list) {
			t.Errorf("of %d: got %v and %v", n, first, second)
		}
	}
}
