package plimsoll

import "strings"

// Part is one piece of a message. The set is closed: [Text], [ToolCall],
// [ToolResult], [Reasoning], [Media] and [Opaque]. Parts are values; a part that
// was put into a message is never changed. See [Defer] for parts that are decoded
// only when they are read.
type Part interface{ part() }

// Text is plain text.
type Text struct{ Text string }

// ToolCall asks the program to run a tool.
type ToolCall struct {
	// ID pairs the call with its result. Gemini may leave it empty; then calls
	// and results pair by name and order.
	ID   string
	Name string
	// Arguments is the text the model wrote, usually JSON. It is kept unchanged.
	Arguments string
	// Signature seals the thoughts behind the call, where the dialect puts them there.
	Signature string
	// Status of the call, where the dialect repeats it.
	Status string
}

// ToolResult is the answer to a tool call.
type ToolResult struct {
	// CallID is the ID of the call this answers.
	CallID string
	// Name of the tool, where the dialect repeats it.
	Name string
	// Content holds text, media and opaque parts.
	Content List[Part]
	// IsError marks a result that reports a failure.
	IsError bool
	// Ref names the stored original once the content here is a view or a
	// placeholder; nil while the content is the original.
	Ref *Ref
}

// Reasoning is a model's thinking, shown or hidden. Providers sign it, so it is
// either carried unchanged or removed whole.
type Reasoning struct {
	Text string
	// Signature or encrypted content, opaque to us.
	Signature string
	// Redacted says that the provider withheld the text.
	Redacted bool
}

// MediaKind is the kind of a media part.
type MediaKind string

// The kinds of media.
const (
	Image    MediaKind = "image"
	Audio    MediaKind = "audio"
	Video    MediaKind = "video"
	Document MediaKind = "document"
)

// Media is an image, a sound, a film or a document. What is unknown is zero; a
// meter reads it from Data where it can.
type Media struct {
	Kind MediaKind
	// MIME type, such as "image/png".
	MIME string
	// Data is the base64 text as it stands in the request, empty for a URL.
	Data string
	// URL of the content, or a provider's file id.
	URL string
	// Detail is the resolution asked for: "low", "high", "auto" or a
	// provider's own word; empty for the default.
	Detail string
	// Width and Height in pixels.
	Width, Height int
	// Pages of a document.
	Pages int
	// Seconds of audio or video.
	Seconds float64
}

// Opaque is a part that this version does not understand. It is weighed and
// carried, never edited.
type Opaque struct {
	// Kind is the provider's name for it.
	Kind string
	// Raw is its unchanged JSON.
	Raw string
}

func (Text) part()       {}
func (ToolCall) part()   {}
func (ToolResult) part() {}
func (Reasoning) part()  {}
func (Media) part()      {}
func (Opaque) part()     {}

// TextOf joins the text parts of a list with newlines. Other parts are left out.
func TextOf(parts List[Part]) string {
	switch parts.Len() {
	case 0:
		return ""
	case 1:
		t, _ := parts.At(0).(Text)
		return t.Text
	}
	var texts []string
	for _, p := range parts.All() {
		if t, ok := p.(Text); ok {
			texts = append(texts, t.Text)
		}
	}
	return strings.Join(texts, "\n")
}
