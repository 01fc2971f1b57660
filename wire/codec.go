package wire

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes one dialect. Codecs have no state and are safe for
// concurrent use.
type Codec interface {
	// Dialect that the codec speaks.
	Dialect() plimsoll.Dialect
	// Decode indexes a request body. The body belongs to the request from then
	// on and must not be changed. An error is a [*DecodeError].
	Decode(body []byte) (*Request, error)
	// ReadResponse reads a complete answer.
	ReadResponse(body []byte) (Response, error)
	// NewAssembler returns a reader for one streamed answer.
	NewAssembler() Assembler
	// Recognises reports whether a request body is written in this dialect.
	Recognises(body []byte) bool
	// Traits returns what is special about the API.
	Traits() Traits
	// Headers returns the headers that a client of the API sends with every request.
	// The key may be empty.
	Headers(key string) map[string]string
	// Offerable reports whether tools may be added to a request: whether it has nothing
	// beside which the API refuses them, or beside which they are of no use.
	Offerable(r *Request) bool
	// Error renders the body of an error in the form of the API. Code is for programs,
	// message for people.
	Error(status int, code, message string) []byte
	// Refusal renders an error of Plimsoll with Error, so that clients raise the error
	// that their users already handle.
	Refusal(err error) (status int, body []byte)

	// The rest knows answers of several rounds: it hides rounds from the client that a
	// proxy has answered, and puts them back into requests.

	// NewReply returns a reply for answers of a content type: a stream of events, such as
	// text/event-stream, or anything else for whole answers. Hidden reports whether a tool
	// is one that the caller answers itself.
	NewReply(contentType string, hidden func(name string) bool) Reply
	// Results renders results as elements of the list of messages that follow the
	// calls.
	Results(results []Result) ([][]byte, error)
	// ResultsBeside renders results that stand beside the client's own, in the form
	// that InsertResults takes.
	ResultsBeside(results []Result) ([][]byte, error)
	// InsertResults returns the edits that put such results into a request, whose
	// elements from next on follow the calls. It reports false if none of the client's
	// results follow, and no message that may have them instead.
	InsertResults(r *Request, next int, results [][]byte) ([]rawjson.Edit, bool)
	// Restored returns elements as they are put into a request in place of what the
	// client sent, which is given with what is between its elements. What the client
	// did to its messages is done to them. Without reasoning says that the client has
	// dropped the reasoning, so that they go without it, too.
	Restored(elements [][]byte, sent []byte, withoutReasoning bool) [][]byte
}

// Traits are the facts about an API that its clients and servers differ by.
type Traits struct {
	// Name of the API's endpoint in reports, in a word.
	Name string
	// Paths are the ends of the paths that requests are sent to, and CountPaths of those
	// where their tokens are counted.
	Paths, CountPaths []string
	// Version is what the paths of the provider's own server begin with. VersionInBase
	// says that clients write it into the base address of a server.
	Version       string
	VersionInBase bool
	// Messages names the member of a request that holds the list of messages.
	Messages string
	// TakesPath reports other paths that requests are sent to, such as those of a host that
	// serves the models of several vendors. It is nil if there are none.
	TakesPath func(path string) bool
	// InPath is what precedes the model in the path of a request, if the path names it and
	// says whether the answer is streamed. It is empty if the body does. StreamQuery is the
	// query that such a path needs for a stream of events.
	InPath, StreamQuery string
	// Hosted says that only the vendor serves the API, so no server of local models does.
	Hosted bool
	// SystemInMessages says that instructions may be messages among the others.
	SystemInMessages bool
	// Alternates says that user and assistant must alternate, whatever the model is.
	Alternates bool
	// Chained says that a server may keep its answers, and that later requests may name
	// one instead of repeating the conversation.
	Chained bool
	// NoCalls is the member of a request that tells the model to call no tool; zero if the
	// API has none.
	NoCalls Member
	// Count names the figure in an answer to a request for counting tokens.
	Count string
	// Model is assumed for a request that names none. It is one that the API has: a count for
	// another one would look exact and be wrong.
	Model string
	// Provider and Operation are what OpenTelemetry calls the API's provider and its calls.
	Provider, Operation string
}

// Member is a member of an object; the value is JSON.
type Member struct{ Key, Value string }

// Writer renders what edits add, for one request, and knows the rules of its API. A
// codec passes it to [NewRequest]. Most writers embed
// Defaults of wire/internal/build.
type Writer interface {
	// Message renders a message as elements of the messages list: one in most
	// dialects, several where each part is an item of its own.
	Message(m plimsoll.Message) ([][]byte, error)
	// Content renders the content of a tool result in the form that the old
	// content has: a string stays a string, a list of parts a list.
	Content(content plimsoll.List[plimsoll.Part], old []byte) ([]byte, error)
	// System adds parts to the instructions: by edits outside the messages, or by
	// elements to insert after the leading instructions among them.
	System(parts plimsoll.List[plimsoll.Part]) (edits []rawjson.Edit, elements [][]byte, err error)
	// Tools returns the edits that add tools.
	Tools(tools plimsoll.List[plimsoll.Tool]) ([]rawjson.Edit, error)
	// Locate says where the parts of message i stand. It may read the message again.
	Locate(i int) layout.Located
	// Check adds what the API would refuse.
	Check(r *Request, found *Violations)
	// Continues reports whether the conversation began before this request, so
	// that a result may answer a call that is not in it.
	Continues() bool
	// Adjust returns further edits to what stays when something else goes, such as
	// a cache mark that would be lost. Kept says which messages stay, and inserts what
	// is written before each, or at the end. Adjust may rewrite these elements, but must
	// not touch what the draft edits.
	Adjust(d *plimsoll.Draft, kept []bool, inserts map[int][][]byte) ([]rawjson.Edit, error)
	// Place says where the messages go that a draft inserts before message i, or at
	// the end. The first n of them are written before message at instead. Kept says
	// which messages before i stay.
	Place(i int, inserted []plimsoll.Message, kept []bool) (at, n int)
	// Finish returns a body with edits in the form that the model's server takes.
	Finish(body []byte) ([]byte, error)
	// Bare returns the message that a single value stands for where the API accepts
	// one instead of the list of messages.
	Bare(raw []byte) []byte
}

// Response is what an answer says.
type Response struct {
	// Model that answered.
	Model string
	// Message is the assistant's, as it would stand in the next request.
	Message plimsoll.Message
	// Usage as billed; HasUsage tells a missing one from zeros.
	Usage    plimsoll.Usage
	HasUsage bool
	// Stop is why the answer ended.
	Stop Stop
	// Error is what the provider reported instead of an answer, or in its
	// middle; nil if nothing.
	Error *APIError
}

// Stop is why an answer ended.
type Stop string

// The reasons, alike for all dialects.
const (
	StopUnknown  Stop = ""
	StopEnd      Stop = "end"
	StopTools    Stop = "tools"
	StopLength   Stop = "length"
	StopContext  Stop = "context"
	StopFiltered Stop = "filtered"
	StopSequence Stop = "sequence"
	StopPaused   Stop = "paused"
)

// Assembler puts a streamed answer together, event by event. It belongs to one
// goroutine.
type Assembler interface {
	// Event takes one event of the stream: its name (may be empty) and its data.
	// What is not understood is passed over; only the provider's own errors are
	// kept, in the response.
	Event(name string, data []byte)
	// Response returns what has been put together so far.
	Response() Response
	// Done reports whether the stream said that it is complete.
	Done() bool
}
