package toolbox

import (
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/process"
)

// server is an MCP server that answered.
type server struct {
	name    string
	session *mcp.ClientSession
	tools   []tool
	cancel  context.CancelFunc
}

// close tells the server to end, and kills it if it does not.
func (s *server) close() {
	const patience = 2 * time.Second
	defer time.AfterFunc(patience, s.cancel).Stop()
	_ = s.session.Close() // how it ends is its own affair
	s.cancel()
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
	s := &server{name: name, cancel: cancel}
	client := mcp.NewClient(&mcp.Implementation{Name: "plimsoll", Version: b.options.Version}, nil)
	err := s.open(living, client, transport, b.offer)
	if !late.Stop() && ctx.Err() == nil {
		err = fmt.Errorf("it did not answer within %v", b.options.ConnectTime)
	}
	if err != nil {
		if s.session != nil {
			s.close()
		}
		cancel()
		return nil, complaints.explain(err)
	}
	return s, nil
}

// open connects and takes the tools over.
func (s *server) open(ctx context.Context, client *mcp.Client, transport mcp.Transport, offer func(*server, *mcp.Tool) tool) (err error) {
	if s.session, err = client.Connect(ctx, transport, nil); err != nil {
		return err
	}
	for t, err := range s.session.Tools(ctx, nil) {
		if err != nil {
			return err
		}
		s.tools = append(s.tools, offer(s, t))
	}
	return nil
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

// offer makes a tool of ours of one of a server's.
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
		r, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: t.Name, Arguments: json.RawMessage(text)})
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
