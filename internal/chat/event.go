package chat

import "github.com/plimsoll/plimsoll"

// Event is something that happened while a line was worked on. The set is closed:
// [Asked], [Said], [Called], [Answered], [Failed], [Notice] and [Ended].
type Event interface{ event() }

// Asked says that the message is in the history and on its way.
type Asked struct {
	// Turn counts from 1.
	Turn int
	Text string
	// To names the participants that are asked.
	To []string
}

// Said is a piece of an answer. Pieces of several participants come mixed.
type Said struct {
	Participant string
	Text        string
}

// Called says that a participant used a tool.
type Called struct {
	Participant     string
	Tool, Arguments string
	// Bytes is the size of the result, IsError whether it reports a failure.
	Bytes   int
	IsError bool
}

// Answered says that an answer is complete.
type Answered struct {
	Participant string
	// Text is the whole answer.
	Text string
	// Usage is what was billed; Billed tells a missing bill from zeros.
	Usage  plimsoll.Usage
	Billed bool
	// Load is what was sent, and Line where it had to be.
	Load plimsoll.Load
	Line plimsoll.Line
	// Cut says that the answer ended because its room was used up.
	Cut bool
}

// Failed says that a participant gave no answer, or no whole one; the history has
// what there is of it. [plimsoll.HintOf] tells what can be done.
type Failed struct {
	Participant string
	Err         error
}

// NoticeKind says what a notice is about.
type NoticeKind string

// The kinds of notices.
const (
	// NoticeText is what a command has to show.
	NoticeText NoticeKind = "text"
	// NoticeData is the same in words that are not the program's own: stored lines, a
	// system prompt.
	NoticeData NoticeKind = "data"
	// NoticeDone says in a sentence what a command did.
	NoticeDone NoticeKind = "done"
	// NoticeGoing says what will be taken out of the next request.
	NoticeGoing NoticeKind = "going"
	// NoticeCompressed says what became of a compaction.
	NoticeCompressed NoticeKind = "compressed"
	// NoticeEstimate says that a participant's tokens are estimated.
	NoticeEstimate NoticeKind = "estimate"
	// NoticeWarning is about something that went wrong without harm.
	NoticeWarning NoticeKind = "warning"
)

// Notice is something that the person should know.
type Notice struct {
	Kind NoticeKind
	// Participant that it is about; empty if it is about all or none.
	Participant string
	// Text is one sentence, or lines for [NoticeText] and [NoticeData].
	Text string
}

// Ended is the last event of every line.
type Ended struct{}

func (Asked) event()    {}
func (Said) event()     {}
func (Called) event()   {}
func (Answered) event() {}
func (Failed) event()   {}
func (Notice) event()   {}
func (Ended) event()    {}
