package wire

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Layout says where everything stands in a request body. A codec fills it; a
// [Request] answers from it. Where the parts of a message stand is not in it: that
// is asked of few messages, and the codec reads those again.
type Layout struct {
	// Body as it came.
	Body []byte
	// Root is the request object with its members.
	Root rawjson.List
	// Model as the body names it; empty where the path does.
	Model string
	// Stream says that a streamed answer was asked for.
	Stream bool
	// MaxOutput is the limit of the answer that the body sets; 0 if none.
	MaxOutput int
	// System, Tools and their identities.
	System         []plimsoll.Part
	SystemIdentity plimsoll.Digest
	Tools          plimsoll.List[plimsoll.Tool]
	ToolsIdentity  plimsoll.Digest
	// Messages is the list that holds the messages. If the body has something
	// else in its place that stands for one message, Messages is the span of that
	// without elements.
	Messages Elements
	// links has room for the beginning of the chain, and then the identities of the
	// messages, of which the request makes the chain. The identities of messages that
	// say the same are equal, whatever the client did to fields that do not matter
	// (cache marks, a text as string or as list).
	links    []plimsoll.Digest
	building plimsoll.ListBuilder[plimsoll.Message]
	said     plimsoll.List[plimsoll.Message]
}

// Reset forgets the messages: of members with one name the last counts.
func (l *Layout) Reset() {
	l.Messages, l.links = Elements{}, nil
	l.building.List()
}

// Len returns the number of messages.
func (l *Layout) Len() int { return max(0, len(l.links)-1) }

// Message returns message i of a request.
func (l *Layout) Message(i int) plimsoll.Message { return l.said.At(i) }

// Replace puts another message in the place of message i, which has been added.
func (l *Layout) Replace(i int, m plimsoll.Message) { l.building.Set(i, m) }

// Add appends a message that stands at a span, and gives it the digest of its raw
// bytes if it has none.
func (l *Layout) Add(s *Scanner, m plimsoll.Message, identity plimsoll.Digest, at rawjson.Span) {
	if !l.grow(s) {
		return
	}
	if m.Digest == (plimsoll.Digest{}) {
		m.Digest = DigestOf(at.Of(s.Body))
	}
	l.building.Append(m)
	l.links = append(l.links, identity)
	l.Messages.ends = append(l.Messages.ends, uint32(at.End))
}

// AddBare appends the one message of a body that has something else in the place of
// the list.
func (l *Layout) AddBare(s *Scanner, m plimsoll.Message, identity plimsoll.Digest, at rawjson.Span) {
	l.Add(s, m, identity, at)
	l.Messages = Elements{Span: at}
}

// grow makes room for a message.
func (l *Layout) grow(s *Scanner) bool {
	n := l.Len()
	if n+1 < cap(l.links) && n < cap(l.Messages.ends) && n < l.building.Cap() {
		return true
	}
	room := s.expected(n, l.Messages.Start)
	if !growList(s, &l.building, room) {
		return false
	}
	if n == 0 {
		l.links = append(l.links[:0], plimsoll.Digest{})
	}
	l.links = Grow(s, l.links, room)
	l.Messages.ends = Grow(s, l.Messages.ends, room)
	return s.Err() == nil
}

// ReadMessages reads the list of messages that the scanner stands at, each by read.
// Path names the list, and one what is in it.
func (l *Layout) ReadMessages(s *Scanner, path, one string, read func(i int) (plimsoll.Message, plimsoll.Digest, error)) error {
	l.Reset()
	l.Messages.Start, l.Messages.body = s.Offset(), s.Body
	var failed error
	for i := range s.Elements() {
		if s.Peek() != '{' {
			failed = s.Wrong(fmt.Sprintf("%s[%d]", path, i), one)
			break
		}
		if !l.grow(s) {
			break
		}
		begin := s.Offset()
		m, identity, err := read(i)
		if err != nil {
			failed = err
			break
		}
		l.Add(s, m, identity, s.Since(begin))
	}
	l.Messages.End = s.Offset()
	return failed
}

// Beside appends to a list that runs in parallel with the messages, while the next
// of them is being read.
func Beside[T any](s *Scanner, l *Layout, list []T, item T) []T {
	if room := cap(l.links); cap(list) < room {
		list = Grow(s, list, room-len(list))
	}
	return Append(s, list, item)
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

// bare says that the messages are a single value.
func (l *Layout) bare() bool { return l.Len() == 1 && l.Messages.Len() == 0 }
