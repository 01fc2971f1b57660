package scripted

import (
	"cmp"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire"
)

// Script decides what the model does. It is called for requests that are valid and
// fit, possibly by several goroutines at once. If it has nothing to say, requests
// for a summary get one and all others a short text.
type Script func(*Call) (step Step, ok bool)

// Step is one answer. The zero Step is an answer without a word.
type Step struct {
	// On says which requests the step of a list is for. A script that is a function
	// need not set it.
	On On
	// Again says that the step of a list is not used up by an answer.
	Again bool

	Text string
	// Calls of tools. IDs that are empty are filled in.
	Calls []plimsoll.ToolCall
	// Stop is why the answer ends; empty means [wire.StopTools] with calls and
	// [wire.StopEnd] without.
	Stop wire.Stop

	// Delay before the first byte, and Pace between the frames of a stream.
	Delay, Pace time.Duration
	// Fault is answered instead, and Cut breaks the connection off: of a stream
	// when After frames of it have been sent, of anything else at once.
	Fault *Fault
	Cut   bool
	After int
}

// Fault is an error of the provider's. Fields that are empty are what the API writes
// for the status.
type Fault struct {
	// Status is 0 for 500.
	Status     int
	Type, Code string
	Message    string
	// RetryAfter is sent as a header, in whole seconds.
	RetryAfter time.Duration
}

func (f Fault) withDefaults() *Fault {
	f.Status = cmp.Or(f.Status, http.StatusInternalServerError)
	f.Message = cmp.Or(f.Message, http.StatusText(f.Status), "Overloaded")
	return &f
}

// End is what a request ends with.
type End string

// The ends.
const (
	// EndUser: something that the user said.
	EndUser End = "user"
	// EndTool: results of tools.
	EndTool End = "tool"
	// EndSummary: a demand for a summary.
	EndSummary End = "summary"
)

// On chooses requests by what they end with. The zero On is every request but those
// for a summary.
type On struct {
	End End
	// Tool is the tool that one of the results is of.
	Tool string
	// Contains is a text that stands at the end: in the user's message or in one of
	// the results.
	Contains string
}

func (o On) matches(c *Call) bool {
	end := c.End()
	if o.End == "" && end == EndSummary || o.End != "" && o.End != end {
		return false
	}
	if o.Tool == "" && (o.Contains == "" || strings.Contains(c.Text(), o.Contains)) {
		return true
	}
	for _, r := range c.Results() {
		if (o.Tool == "" || o.Tool == r.Name) && strings.Contains(plimsoll.TextOf(r.Content), o.Contains) {
			return true
		}
	}
	return false
}

// Steps is a script of steps in order, for one conversation after another, not for
// several at once: each request gets the first step that is for it and has not been
// used.
func Steps(steps ...Step) Script {
	var mu sync.Mutex
	used := make([]bool, len(steps))
	return func(c *Call) (Step, bool) {
		mu.Lock()
		defer mu.Unlock()
		for i, s := range steps {
			if !used[i] && s.On.matches(c) {
				used[i] = !s.Again
				return s, true
			}
		}
		return Step{}, false
	}
}

// Say is a step of one text.
func Say(text string) Step { return Step{Text: text} }

// Use is a step that calls one tool.
func Use(tool, arguments string) Step {
	return Step{Calls: []plimsoll.ToolCall{{Name: tool, Arguments: arguments}}}
}
