package responses

import (
	"bytes"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Content keeps the form of the old output: a list stays a list, the chunks of a
// shell stay chunks. An item without output gets the member.
func (w *writer) Content(content plimsoll.List[plimsoll.Part], old []byte) ([]byte, error) {
	parts := content.Slice()
	switch {
	case len(old) == 0:
		return appendOutput([]byte(`,"output":`), parts)
	case old[0] == '{':
		return renderScreenshot(parts)
	case old[0] != '[':
		return appendOutput(nil, parts)
	}
	if outcome, ok := shellOutcome(old); ok {
		return renderChunks(parts, outcome)
	}
	return appendBlocks(nil, "input_text", parts)
}

// shellOutcome reports whether an output is a list of a shell's chunks, and how
// the last of them ended.
func shellOutcome(old []byte) (outcome []byte, ok bool) {
	outcome = []byte(`{"type":"exit","exit_code":0}`)
	s := rawjson.NewScanner(old)
	for range s.Elements() {
		if s.Peek() != '{' {
			continue
		}
		for key := range s.Members() {
			switch string(key) {
			case "stdout", "stderr":
				ok = true
			case "outcome":
				outcome = s.Value().Of(old)
			}
		}
	}
	return outcome, ok
}

func renderChunks(parts []plimsoll.Part, outcome []byte) ([]byte, error) {
	chunks := make([][]byte, len(parts))
	for i, p := range parts {
		t, ok := p.(plimsoll.Text)
		if !ok {
			return nil, fmt.Errorf("a %T in the output of a shell: %w", p, plimsoll.ErrUnsupported)
		}
		chunk := rawjson.AppendQuote([]byte(`{"stdout":`), t.Text)
		chunk = append(chunk, `,"stderr":"","outcome":`...)
		chunks[i] = append(append(chunk, outcome...), '}')
	}
	return append(append([]byte{'['}, bytes.Join(chunks, []byte(","))...), ']'), nil
}

// renderScreenshot writes the output of a computer call, which can be a picture
// and nothing else.
func renderScreenshot(parts []plimsoll.Part) ([]byte, error) {
	if len(parts) == 1 {
		if m, ok := parts[0].(plimsoll.Media); ok && m.Kind == plimsoll.Image {
			url := m.URL
			if m.Data != "" {
				url = dataURL(m)
			}
			return append(rawjson.AppendQuote([]byte(`{"type":"computer_screenshot","image_url":`), url), '}'), nil
		}
	}
	return nil, fmt.Errorf("the output of a computer call can only be one picture: %w", plimsoll.ErrUnsupported)
}
