package summary

import (
	"cmp"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Transcript returns messages of a conversation as one text, for a model that does not
// get the conversation itself. Speakers are in brackets, and tool outputs are in fences
// with the name of the tool. Escapes keep texts from looking like either. It leaves out
// reasoning.
func Transcript(c plimsoll.Conversation, span plimsoll.Span) string {
	return newTranscriber(c, span).text(span)
}

// transcriber writes transcripts of parts of a span.
type transcriber struct {
	messages plimsoll.List[plimsoll.Message]
	origins  map[plimsoll.PartRef]string
}

func newTranscriber(c plimsoll.Conversation, span plimsoll.Span) transcriber {
	return transcriber{c.Messages, toolNames(c, span)}
}

func (t transcriber) text(span plimsoll.Span) string {
	var b strings.Builder
	for i := span.Start; i < span.End; i++ {
		t.message(&b, i)
	}
	return strings.TrimRight(b.String(), "\n")
}

func (t transcriber) message(b *strings.Builder, i int) {
	m := t.messages.At(i)
	speaker := ""
	speak := func(as string) {
		if as != speaker {
			b.WriteString("[" + as + "]\n")
			speaker = as
		}
	}
	for j, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			speak(string(m.Role))
			b.WriteString(spoken(p.Text) + "\n")
		case plimsoll.ToolCall:
			speak(string(m.Role) + " calls " + label(p.Name))
			b.WriteString(spoken(p.Arguments) + "\n")
			speaker = ""
		case plimsoll.ToolResult:
			speak("result")
			b.WriteString(fence(t.origins[plimsoll.PartRef{Message: i, Part: j}], plimsoll.TextOf(p.Content)) + "\n")
		case plimsoll.Media:
			speak(string(m.Role))
			b.WriteString("(" + string(p.Kind) + ")\n")
		}
	}
	if speaker != "" || m.Parts.Len() > 0 {
		b.WriteString("\n")
	}
}

// spoken escapes the text of a message. It indents a line that begins with a bracket, so
// that the line does not look like a speaker.
func spoken(text string) string {
	text = escape(text)
	if strings.HasPrefix(text, "[") {
		text = " " + text
	}
	return strings.ReplaceAll(text, "\n[", "\n [")
}

// label is the name of a tool, for a line of its own.
func label(name string) string {
	return clip(strings.Join(strings.Fields(strings.NewReplacer("[", "(", "]", ")").Replace(escape(name))), " "), maxOrigin)
}

// toolNames says which tool each result in the span came from.
func toolNames(c plimsoll.Conversation, span plimsoll.Span) map[plimsoll.PartRef]string {
	calls := map[plimsoll.PartRef]string{}
	for _, pair := range c.Outline().Pairs {
		if span.Contains(pair.Result.Message) {
			call := plimsoll.Peek(c.Messages.At(pair.Call.Message), pair.Call.Part).(plimsoll.ToolCall)
			calls[pair.Result] = label(call.Name)
		}
	}
	for i := span.Start; i < span.End; i++ {
		m := c.Messages.At(i)
		for j := range m.Parts.Len() {
			at := plimsoll.PartRef{Message: i, Part: j}
			if r, ok := plimsoll.Peek(m, j).(plimsoll.ToolResult); ok && calls[at] == "" {
				calls[at] = cmp.Or(label(r.Name), "tool")
			}
		}
	}
	return calls
}
