package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"log/slog"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/expand"
	"github.com/plimsoll/plimsoll/store"
)

// Options configure a [Server].
type Options struct {
	// Version is what the server says it is; empty means "unknown".
	Version string
	// Limits bound the answers.
	Limits expand.Limits
	// Calls is how many calls run at the same time; others wait. 0 means 8.
	Calls int
	// Token is what clients must present over HTTP, as a bearer; empty means none.
	Token string
	// Hosts are names that clients may call the server by over HTTP, beside the
	// address that it listens on.
	Hosts []string
	// Logger gets what a model does not: why the store cannot be read. Nil means
	// no log.
	Logger *slog.Logger
}

// Server offers the tools for one tenant. It is safe for concurrent use.
type Server struct {
	tenant  *store.Tenant
	options Options
	server  *mcp.Server
	slots   chan struct{}
}

const instructions = "Long tool outputs and old parts of a conversation may have been moved out of it; a placeholder with a ref stands in their place. " +
	"tool_output_cache reads what stands behind a ref, tool_output_cache_grep searches it."

// maxMessage is how long a message of a client may be, in bytes.
const maxMessage = 1 << 20

// New returns a server. Options may be nil.
func New(t *store.Tenant, o *Options) *Server {
	s := &Server{tenant: t}
	if o != nil {
		s.options = *o
	}
	if s.options.Version == "" {
		s.options.Version = "unknown"
	}
	if s.options.Calls == 0 {
		s.options.Calls = 8
	}
	if s.options.Logger == nil {
		s.options.Logger = slog.New(slog.DiscardHandler)
	}
	s.slots = make(chan struct{}, s.options.Calls)
	s.server = mcp.NewServer(
		&mcp.Implementation{Name: "plimsoll", Title: "Plimsoll", Version: s.options.Version},
		&mcp.ServerOptions{Instructions: instructions, Capabilities: &mcp.ServerCapabilities{Tools: &mcp.ToolCapabilities{}}},
	)
	for _, tool := range expand.Tools() {
		s.server.AddTool(declaration(tool), s.call)
	}
	return s
}

func declaration(t plimsoll.Tool) *mcp.Tool {
	closed := false
	return &mcp.Tool{
		Name: t.Name, Description: t.Description, InputSchema: json.RawMessage(t.Schema),
		Annotations: &mcp.ToolAnnotations{ReadOnlyHint: true, IdempotentHint: true, OpenWorldHint: &closed},
	}
}

// call executes a call. Whatever goes wrong is an answer, so that the model can read
// it.
func (s *Server) call(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	select {
	case s.slots <- struct{}{}:
		defer func() { <-s.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	answer, err := expand.Call(ctx, s.tenant, r.Params.Name, string(r.Params.Arguments), &s.options.Limits)
	if err != nil {
		if plimsoll.CodeOf(err) == plimsoll.CodeInternal || errors.Is(err, store.ErrUnavailable) {
			s.options.Logger.ErrorContext(ctx, "tool failed", "tool", r.Params.Name, "err", err)
		}
		answer = expand.Answer{Text: expand.Explain(err)}
	}
	return &mcp.CallToolResult{Content: contents(answer), IsError: err != nil}, nil
}

// Serve speaks with one client over two streams, a message a line, until the client
// hangs up and has its answers, or the context ends.
func (s *Server) Serve(ctx context.Context, r io.ReadCloser, w io.WriteCloser) error {
	err := s.server.Run(ctx, draining{&mcp.IOTransport{Reader: r, Writer: w, MaxLineLength: maxMessage}})
	if err == nil || ctx.Err() != nil || errors.Is(err, io.EOF) {
		return nil
	}
	return &plimsoll.Error{Op: "serve MCP over streams", Err: err, Hint: "the other side must speak MCP, a message a line"}
}
