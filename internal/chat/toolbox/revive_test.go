package toolbox_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll/internal/chat/toolbox"
)

// frailServer makes the test binary a server that can be made to end.
const frailServer = "frail"

// dock is a file in whose presence it does not start.
const dock = "dock"

// runFrail serves two tools: "pid", which only looks, and "sink", which ends the server
// before it answers.
func runFrail() {
	if _, err := os.Stat(dock); err == nil {
		fmt.Fprintln(os.Stderr, "in dry dock")
		os.Exit(1)
	}
	s := mcp.NewServer(&mcp.Implementation{Name: "frail", Version: "1"}, nil)
	schema := map[string]any{"type": "object"}
	s.AddTool(&mcp.Tool{Name: "pid", InputSchema: schema, Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true}},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: strconv.Itoa(os.Getpid())}}}, nil
		})
	s.AddTool(&mcp.Tool{Name: "sink", InputSchema: schema}, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		os.Exit(3)
		return nil, nil
	})
	_ = s.Run(context.Background(), &mcp.StdioTransport{})
}

// told is what a box warns of.
type told struct {
	mu    sync.Mutex
	texts []string
}

func (w *told) warn(text string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.texts = append(w.texts, text)
}

func (w *told) all() []string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.texts
}

// openFrail returns a box with the frail server, and its directory.
func openFrail(t *testing.T, o toolbox.Options) (*toolbox.Box, string, *told) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir, w := harbour(t), &told{}
	o.Servers, o.ServerEnviron, o.Warn = map[string]string{"ship": "exec " + quoted(self)}, append(os.Environ(), asServer+"="+frailServer), w.warn
	return open(t, dir, &o), dir, w
}

// kill ends the frail server and returns its process.
func kill(t *testing.T, box *toolbox.Box) string {
	t.Helper()
	text, failed := use(t, box, "ship_pid", "{}")
	pid, err := strconv.Atoi(text)
	if failed || err != nil {
		t.Fatalf("the process is %q", text)
	}
	p, err := os.FindProcess(pid)
	if err == nil {
		err = p.Kill()
	}
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestAServerThatWasKilledIsStartedAgainOnce(t *testing.T) {
	t.Parallel()
	box, _, w := openFrail(t, toolbox.Options{})
	first := kill(t, box)
	second := kill(t, box)
	if second == first {
		t.Errorf("process %s runs on", first)
	}
	if warned := w.all(); len(warned) != 1 || !strings.Contains(warned[0], "the MCP server ship was lost") || !strings.Contains(warned[0], "is started again") {
		t.Errorf("told %q", warned)
	}
	for range 2 {
		if got, failed := use(t, box, "ship_pid", "{}"); !failed || !strings.Contains(got, "starting it again did not help") || !strings.Contains(got, "tell the user") {
			t.Errorf("the second time its tools say %q", got)
		}
	}
	if warned := w.all(); len(warned) != 1 {
		t.Errorf("told %q", warned)
	}
}

func TestACallThatMayHaveHadAnEffectIsNotRepeated(t *testing.T) {
	t.Parallel()
	box, _, w := openFrail(t, toolbox.Options{})
	if got, failed := use(t, box, "ship_sink", "{}"); !failed || !strings.Contains(got, "what it did is unknown") {
		t.Errorf("got %q", got)
	}
	if got, failed := use(t, box, "ship_pid", "{}"); failed {
		t.Errorf("afterwards it says %q", got)
	}
	if warned := w.all(); len(warned) != 1 {
		t.Errorf("told %q", warned)
	}
}

func TestAServerThatCannotBeStartedAgainSaysSoUntilItCan(t *testing.T) {
	t.Parallel()
	box, dir, w := openFrail(t, toolbox.Options{RestTime: time.Nanosecond})
	closed := filepath.Join(dir, dock)
	if err := os.WriteFile(closed, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	kill(t, box)
	if got, failed := use(t, box, "ship_pid", "{}"); !failed || !strings.Contains(got, "could not be started again") || !strings.Contains(got, "in dry dock") {
		t.Errorf("got %q", got)
	}
	if warned := w.all(); len(warned) != 1 || !strings.Contains(warned[0], "could not be started again") {
		t.Errorf("told %q", warned)
	}
	if err := os.Remove(closed); err != nil {
		t.Fatal(err)
	}
	if got, failed := use(t, box, "ship_pid", "{}"); failed {
		t.Errorf("once it can be started it says %q", got)
	}
}

func TestAnAddressIsReachedAgainWhenItsServerIsBack(t *testing.T) {
	t.Parallel()
	serve := func(at net.Listener) *httptest.Server {
		s := tides()
		server := httptest.NewUnstartedServer(mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return s }, nil))
		if at != nil {
			_ = server.Listener.Close()
			server.Listener = at
		}
		server.Start()
		t.Cleanup(server.Close)
		return server
	}
	first, w := serve(nil), &told{}
	box := open(t, harbour(t), &toolbox.Options{Servers: map[string]string{"tides": first.URL}, Warn: w.warn})
	first.CloseClientConnections()
	first.Close()
	at, err := net.Listen("tcp", first.Listener.Addr().String())
	if err != nil {
		t.Skip(err)
	}
	serve(at)
	// The new server does not know the session, so the call was not carried out.
	if got, _ := use(t, box, "tides_flood", "{}"); got != "the gates are stuck" {
		t.Errorf("got %q", got)
	}
	if warned := w.all(); len(warned) != 1 {
		t.Errorf("told %q", warned)
	}
}

func TestSeveralCallsStartAServerAgainTogether(t *testing.T) {
	t.Parallel()
	box, _, w := openFrail(t, toolbox.Options{})
	kill(t, box)
	var wait sync.WaitGroup
	for range 8 {
		wait.Go(func() {
			if got, failed := use(t, box, "ship_pid", "{}"); failed {
				t.Errorf("got %q", got)
			}
		})
	}
	wait.Wait()
	if warned := w.all(); len(warned) != 1 {
		t.Errorf("told %q", warned)
	}
}
