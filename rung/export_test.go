package rung

import "github.com/plimsoll/plimsoll"

// For tests of package rung_test.
var OutputBudget = outputBudget

// FindSplit returns the split that is preferred; 0 if nothing is old.
func FindSplit(c plimsoll.Conversation, fraction float64) int {
	if splits := findSplits(c, fraction); len(splits) > 0 {
		return splits[0]
	}
	return 0
}

// Text returns the view of a text that the archive has under an id, or that is not
// stored if the id is empty.
func (v *View) Text(text, id string) string {
	c := v.cutter()
	if !c.exceeded([]string{text}) {
		return text
	}
	cut, shorter := c.all([]string{text})
	if !shorter {
		return cut[0]
	}
	return withPlaceholder(cut[0], v.placeholder(true, id))
}
