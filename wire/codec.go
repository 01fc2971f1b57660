package wire

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
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
	// Refusal renders an error of Plimsoll as this API's own, so that clients raise
	// the error that their users already handle.
	Refusal(err error) (status int, body []byte)
}

// Writer renders what edits add, for one request, and knows the rules of its API. A
// codec passes it to [NewRequest]. Most writers embed [Defaults].
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
	// Locate reads message i again and says where its parts stand.
	Locate(i int) Located
	// Check adds what the API would refuse, beyond the rules that all dialects share.
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
	// Bare returns the message that a single value stands for where the API accepts
	// one instead of the list of messages.
	Bare(raw []byte) []byte
}

// Defaults are the methods of a [Writer] whose API has no special rules: it holds no
// earlier messages, takes a message anywhere, and needs no adjustments.
type Defaults struct{}

// Continues returns false.
func (Defaults) Continues() bool { return false }

// Adjust returns no edits.
func (Defaults) Adjust(*plimsoll.Draft, []bool, map[int][][]byte) ([]rawjson.Edit, error) {
	return nil, nil
}

// Place leaves all messages before message i.
func (Defaults) Place(i int, _ []plimsoll.Message, _ []bool) (at, n int) { return i, 0 }

// Bare returns the value itself.
func (Defaults) Bare(raw []byte) []byte { return raw }

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

// Take adds what an answer or a part of it says beside its message: the model, and
// raw usage and error. What is empty leaves what was known; usage stands
// for the whole answer so far.
func (r *Response) Take(model string, usage, apiError []byte) {
	if model != "" {
		r.Model = model
	}
	if u, err := ParseUsage(usage); err == nil {
		r.Usage, r.HasUsage = u, true
	}
	if e := ParseAPIError(apiError); e != nil {
		r.Error = e
	}
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
