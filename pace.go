package plimsoll

// Base returns what system and tools weigh, with the instructions at the head.
func (w *Work) Base() int {
	n := w.Fixed()
	for i := range w.draft.Outline().Head {
		n += w.Weight(i)
	}
	return n
}

// Pace returns what a call of the model has added to the conversation so far, on
// average: what the client sent beside its instructions, by the answers in it. One
// answer may be several messages.
func (w *Work) Pace() int {
	messages, calls := w.draft.base.Messages.items, 0
	for i := range messages {
		if messages[i].Role == Assistant && (i == 0 || messages[i-1].Role != Assistant) {
			calls++
		}
	}
	return max(0, w.before.Total-w.Base()) / max(1, calls)
}

// Anew returns how much of the prompts behind a cut is not in the prompt cache, until
// the load is back where it was: what each call adds, and what stands behind the cut
// and has to be read anew once. A cut that takes off nothing has nothing behind it.
func Anew(load, left, anew, pace int) float64 {
	if left >= load {
		return 1
	}
	return 2 * float64(pace) * (1 + float64(anew)/float64(load-left)) / float64(load+left)
}
