package plimsoll

import (
	"slices"
	"testing"
)

func TestNotesAreFoundByPartAndQuestion(t *testing.T) {
	t.Parallel()
	one, other := &question{}, &question{}
	var n notes
	for _, part := range []int{4, 7, 2, 7, 9, 0, 5} {
		n.add(noted{part, one, part})
		if part == 7 || part == 0 {
			n.add(noted{part, other, -part - 1})
		}
	}
	for part := range 11 {
		fact, known := n.find(part, one)
		if want := slices.Contains([]int{4, 7, 2, 9, 0, 5}, part); known != want || known && fact != part {
			t.Errorf("part %d: got %v, %v", part, fact, known)
		}
		fact, known = n.find(part, other)
		if want := part == 7 || part == 0; known != want || known && fact != -part-1 {
			t.Errorf("the other question about part %d: got %v, %v", part, fact, known)
		}
	}
}
