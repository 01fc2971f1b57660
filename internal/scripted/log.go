package scripted

import (
	"net/http"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Exchange is a request and what became of it.
type Exchange struct {
	Method string
	// Path with its query.
	Path string
	// Header of the request, keys included.
	Header http.Header
	Body   []byte
	// Call is nil where the request could not be read or carries no conversation.
	Call *Call
	// Violations are the rules of the API that the request breaks.
	Violations []wire.Violation
	// Status that was answered, with Refusal as its message where it was an error.
	Status  int
	Refusal string
	// Overflow says that the request was over the window.
	Overflow bool
	// Step that was answered with, and Usage that was billed for it.
	Step  Step
	Usage plimsoll.Usage
}

// Log returns the exchanges so far, oldest first, as far as they are remembered. An
// exchange is there before the first byte of its answer.
func (m *Model) Log() []Exchange {
	m.mu.Lock()
	defer m.mu.Unlock()
	return append([]Exchange(nil), m.log...)
}

func (m *Model) note(e Exchange) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.log) >= m.options.Remember {
		m.log = append(m.log[:0], m.log[1:]...)
	}
	m.log = append(m.log, e)
}
