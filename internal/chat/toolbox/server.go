package toolbox

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/process"
)

// server is an MCP server that answered.
type server struct {
	name  string
	tools []tool
	// start makes a connection; the server is what is behind it.
	start func(ctx context.Context) (*connection, error)
	warn  func(text string)
	rest  time.Duration

	mu   sync.Mutex
	link *connection
	// revived is when it was last tried to start it again.
	revived time.Time
}

// close ends the server.
func (s *server) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.link.close()
}

// call runs a tool. A server that is gone is started again before, and one that is lost
// meanwhile afterwards; then the call is repeated if that can do no harm.
func (s *server) call(ctx context.Context, params *mcp.CallToolParams, readOnly bool) (*mcp.CallToolResult, error) {
	link, err := s.reach(ctx)
	if err != nil {
		return nil, err
	}
	r, err := link.session.CallTool(ctx, params)
	if err == nil || ctx.Err() != nil || !lost(err) {
		return r, err
	}
	if link, failed := s.revive(ctx, link, err); failed != nil {
		return nil, failed
	} else if readOnly || unsent(err) {
		return link.session.CallTool(ctx, params)
	}
	return nil, fmt.Errorf("it was lost during the call and started again (%w); what it did is unknown: look before you repeat it", err)
}

// reach returns the connection, a new one if the server is known to be gone.
func (s *server) reach(ctx context.Context) (*connection, error) {
	s.mu.Lock()
	link := s.link
	s.mu.Unlock()
	select {
	case <-link.gone:
		return s.revive(ctx, link, link.explain(errors.New("it ended")))
	default:
		return link, nil
	}
}

// revive starts the server again, unless another call has. One that was started again
// a short while ago is left alone.
func (s *server) revive(ctx context.Context, dead *connection, why error) (*connection, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.link != dead {
		return s.link, nil
	}
	if !s.revived.IsZero() && time.Since(s.revived) < s.rest {
		return nil, fmt.Errorf("it does not run any more, and starting it again did not help (%w); go on without its tools, and tell the user", why)
	}
	s.revived = time.Now()
	dead.close()
	link, err := s.start(ctx)
	if ctx.Err() != nil {
		s.revived = time.Time{} // the person did not wait for it
		return nil, ctx.Err()
	}
	if err != nil {
		s.warn(fmt.Sprintf("the MCP server %s does not run any more, and could not be started again: %v", s.name, err))
		return nil, fmt.Errorf("it does not run any more, and could not be started again (%w); go on without its tools, and tell the user", err)
	}
	s.link = link
	s.warn(fmt.Sprintf("the MCP server %s was lost (%v) and is started again", s.name, why))
	return link, nil
}

// lost reports whether an error is about the connection, and not what the server says.
func lost(err error) bool {
	var said *jsonrpc.Error
	return !errors.As(err, &said)
}

// unsent reports whether a call that failed cannot have had an effect.
func unsent(err error) bool {
	var failed *net.OpError
	return errors.Is(err, mcp.ErrSessionMissing) || errors.As(err, &failed) && failed.Op == "dial"
}

// connection is one life of a server.
type connection struct {
	session *mcp.ClientSession
	cancel  context.CancelFunc
	// gone is closed when it is over.
	gone chan struct{}
	*complaints
}

// close tells the server to end, and kills it if it does not.
func (c *connection) close() {
	const patience = 2 * time.Second
	defer time.AfterFunc(patience, c.cancel).Stop()
	_ = c.session.Close() // how it ends is its own affair
	c.cancel()
}

// connect starts all servers at once and returns what went wrong with some.
func (b *Box) connect(ctx context.Context) []error {
	names := slices.Sorted(maps.Keys(b.options.Servers))
	started, failed := make([]*server, len(names)), make([]error, len(names))
	var wait sync.WaitGroup
	for i, name := range names {
		wait.Go(func() { started[i], failed[i] = b.start(ctx, name, b.options.Servers[name]) })
	}
	wait.Wait()
	var problems []error
	for i, s := range started {
		if failed[i] != nil {
			problems = append(problems, &plimsoll.Error{
				Op: "start the MCP server " + names[i], Code: plimsoll.CodeUnavailable, Err: failed[i],
				Hint: "correct its command line or address; the chat goes on without it",
			})
			continue
		}
		taken := b.names()
		kept := s.tools[:0]
		for _, t := range s.tools {
			if slices.Contains(taken, t.Name) {
				problems = append(problems, &plimsoll.Error{
					Op: "offer the tools of the MCP server " + s.name, Code: plimsoll.CodeInvalid,
					Err: fmt.Errorf("there are two tools called %s", t.Name), Hint: "give the server another name",
				})
				continue
			}
			taken = append(taken, t.Name)
			kept = append(kept, t)
		}
		s.tools = kept
		b.servers = append(b.servers, s)
	}
	return problems
}

// start starts a server and asks for its tools.
func (b *Box) start(ctx context.Context, name, where string) (*server, error) {
	s := &server{name: name, warn: b.options.Warn, rest: b.options.RestTime}
	s.start = func(caller context.Context) (*connection, error) { return b.dial(ctx, caller, where) }
	link, err := s.start(ctx)
	if err != nil {
		return nil, err
	}
	s.link = link
	asking, cancel := context.WithTimeout(ctx, b.options.ConnectTime)
	defer cancel()
	for t, err := range link.session.Tools(asking, nil) {
		if err != nil {
			s.close()
			return nil, link.explain(err)
		}
		s.tools = append(s.tools, b.offer(s, t))
	}
	return s, nil
}

// dial connects to a server, which lives until the connection is closed or the context
// ends. The caller waits for it at most as long as its own context lasts.
func (b *Box) dial(ctx, caller context.Context, where string) (*connection, error) {
	living, cancel := context.WithCancel(ctx)
	complaints := &complaints{Head: process.Head{Limit: 2000}}
	var transport mcp.Transport
	if isAddress(where) {
		transport = &mcp.StreamableClientTransport{Endpoint: where, DisableStandaloneSSE: true}
	} else {
		cmd := shell(living, where)
		cmd.Dir, cmd.Env, cmd.Stderr = b.dir, b.options.ServerEnviron, complaints
		transport = &mcp.CommandTransport{Command: cmd}
	}
	late := time.AfterFunc(b.options.ConnectTime, cancel)
	left := context.AfterFunc(caller, cancel)
	client := mcp.NewClient(&mcp.Implementation{Name: "plimsoll", Version: b.options.Version}, nil)
	session, err := client.Connect(living, transport, nil)
	left()
	if !late.Stop() && ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %v", b.options.ConnectTime)
	}
	c := &connection{session: session, cancel: cancel, gone: make(chan struct{}), complaints: complaints}
	if err != nil {
		if session != nil {
			c.close()
		}
		cancel()
		return nil, complaints.explain(err)
	}
	go func() {
		defer close(c.gone)
		_ = session.Wait() // why it ended, the next call says
	}()
	return c, nil
}

func isAddress(where string) bool {
	return strings.HasPrefix(where, "http://") || strings.HasPrefix(where, "https://")
}

// complaints is what a server prints beside the protocol.
type complaints struct {
	mu sync.Mutex
	process.Head
}

// Write keeps the beginning.
func (c *complaints) Write(p []byte) (int, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.Head.Write(p)
}

// explain adds the last line that the server printed to an error.
func (c *complaints) explain(err error) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	lines := bytes.Split(bytes.TrimSpace(c.Data), []byte("\n"))
	if last := bytes.TrimSpace(lines[len(lines)-1]); len(last) > 0 {
		return fmt.Errorf("%w; it says: %s", err, last)
	}
	return err
}

// unfit is what names of tools may not have in some API.
var unfit = regexp.MustCompile(`[^a-zA-Z0-9_-]`)

// offered is the name under which a tool of a server is offered.
func offered(server, tool string) string {
	const longest = 64
	name := unfit.ReplaceAllString(server+"_"+tool, "_")
	return name[:min(len(name), longest)]
}

// offer makes a tool of the toolbox of a server's.
func (b *Box) offer(s *server, t *mcp.Tool) tool {
	declared := plimsoll.Tool{Name: offered(s.name, t.Name), Description: t.Description}
	if schema, err := json.Marshal(t.InputSchema); err == nil && t.InputSchema != nil {
		declared.Schema = string(schema)
	}
	readOnly := t.Annotations != nil && t.Annotations.ReadOnlyHint
	return tool{declared, func(ctx context.Context, text string, ask func(string) error) (answer, error) {
		if strings.TrimSpace(text) == "" {
			text = "{}"
		}
		var arguments map[string]any
		if err := json.Unmarshal([]byte(text), &arguments); err != nil {
			return answer{}, errors.New("the arguments are not a JSON object")
		}
		if !readOnly {
			if err := ask(text); err != nil {
				return answer{}, err
			}
		}
		r, err := s.call(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: json.RawMessage(text)}, readOnly)
		if ctx.Err() != nil {
			return answer{}, ctx.Err()
		}
		if err != nil {
			return answer{}, fmt.Errorf("the MCP server %s failed: %w", s.name, err)
		}
		return b.answerOf(r), nil
	}}
}

// answerOf takes over what a server answered, as far as there is room for it.
func (b *Box) answerOf(r *mcp.CallToolResult) answer {
	a := answer{failed: r.IsError}
	room := b.options.MaxBytes
	for _, c := range r.Content {
		part, size := partOf(c)
		if size > room {
			a.parts = append(a.parts, plimsoll.Text{Text: fmt.Sprintf("[left out: %d bytes are more than there is room for]", size)})
			continue
		}
		room -= size
		a.parts = append(a.parts, part)
	}
	if len(a.parts) == 0 && r.StructuredContent != nil {
		if data, err := json.Marshal(r.StructuredContent); err == nil && len(data) <= room {
			a.parts = append(a.parts, plimsoll.Text{Text: string(data)})
		}
	}
	if len(a.parts) == 0 {
		a.parts = []plimsoll.Part{plimsoll.Text{Text: "(nothing)"}}
	}
	return a
}

// partOf returns a piece of an answer and its size in bytes.
func partOf(c mcp.Content) (plimsoll.Part, int) {
	switch c := c.(type) {
	case *mcp.TextContent:
		return plimsoll.Text{Text: c.Text}, len(c.Text)
	case *mcp.ImageContent:
		data := base64.StdEncoding.EncodeToString(c.Data)
		return plimsoll.Media{Kind: plimsoll.Image, MIME: c.MIMEType, Data: data}, len(data)
	case *mcp.EmbeddedResource:
		if c.Resource != nil && c.Resource.Text != "" {
			return plimsoll.Text{Text: c.Resource.Text}, len(c.Resource.Text)
		}
	case *mcp.ResourceLink:
		return plimsoll.Text{Text: c.URI}, len(c.URI)
	}
	text := "[left out: neither text nor a picture]"
	return plimsoll.Text{Text: text}, len(text)
}
