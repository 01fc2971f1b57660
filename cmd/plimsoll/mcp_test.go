package main

import (
	"bufio"
	"context"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// keptForAgents makes a store with a text and with parts, and returns their references.
func keptForAgents(t *testing.T) (path, text, parts string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "store.db")
	put := func(stdin string, args ...string) string {
		out, status := runHere(stdin, append([]string{"cache", "put", "--store", path}, args...)...)
		if status != 0 {
			t.Fatalf("put: status %d\n%s", status, out)
		}
		return anyRef.FindString(out)
	}
	return path, put("one\ntwo\nthree\n"), put(`[{"type":"text","text":"see"},{"type":"media","kind":"image","mime":"image/png","data":"cGljdHVyZQo="}]`, "--parts")
}

// plimsollCommand runs plimsoll as a process of its own.
func plimsollCommand(t *testing.T, environ []string, args ...string) *exec.Cmd {
	t.Helper()
	program, err := exec.LookPath("plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	command := exec.Command(program, args...)
	command.Env = append(append(os.Environ(), "GORACE="+noSleep), environ...)
	return command
}

// agent is a client that lists the tools and uses them.
func agent(t *testing.T, transport mcp.Transport, text, parts string) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil).Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	tools, err := session.ListTools(t.Context(), nil)
	if err != nil || len(tools.Tools) != 2 {
		t.Fatalf("tools: %v, %v", tools, err)
	}
	said := func(text string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: text}} }
	for _, tc := range []struct {
		name, tool string
		arguments  map[string]any
		want       []mcp.Content
		failed     bool
	}{
		{"reads lines", "tool_output_cache", map[string]any{"ref_id": text, "offset": 1, "limit": 2}, said("    2  two\n    3  three"), false},
		{"searches", "tool_output_cache_grep", map[string]any{"ref_id": text, "pattern": "three"}, said("ref:" + text + "\n    3  three"), false},
		{
			"gets a picture", "tool_output_cache",
			map[string]any{"ref_id": parts},
			append(said("    1  see\n    2  [image]"), &mcp.ImageContent{Data: []byte("picture\n"), MIMEType: "image/png"}), false,
		},
		{"is told what is gone", "tool_output_cache", map[string]any{"ref_id": strings.Repeat("a", 26)}, said("Error reading tool output cache: gone. There is no stored output with this ref_id, or not any more. Do not ask for it again. If you still need it, run the tool that produced it once more."), true},
	} {
		got, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tc.tool, Arguments: tc.arguments})
		if err != nil {
			t.Fatalf("%s: %v", tc.name, err)
		}
		if diff := cmp.Diff(tc.want, got.Content); diff != "" || got.IsError != tc.failed {
			t.Errorf("%s: failed %v\n-want +got\n%s", tc.name, got.IsError, diff)
		}
	}
	return session
}

func TestO08_O09_O12_AnAgentUsesTheProcessOverStandardStreams(t *testing.T) {
	t.Parallel()
	path, text, parts := keptForAgents(t)
	session := agent(t, &mcp.CommandTransport{Command: plimsollCommand(t, nil, "mcp", "--store", path)}, text, parts)
	if err := session.Close(); err != nil {
		t.Errorf("the process ended with %v", err)
	}
}

// bearer presents a token.
type bearer string

func (b bearer) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+string(b))
	return http.DefaultTransport.RoundTrip(r)
}

func TestO08_O09_O12_AnAgentUsesTheProcessOverHTTP(t *testing.T) {
	t.Parallel()
	path, text, parts := keptForAgents(t)
	for _, tc := range []struct {
		name    string
		environ []string
		client  *http.Client
	}{
		{"without a token", nil, http.DefaultClient},
		{"with a token", []string{"PLIMSOLL_MCP_TOKEN=open sesame"}, &http.Client{Transport: bearer("open sesame")}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			command := plimsollCommand(t, tc.environ, "mcp", "--http", ":0", "--store", path)
			address := start(t, command)
			session := agent(t, &mcp.StreamableClientTransport{Endpoint: address, HTTPClient: tc.client}, text, parts)
			if tc.environ != nil {
				stranger := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
				if _, err := stranger.Connect(t.Context(), &mcp.StreamableClientTransport{Endpoint: address}, nil); err == nil {
					t.Error("a client without the token was let in")
				}
			}
			session.Close()
			if err := command.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			if err := command.Wait(); err != nil {
				t.Errorf("told to end, the process ended with %v", err)
			}
		})
	}
}

// start starts a server and returns the address that it says it has.
func start(t *testing.T, command *exec.Cmd) string {
	t.Helper()
	stderr, err := command.StderrPipe()
	if err == nil {
		err = command.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { command.Process.Kill() })
	stop := context.AfterFunc(t.Context(), func() { command.Process.Kill() })
	t.Cleanup(func() { stop() })
	line, err := bufio.NewReader(stderr).ReadString('\n')
	address, ok := strings.CutPrefix(strings.TrimSpace(line), "plimsoll: serving ")
	if err != nil || !ok || !strings.HasPrefix(address, "http://127.0.0.1:") {
		t.Fatalf("it said %q, %v", line, err)
	}
	return address
}
