package wire

import (
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Layout says where everything stands in a request body. A codec fills it; a
// [Request] answers from it.
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
	Tools          []plimsoll.Tool
	ToolsIdentity  plimsoll.Digest
	// Messages is the list that holds the messages. Its items and Items run in
	// parallel. If the body has a bare string in its place, Messages is the span
	// of that string without items, and Items has the one message it stands for.
	Messages rawjson.List
	Items    []Item
}

// AddItem appends a message. It makes room for as many again when there is none:
// items are large, and append would copy a long list many more times.
func (l *Layout) AddItem(item Item) {
	if len(l.Items) == cap(l.Items) {
		l.Items = slices.Grow(l.Items, len(l.Items)+1)
	}
	l.Items = append(l.Items, item)
}

// Item is one message of a body.
type Item struct {
	Message plimsoll.Message
	// Identity is equal for messages that say the same, whatever the client did
	// to fields that do not matter (cache marks, a text as string or as list).
	Identity plimsoll.Digest
	// Places says where each part stands.
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
	// List is the index in the item's lists, and Index the element's in it. A
	// part that cannot be removed alone has List -1.
	List, Index int
	// Content is the value that holds a tool result's content.
	Content rawjson.Span
}

// Fixed returns the place of a part that cannot be removed alone.
func Fixed() Place { return Place{List: -1} }

// bare says that the messages are a single string.
func (l *Layout) bare() bool {
	return len(l.Items) == 1 && len(l.Messages.Items) == 0
}
