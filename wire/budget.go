package wire

// Budget bounds how many messages, parts and tools an index may hold, so that a
// body of a million empty parts does not take a hundred times its size in
// memory. Small bodies may hold as many as they like; in large ones a thing must
// have 256 bytes on average, which no client comes near.
type Budget struct{ left int }

// NewBudget returns the budget for a body.
func NewBudget(body []byte) Budget { return Budget{max(16_384, len(body)/256)} }

// Take takes one thing from the budget and reports whether there was one left.
func (b *Budget) Take() bool {
	b.left--
	return b.left >= 0
}

// Exhausted reports whether more was taken than there was.
func (b *Budget) Exhausted() bool { return b.left < 0 }

// FewerParts is what a decode error expects when the budget is exhausted.
const FewerParts = "fewer and larger parts: at least 256 bytes each on average"
