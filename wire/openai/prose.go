package openai

import (
	"encoding/json"
	"strings"
)

// prose is text that is a string, or a list of parts of which some are text and
// some are thinking. Anything else says nothing.
type prose struct{ text, thought string }

// UnmarshalJSON takes any value: text of a kind that nobody knows must not cost
// us the rest of the answer.
func (p *prose) UnmarshalJSON(raw []byte) error {
	var text, thought strings.Builder
	text.WriteString(quoted(raw))
	for _, part := range partsOf(raw) {
		text.WriteString(quoted(part.Text) + quoted(part.Refusal))
		thought.WriteString(quoted(part.Thinking))
		for _, inner := range partsOf(part.Thinking) {
			thought.WriteString(quoted(inner.Text))
		}
	}
	*p = prose{text.String(), thought.String()}
	return nil
}

// saidPart is an element of a list of content, or of the list that is a part's
// thinking.
type saidPart struct {
	Text     json.RawMessage `json:"text"`
	Refusal  json.RawMessage `json:"refusal"`
	Thinking json.RawMessage `json:"thinking"`
}

// partsOf reads a list. What is no list has no parts, and an element that is no
// object says nothing.
func partsOf(raw []byte) []saidPart {
	if len(raw) == 0 || raw[0] != '[' {
		return nil
	}
	var parts []saidPart
	_ = json.Unmarshal(raw, &parts) // leaves out what is no object
	return parts
}

// quoted returns the text of a JSON string, and nothing for any other value.
func quoted(raw []byte) string {
	var text string
	if len(raw) > 0 && raw[0] == '"' {
		_ = json.Unmarshal(raw, &text) // the decoder has found it valid
	}
	return text
}

// verbatim is the text of a string, or any other value as it was written: some
// servers send arguments as an object.
type verbatim string

// UnmarshalJSON takes any value.
func (v *verbatim) UnmarshalJSON(raw []byte) error {
	switch {
	case raw[0] == '"':
		*v = verbatim(quoted(raw))
	case string(raw) == "null":
		*v = ""
	default:
		*v = verbatim(raw)
	}
	return nil
}
