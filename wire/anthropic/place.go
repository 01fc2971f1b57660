package anthropic

import "github.com/plimsoll/plimsoll"

// Place lets no user's message stand behind a system turn: the API wants the
// assistant there. It goes before the turn, to the user's message that the turn
// belongs to.
func (w *writer) Place(i int, inserted []plimsoll.Message, kept []bool) (at, n int) {
	for n < len(inserted) && (inserted[n].Role == plimsoll.User || inserted[n].Role == plimsoll.ToolRole) {
		n++
	}
	at = i
	for k := i - 1; k >= 0; k-- {
		if !kept[k] {
			continue
		}
		if !w.layout.Message(k).Role.Instructs() {
			break
		}
		at = k
	}
	return at, n
}
