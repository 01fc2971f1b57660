package mcpserver_test

import (
	"bytes"
	"encoding/base64"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/serve/mcpserver"
)

// png is the beginning of a picture.
var png = []byte("\x89PNG\r\n\x1a\n\x00\xff>?")

func TestO12_PartsThatAreNoTextComeBackWhole(t *testing.T) {
	t.Parallel()
	s, _, _ := stored(t)
	large := bytes.Repeat(png, 100_000)
	encoded := base64.StdEncoding.EncodeToString
	for _, tc := range []struct {
		name string
		part plimsoll.Part
		word string
		want mcp.Content
	}{
		{"a picture", plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: encoded(png)}, "[image]", &mcp.ImageContent{Data: png, MIMEType: "image/png"}},
		{"a picture of a megabyte", plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: encoded(large)}, "[image]", &mcp.ImageContent{Data: large, MIMEType: "image/png"}},
		{"a picture of a type that is not said", plimsoll.Media{Kind: plimsoll.Image, Data: encoded(png)}, "[image]", &mcp.ImageContent{Data: png, MIMEType: "image/png"}},
		{"base64 for addresses, without its end", plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: base64.RawURLEncoding.EncodeToString(png)}, "[image]", &mcp.ImageContent{Data: png, MIMEType: "image/png"}},
		{"a picture in an address", plimsoll.Media{Kind: plimsoll.Image, URL: "data:image/gif;base64," + encoded(png)}, "[image]", &mcp.ImageContent{Data: png, MIMEType: "image/gif"}},
		{"a picture elsewhere", plimsoll.Media{Kind: plimsoll.Image, URL: "https://example.com/a.png"}, "[image]", &mcp.ResourceLink{URI: "https://example.com/a.png", Name: "image"}},
		{"a name that a provider knows", plimsoll.Media{Kind: plimsoll.Document, URL: "file-123"}, "[document]", &mcp.TextContent{Text: "[part 1: document, of which only the name is stored: file-123]"}},
		{"a sound", plimsoll.Media{Kind: plimsoll.Audio, MIME: "audio/wav", Data: encoded(png)}, "[audio]", &mcp.AudioContent{Data: png, MIMEType: "audio/wav"}},
		{"a document", plimsoll.Media{Kind: plimsoll.Document, MIME: "application/pdf", Data: encoded(png)}, "[document]", &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "plimsoll:part/1/document", MIMEType: "application/pdf", Blob: png}}},
		{"a film", plimsoll.Media{Kind: plimsoll.Video, MIME: "video/mp4", Data: encoded(png)}, "[video]", &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "plimsoll:part/1/video", MIMEType: "video/mp4", Blob: png}}},
		{"data that is no base64", plimsoll.Media{Kind: plimsoll.Image, MIME: "image/png", Data: "*"}, "[image]", &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "plimsoll:part/1/image", MIMEType: "image/png", Text: "*"}}},
		{"an unknown part", plimsoll.Opaque{Kind: "search result", Raw: `{"a": 1}`}, "[other:search result]", &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: "plimsoll:part/1/search%20result", MIMEType: "application/json", Text: `{"a": 1}`}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			ref, err := s.Tenant("me").Put(t.Context(), plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "see"}, tc.part))
			if err != nil {
				t.Fatal(err)
			}
			session := inProcess(t, mcpserver.New(s.Tenant("me"), nil))
			got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "tool_output_cache", Arguments: map[string]any{"ref_id": ref.ID}})
			if err != nil || got.IsError {
				t.Fatal(got, err)
			}
			want := []mcp.Content{&mcp.TextContent{Text: "    1  see\n    2  " + tc.word}, tc.want}
			if diff := cmp.Diff(want, got.Content, cmp.Comparer(bytes.Equal)); diff != "" {
				t.Errorf("-want +got\n%.2000s", diff)
			}
			if first, _ := call(t, session, "tool_output_cache", map[string]any{"ref_id": ref.ID, "limit": 1}); strings.TrimSpace(first) != "1  see" {
				t.Errorf("the line before it is %q", first)
			}
		})
	}
}
