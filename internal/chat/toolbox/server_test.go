package toolbox_test

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
)

// asServer makes the test binary an MCP server over its standard streams.
const asServer = "PLIMSOLL_TEST_MCP_SERVER"

func TestMain(m *testing.M) {
	if os.Getenv(asServer) == frailServer {
		runFrail()
		return
	}
	if os.Getenv(asServer) != "" {
		if err := tides().Run(context.Background(), &mcp.StdioTransport{}); err != nil {
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// tides is a server that knows when the water is high.
func tides() *mcp.Server {
	s := mcp.NewServer(&mcp.Implementation{Name: "tides", Version: "1"}, nil)
	schema := json.RawMessage(`{"type":"object","properties":{"quay":{"type":"string"}}}`)
	text := func(text string) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: text}}}
	}
	s.AddTool(&mcp.Tool{Name: "high.water", Description: "When the water is high.", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return text("high at noon for " + string(r.Params.Arguments)), nil
		})
	s.AddTool(&mcp.Tool{Name: "flood", Description: "Opens the gates.", InputSchema: schema},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			r := text("the gates are stuck")
			r.IsError = true
			return r, nil
		})
	s.AddTool(&mcp.Tool{Name: "chart", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{
				&mcp.ImageContent{Data: []byte("png"), MIMEType: "image/png"}, &mcp.AudioContent{Data: []byte("wav"), MIMEType: "audio/wav"},
			}}, nil
		})
	return s
}

// quoted makes a word for the shell of a text.
func quoted(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

func served(t *testing.T) string {
	t.Helper()
	s := tides()
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(server.Close)
	return server.URL
}

func TestToolsOfServersAreOffered(t *testing.T) {
	t.Parallel()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for name, where := range map[string]string{"a command": "exec " + quoted(self), "an address": served(t)} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			box := open(t, harbour(t), &toolbox.Options{Servers: map[string]string{"tides": where}, ServerEnviron: append(os.Environ(), asServer+"=1")})
			var names []string
			for _, tool := range box.Tools() {
				names = append(names, tool.Name)
				if tool.Name == "tides_high_water" && (tool.Description != "When the water is high." || !strings.Contains(tool.Schema, `"quay"`)) {
					t.Errorf("declared as %+v", tool)
				}
			}
			if got := strings.Join(names, " "); got != "read list grep run tides_chart tides_flood tides_high_water" {
				t.Errorf("tools %s", got)
			}
			asked := 0
			call := func(tool, arguments string) plimsoll.ToolResult {
				return box.Call(t.Context(), plimsoll.ToolCall{Name: tool, Arguments: arguments}, func(context.Context, chat.Confirmation) bool {
					asked++
					return true
				})
			}
			if r := call("tides_high_water", `{"quay":"4"}`); plimsoll.TextOf(r.Content) != `high at noon for {"quay":"4"}` || r.IsError || asked != 0 {
				t.Errorf("%+v, asked %d times", r, asked)
			}
			if r := call("tides_flood", ""); plimsoll.TextOf(r.Content) != "the gates are stuck" || !r.IsError || asked != 1 {
				t.Errorf("%+v, asked %d times", r, asked)
			}
			if r := call("tides_flood", "[]"); !r.IsError || asked != 1 {
				t.Errorf("%+v, asked %d times", r, asked)
			}
			r := call("tides_chart", "{}")
			if m, ok := r.Content.At(0).(plimsoll.Media); !ok || m.Data != "cG5n" || m.MIME != "image/png" {
				t.Errorf("a picture became %+v", r.Content.At(0))
			}
			if !strings.Contains(plimsoll.TextOf(r.Content), "left out") {
				t.Errorf("a sound became %+v", r.Content.At(1))
			}
		})
	}
}

func TestAServerThatFailsIsToldAndTheOthersWork(t *testing.T) {
	t.Parallel()
	gone := httptest.NewServer(http.NotFoundHandler())
	gone.Close()
	box, problems, err := toolbox.New(t.Context(), harbour(t), &toolbox.Options{ConnectTime: time.Hour, Servers: map[string]string{
		"broken": "echo no licence >&2; exit 1", "gone": gone.URL, "tides": served(t), "tides.": served(t),
	}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = box.Close() })
	if len(problems) != 2 || !strings.Contains(problems[0].Error(), "it says: no licence") || !strings.Contains(problems[1].Error(), "gone") {
		t.Errorf("problems %v", problems)
	}
	if r := box.Call(t.Context(), plimsoll.ToolCall{Name: "tides_high_water"}, yes); r.IsError {
		t.Errorf("%+v", r)
	}
}

func TestAServerThatIsSilentIsGivenUp(t *testing.T) {
	t.Parallel()
	box, problems, err := toolbox.New(t.Context(), harbour(t), &toolbox.Options{ConnectTime: 100 * time.Millisecond, Servers: map[string]string{"mute": "sleep 6000"}})
	if err != nil {
		t.Fatal(err)
	}
	if err := box.Close(); err != nil || len(problems) != 1 || !strings.Contains(problems[0].Error(), "within 100ms") {
		t.Errorf("%v, %v", err, problems)
	}
}

func TestAServerThatEndsFailsItsCallsOnly(t *testing.T) {
	t.Parallel()
	s := tides()
	server := httptest.NewServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
	t.Cleanup(server.Close)
	box := open(t, harbour(t), &toolbox.Options{Servers: map[string]string{"tides": server.URL}})
	server.CloseClientConnections()
	server.Close()
	if got, failed := use(t, box, "tides_high_water", "{}"); !failed || !strings.Contains(got, "the MCP server tides failed") {
		t.Errorf("got %q", got)
	}
	if got, failed := use(t, box, "read", `{"path":"notes.txt","last":1}`); failed || got != "one quay\n" {
		t.Errorf("got %q", got)
	}
}
