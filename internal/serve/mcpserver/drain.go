package mcpserver

import (
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// draining is a transport whose end is seen only when every call has its answer, so
// that a client may say all it has to say, hang up, and read on.
type draining struct{ mcp.Transport }

// Connect connects.
func (d draining) Connect(ctx context.Context) (mcp.Connection, error) {
	c, err := d.Transport.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return &drainingConn{Connection: c, open: map[jsonrpc.ID]bool{}, idle: make(chan struct{}, 1), closed: make(chan struct{})}, nil
}

type drainingConn struct {
	mcp.Connection
	mu     sync.Mutex
	open   map[jsonrpc.ID]bool
	idle   chan struct{}
	once   sync.Once
	closed chan struct{}
}

// Read returns the next message.
func (c *drainingConn) Read(ctx context.Context) (jsonrpc.Message, error) {
	m, err := c.Connection.Read(ctx)
	if call, ok := m.(*jsonrpc.Request); ok && call.IsCall() {
		c.mu.Lock()
		c.open[call.ID] = true
		c.mu.Unlock()
	}
	for errors.Is(err, io.EOF) && !c.answered() {
		select {
		case <-c.idle:
		case <-c.closed:
			return m, err
		case <-ctx.Done():
			return m, err
		}
	}
	return m, err
}

// Write writes a message.
func (c *drainingConn) Write(ctx context.Context, m jsonrpc.Message) error {
	err := c.Connection.Write(ctx, m)
	if answer, ok := m.(*jsonrpc.Response); ok {
		c.mu.Lock()
		delete(c.open, answer.ID)
		c.mu.Unlock()
		select {
		case c.idle <- struct{}{}:
		default:
		}
	}
	return err
}

// Close closes the connection.
func (c *drainingConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Connection.Close()
}

func (c *drainingConn) answered() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.open) == 0
}
