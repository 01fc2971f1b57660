// Package layout says what a codec finds in a request body: where everything stands,
// and what makes two messages the same across requests.
//
// It is the ground that package wire and the codecs share. A codec fills a [Layout]
// with the tools of package build, and a wire.Request answers from it. The package
// knows no API and reads no JSON.
package layout

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Layout says where everything stands in a request body. Where the parts of a message stand
// is not in it: few messages are edited, so a codec may read those again.
type Layout struct {
	// Body of the request, unchanged.
	Body []byte
	// Root is the request object with its members.
	Root rawjson.List
	// Model as the body names it; empty where the path does.
	Model string
	// Stream says that a streamed answer was asked for.
	Stream bool
	// MaxOutput is the limit of the answer that the body sets; 0 if none.
	MaxOutput int
	// Window is the context window that the body asks for; 0 if none.
	Window int
	// Choice, Output and Thinking are those of the conversation.
	Choice   string
	Output   plimsoll.Tool
	Thinking string
	// System, Tools and their identities.
	System         []plimsoll.Part
	SystemIdentity plimsoll.Digest
	Tools          plimsoll.List[plimsoll.Tool]
	ToolsIdentity  plimsoll.Digest
	// Messages is the list that holds the messages. If the body has one value instead
	// of the list that stands for one message, Messages is the span of that value and
	// has no items.
	Messages rawjson.List
	// Parsed are the messages, and Identities theirs. Messages that say the same have
	// equal identities, whatever the client did to fields that do not matter (cache
	// marks, a text as string or as list).
	Parsed     []plimsoll.Message
	Identities []plimsoll.Digest
}

// Reset forgets the messages: of members with one name the last counts.
func (l *Layout) Reset() {
	l.Messages, l.Parsed, l.Identities = rawjson.List{}, nil, nil
}

// Len returns the number of messages.
func (l *Layout) Len() int { return len(l.Parsed) }

// Add appends a message that stands at a span, and gives it the digest of its raw
// bytes if it has none.
func (l *Layout) Add(m plimsoll.Message, identity plimsoll.Digest, at rawjson.Span) {
	if m.Digest == (plimsoll.Digest{}) {
		m.Digest = DigestOf(at.Of(l.Body))
	}
	l.Parsed = append(l.Parsed, m)
	l.Identities = append(l.Identities, identity)
	l.Messages.Items = append(l.Messages.Items, at)
}

// Bare reports whether the body has one value instead of the list of messages.
func (l *Layout) Bare() bool { return l.Len() == 1 && len(l.Messages.Items) == 0 }

// AddBare appends the one message of a body that has one value instead of the list.
func (l *Layout) AddBare(m plimsoll.Message, identity plimsoll.Digest, at rawjson.Span) {
	l.Add(m, identity, at)
	l.Messages = rawjson.List{Span: at}
}

// Located says where the parts of one message stand.
type Located struct {
	// Places run in parallel with the parts.
	Places []Place
	// Lists that parts are elements of.
	Lists []PartList
}

// PartList is an array (or object) whose elements (or members) are parts.
type PartList struct {
	rawjson.List
	// Empty is written in the list's place if no element is left; empty text
	// means that the list is left without elements.
	Empty string
}

// Place says where a part stands in the body.
type Place struct {
	// List is the index in the message's lists, and Index the element's in it. A
	// part that cannot be removed alone has List -1.
	List, Index int
	// With are the indexes of further elements of the list that go when the part is
	// removed.
	With []int
	// Content is the value that holds a tool result's content.
	Content rawjson.Span
}

// Fixed returns the place of a part that cannot be removed alone.
func Fixed() Place { return Place{List: -1} }
