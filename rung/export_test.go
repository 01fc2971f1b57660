package rung

// For tests of package rung_test.
var (
	FindSplit    = findSplit
	OutputBudget = outputBudget
)

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
