package main

import "slices"

// matched is a message before and after; -1 where there is none.
type matched struct {
	change        change
	before, after int
}

// match pairs the messages of two conversations in order: equal ones first, as many as
// possible, and between them those that are the same message with other content.
func match(a, b []sketch) []matched {
	var all []matched
	i, j := 0, 0
	for _, same := range append(common(a, b), [2]int{len(a), len(b)}) {
		all = append(all, matchEdited(a, b, i, same[0], j, same[1])...)
		if same[0] < len(a) && same[1] < len(b) {
			all = append(all, matched{kept, same[0], same[1]})
		}
		i, j = same[0]+1, same[1]+1
	}
	return all
}

// matchEdited pairs what stands between two equal messages.
func matchEdited(a, b []sketch, i, endA, j, endB int) []matched {
	var all []matched
	for i < endA {
		k := slices.IndexFunc(b[j:endB], a[i].isEdited)
		if k < 0 {
			all = append(all, matched{dropped, i, -1})
			i++
			continue
		}
		for range k {
			all = append(all, matched{added, -1, j})
			j++
		}
		all = append(all, matched{edited, i, j})
		i, j = i+1, j+1
	}
	for ; j < endB; j++ {
		all = append(all, matched{added, -1, j})
	}
	return all
}

// isEdited reports whether another message is this one with other content.
func (s sketch) isEdited(other sketch) bool {
	if s.role != other.role || s.calls != other.calls {
		return false
	}
	return s.calls != "" || s.begins != "" && s.begins == other.begins
}

// common returns the places of a longest common subsequence of equal messages.
func common(a, b []sketch) [][2]int {
	head := 0
	for head < len(a) && head < len(b) && a[head].whole == b[head].whole {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail].whole == b[len(b)-1-tail].whole {
		tail++
	}
	var places [][2]int
	for i := range head {
		places = append(places, [2]int{i, i})
	}
	for _, at := range longest(a[head:len(a)-tail], b[head:len(b)-tail]) {
		places = append(places, [2]int{head + at[0], head + at[1]})
	}
	for i := tail; i > 0; i-- {
		places = append(places, [2]int{len(a) - i, len(b) - i})
	}
	return places
}

// longest finds the subsequence by table; what differs is short beside the whole.
func longest(a, b []sketch) [][2]int {
	lengths := make([][]int32, len(a)+1)
	for i := range lengths {
		lengths[i] = make([]int32, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i].whole == b[j].whole {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	var places [][2]int
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].whole == b[j].whole:
			places = append(places, [2]int{i, j})
			i, j = i+1, j+1
		case lengths[i+1][j] >= lengths[i][j+1]:
			i++
		default:
			j++
		}
	}
	return places
}
