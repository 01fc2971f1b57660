package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/exec"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/internal/serve/mcpserver"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
)

// childStore names the store that this binary serves over its standard streams when
// it is run as a child.
const childStore = "PLIMSOLL_TEST_STORE"

func TestMain(m *testing.M) {
	path := os.Getenv(childStore)
	if path == "" {
		os.Exit(m.Run())
	}
	s, err := open(context.Background(), path)
	if err == nil {
		err = mcpserver.New(s.Tenant("me"), nil).Serve(context.Background(), os.Stdin, os.Stdout)
		err = errors.Join(err, s.Close())
	}
	if err != nil {
		os.Stderr.WriteString(err.Error())
		os.Exit(1)
	}
}

func open(ctx context.Context, path string) (*store.Store, error) {
	db, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	return store.New(ctx, db, nil)
}

// stored opens a new store with one text of the tenant "me" in it.
func stored(t *testing.T) (s *store.Store, path, id string) {
	t.Helper()
	path = storetest.NewFile(t, sqlite.Open)
	s, err := open(t.Context(), path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	ref, err := s.Tenant("me").PutReader(t.Context(), strings.NewReader("one\ntwo\nthree\n"), "")
	if err != nil {
		t.Fatal(err)
	}
	return s, path, ref.ID
}

// connect returns the session of a client over a transport.
func connect(t *testing.T, transport mcp.Transport) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
	session, err := client.Connect(t.Context(), transport, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// inProcess connects a client to a server over pipes.
func inProcess(t *testing.T, s *mcpserver.Server) *mcp.ClientSession {
	t.Helper()
	fromClient, toServer := io.Pipe()
	fromServer, toClient := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- s.Serve(context.WithoutCancel(t.Context()), fromClient, toClient) }()
	session := connect(t, &mcp.IOTransport{Reader: fromServer, Writer: toServer})
	t.Cleanup(func() {
		session.Close()
		if err := <-ended; err != nil {
			t.Errorf("the server ended with %v", err)
		}
	})
	return session
}

func call(t *testing.T, session *mcp.ClientSession, tool string, arguments any) (text string, failed bool) {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Content) != 1 {
		t.Fatalf("%d contents", len(result.Content))
	}
	return result.Content[0].(*mcp.TextContent).Text, result.IsError
}

// readsAndSearches is what every transport must be able to do.
func readsAndSearches(t *testing.T, session *mcp.ClientSession, id string) {
	t.Helper()
	for _, tc := range []struct {
		name, tool string
		arguments  map[string]any
		want       string
		failed     bool
	}{
		{"reads", "tool_output_cache", map[string]any{"ref_id": id}, "    1  one\n    2  two\n    3  three\n    4  ", false},
		{"reads a part", "tool_output_cache", map[string]any{"ref_id": id, "offset": 1, "limit": 1}, "    2  two", false},
		{"searches", "tool_output_cache_grep", map[string]any{"ref_id": id, "pattern": "^t", "regex": true}, "ref:" + id + "\n    2  two\n\nref:" + id + "\n    3  three", false},
		{"says what is wrong", "tool_output_cache_grep", map[string]any{"ref_id": id, "pattern": "(", "regex": true}, "Error reading tool output cache: search: pattern: invalid input: error parsing regexp: missing closing ): `(`. The syntax is that of RE2, without look-around and back-references; leave regex out to look for the text as it is.", true},
	} {
		got, failed := call(t, session, tc.tool, tc.arguments)
		if diff := cmp.Diff(tc.want, got); diff != "" || failed != tc.failed {
			t.Errorf("%s: failed %v\n-want +got\n%s", tc.name, failed, diff)
		}
	}
}

func TestO08_O09_ToolsWorkInTheProcess(t *testing.T) {
	t.Parallel()
	s, _, id := stored(t)
	readsAndSearches(t, inProcess(t, mcpserver.New(s.Tenant("me"), nil)), id)
}

func TestO08_O09_ToolsWorkInAChildOverStandardStreams(t *testing.T) {
	t.Parallel()
	_, path, id := stored(t)
	command := exec.Command(os.Args[0])
	command.Env = append(os.Environ(), childStore+"="+path)
	readsAndSearches(t, connect(t, &mcp.CommandTransport{Command: command}), id)
}

func TestClientsSeeTheDeclarationsOfTheTools(t *testing.T) {
	t.Parallel()
	s, _, _ := stored(t)
	list, err := inProcess(t, mcpserver.New(s.Tenant("me"), nil)).ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(list.Tools) != len(expand.Tools()) {
		t.Fatalf("%d tools", len(list.Tools))
	}
	for i, want := range expand.Tools() {
		got := list.Tools[i]
		var schema any
		if err := json.Unmarshal([]byte(want.Schema), &schema); err != nil {
			t.Fatal(err)
		}
		if got.Name != want.Name || got.Description != want.Description || !cmp.Equal(got.InputSchema, schema) || !got.Annotations.ReadOnlyHint {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
}

func TestARefOfOthersAnswersLikeOneThatNeverWas(t *testing.T) {
	t.Parallel()
	s, _, id := stored(t)
	session := inProcess(t, mcpserver.New(s.Tenant("somebody else"), nil))
	var answers []string
	for _, ref := range []string{id, strings.Repeat("a", len(id)), "../../etc/passwd", strings.ToUpper(id), ""} {
		for _, tool := range []string{"tool_output_cache", "tool_output_cache_grep"} {
			got, failed := call(t, session, tool, map[string]any{"ref_id": ref + " ", "pattern": "one"})
			if tool == "tool_output_cache" {
				got, failed = call(t, session, tool, map[string]any{"ref_id": ref + " "})
			}
			if !failed {
				t.Errorf("%s %q: %s", tool, ref, got)
			}
			if ref != "" {
				answers = append(answers, got)
			}
		}
	}
	for _, got := range answers {
		if got != answers[0] || !strings.Contains(got, "gone") || !strings.Contains(got, "run the tool that produced it") {
			t.Errorf("%q, and another one got %q", got, answers[0])
		}
	}
}

// broken is a backend that cannot be reached.
type broken struct{ store.Backend }

func (broken) Object(context.Context, store.TenantID, string) (store.Object, error) {
	return store.Object{}, fmt.Errorf("dial db.internal:5432: %w", store.ErrUnavailable)
}

func TestAStoreThatFailsTellsTheOperatorAndNotTheModel(t *testing.T) {
	t.Parallel()
	db, err := sqlite.Open(t.Context(), storetest.NewFile(t, sqlite.Open), nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), broken{db}, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { s.Close() })
	var log strings.Builder
	session := inProcess(t, mcpserver.New(s.Tenant("me"), &mcpserver.Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}))
	got, failed := call(t, session, "tool_output_cache", map[string]any{"ref_id": strings.Repeat("a", 26)})
	if want := "tool_output_cache is unavailable. Go on without the stored output, or try again later."; got != want || !failed {
		t.Errorf("%q, want %q", got, want)
	}
	if !strings.Contains(log.String(), "db.internal:5432") {
		t.Errorf("the log has %q", log.String())
	}
}

func TestNonsenseGetsAnErrorAndNothingElse(t *testing.T) {
	t.Parallel()
	s, _, _ := stored(t)
	for _, tc := range []struct{ name, line, answer, err string }{
		{"no JSON", "hello", "", "invalid character 'h'"},
		{"a message too long", `{"jsonrpc":"2.0","id":1,"method":"` + strings.Repeat("x", 2<<20) + `"}`, "", "exceeded the configured maximum line length"},
		{"an unknown method", `{"jsonrpc":"2.0","id":1,"method":"tools/destroy"}`, `"error":{`, ""},
		{"a call before the handshake", `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"tool_output_cache","arguments":[]}}`, `"error":{`, ""},
	} {
		var out strings.Builder
		err := mcpserver.New(s.Tenant("me"), nil).Serve(t.Context(), io.NopCloser(strings.NewReader(tc.line+"\n")), nopCloser{&out})
		if got := fmt.Sprint(err); tc.err != "" && !strings.Contains(got, tc.err) || tc.err == "" && err != nil {
			t.Errorf("%s: %v, want %q", tc.name, err, tc.err)
		}
		if got := out.String(); !strings.Contains(got, tc.answer) || tc.answer == "" && got != "" {
			t.Errorf("%s: answered %q, want %q", tc.name, got, tc.answer)
		}
	}
}

type nopCloser struct{ io.Writer }

func (nopCloser) Close() error { return nil }
