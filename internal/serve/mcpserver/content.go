package mcpserver

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
)

// contents returns an answer as the protocol has it: the text, then the parts that
// stand in its lines.
func contents(a expand.Answer) []mcp.Content {
	all := []mcp.Content{&mcp.TextContent{Text: a.Text}}
	for i, p := range a.Parts {
		switch p := p.(type) {
		case plimsoll.Media:
			all = append(all, media(p, i))
		case plimsoll.Opaque:
			all = append(all, &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: name(p.Kind, i), MIMEType: "application/json", Text: p.Raw}})
		}
	}
	return all
}

// media returns pictures and sounds as what they are, other files as resources that
// are part of the answer, and what stands elsewhere as a link.
func media(m plimsoll.Media, i int) mcp.Content {
	mime, text := m.MIME, m.Data
	if head, data, ok := strings.Cut(m.URL, ";base64,"); ok && text == "" && strings.HasPrefix(head, "data:") {
		mime, text = strings.TrimPrefix(head, "data:"), data
	}
	if text == "" {
		return elsewhere(m, i)
	}
	data, err := decoded(text)
	if err != nil {
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: name(string(m.Kind), i), MIMEType: mime, Text: text}}
	}
	if mime == "" {
		mime = http.DetectContentType(data)
	}
	switch m.Kind {
	case plimsoll.Image:
		return &mcp.ImageContent{Data: data, MIMEType: mime}
	case plimsoll.Audio:
		return &mcp.AudioContent{Data: data, MIMEType: mime}
	default:
		return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: name(string(m.Kind), i), MIMEType: mime, Blob: data}}
	}
}

// decoded reads base64 in any of its forms, with line ends or without.
func decoded(text string) ([]byte, error) {
	text = strings.TrimRight(strings.NewReplacer("-", "+", "_", "/", "\n", "", "\r", "").Replace(text), "=")
	return base64.RawStdEncoding.DecodeString(text)
}

// elsewhere is for content that was not in the conversation but under an address, or
// under a name that only a provider knows.
func elsewhere(m plimsoll.Media, i int) mcp.Content {
	if u, err := url.Parse(m.URL); err == nil && u.IsAbs() {
		return &mcp.ResourceLink{URI: m.URL, Name: string(m.Kind), MIMEType: m.MIME}
	}
	return &mcp.TextContent{Text: fmt.Sprintf("[part %d: %s, of which only the name is stored: %s]", i+1, m.Kind, m.URL)}
}

// name is the address of a resource that stands in the answer itself.
func name(kind string, i int) string {
	return fmt.Sprintf("plimsoll:part/%d/%s", i+1, url.PathEscape(kind))
}
