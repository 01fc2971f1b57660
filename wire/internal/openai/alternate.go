package openai

import (
	"bytes"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// Models whose servers have rules of their own, by parts of their names.
var (
	perplexity = []string{"sonar"}
	mistral    = []string{"mistral", "mixtral", "ministral", "magistral", "codestral", "devstral", "pixtral", "voxtral"}
	gemma      = []string{"gemma"}
)

func isOneOf(model string, names []string) bool {
	for _, name := range names {
		if strings.Contains(strings.ToLower(model), name) {
			return true
		}
	}
	return false
}

// alternates reports whether user and assistant must alternate: at Perplexity, and in the
// chat templates of Mistral's models and of Gemma, as vLLM and llama.cpp apply them.
func alternates(model string) bool {
	return isOneOf(model, perplexity) || isOneOf(model, mistral) || isOneOf(model, gemma)
}

// Place lets no user's message follow a result for Mistral's models: many of their servers
// refuse that. It goes before the calls, to the user's message that led to them.
func (w *writer) Place(i int, inserted []plimsoll.Message, kept []bool) (at, n int) {
	at = i
	if !isOneOf(w.layout.Model, mistral) {
		return at, 0
	}
	for n < len(inserted) && inserted[n].Role == plimsoll.User {
		n++
	}
	behind := false
	for k := i - 1; k >= 0; k-- {
		role := w.layout.Parsed[k].Role
		switch {
		case !kept[k]:
			continue
		case role == plimsoll.ToolRole:
			behind = true
		case role != plimsoll.Assistant || !behind:
			return at, n
		}
		at = k
	}
	return at, n
}

// Finish joins neighbouring messages of one role if user and assistant must alternate. A
// checkpoint, a receipt or a cut may bring two together. If a client itself sends two in
// a row, its server accepts them, and all stays.
func (w *writer) Finish(body []byte) ([]byte, error) {
	if !alternates(w.layout.Model) {
		return body, nil
	}
	for i := 1; i < w.layout.Len(); i++ {
		if role := w.layout.Parsed[i].Role; role == w.layout.Parsed[i-1].Role && role != plimsoll.ToolRole {
			return body, nil
		}
	}
	r, err := Codec{}.Decode(body)
	if err != nil {
		return nil, err
	}
	messages := r.Layout().Messages
	kept := make([]bool, len(messages.Items))
	var edits []rawjson.Edit
	for i := 0; i < len(kept); {
		kept[i] = true
		role, content := plain(body, messages.Items[i])
		joined := [][]byte{content.Of(body)}
		for i++; role != "" && i < len(kept); i++ {
			next, more := plain(body, messages.Items[i])
			if next != role {
				break
			}
			joined = append(joined, more.Of(body))
		}
		if len(joined) > 1 {
			edits = append(edits, rawjson.Edit{Span: content, Text: join(joined)})
		}
	}
	if len(edits) == 0 {
		return body, nil
	}
	return rawjson.Splice(body, append(edits, rawjson.Rearrange(messages, kept, nil)...))
}

// plain returns the role and the content of a message of the user or the assistant that
// has nothing else; the role of any other message is empty.
func plain(body []byte, at rawjson.Span) (role plimsoll.Role, content rawjson.Span) {
	s := rawjson.NewScannerAt(body, at)
	for key := range s.Members() {
		switch string(key) {
		case "role":
			t, _ := s.String()
			role = plimsoll.Role(t.Decode(body))
		case "content":
			content = s.Value()
		default:
			return "", content
		}
	}
	if role != plimsoll.User && role != plimsoll.Assistant || content.Len() < 2 || body[content.Start] != '"' && body[content.Start] != '[' {
		return "", content
	}
	return role, content
}

// join makes one content of several: a text if all are texts, or else a list of parts.
func join(contents [][]byte) []byte {
	var texts, parts [][]byte
	for _, c := range contents {
		inside := bytes.TrimSpace(c[1 : len(c)-1])
		switch {
		case c[0] == '"':
			texts = append(texts, c[1:len(c)-1])
			parts = append(parts, append(append([]byte(`{"type":"text","text":`), c...), '}'))
		case len(inside) > 0:
			parts = append(parts, inside)
		}
	}
	if len(texts) == len(contents) {
		return append(append([]byte{'"'}, bytes.Join(texts, []byte(`\n\n`))...), '"')
	}
	return append(append([]byte{'['}, bytes.Join(parts, []byte(","))...), ']')
}
