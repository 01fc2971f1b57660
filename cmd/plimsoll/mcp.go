package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"os/signal"
	"runtime/debug"
	"syscall"

	"github.com/plimsoll/plimsoll/internal/serve/mcpserver"
	"github.com/plimsoll/plimsoll/store"
)

// mcpCmd serves the tools to MCP clients.
type mcpCmd struct {
	HTTP string   `name:"http" placeholder:"ADDR" help:"Listen on this address, such as 127.0.0.1:7333, instead of speaking over standard input and output."`
	Host []string `placeholder:"NAME" help:"Name that clients may call the server by over HTTP. May be repeated."`
	storeFlags
}

// Help is the long help text.
func (*mcpCmd) Help() string {
	return `Serves the tools tool_output_cache and tool_output_cache_grep by the Model Context Protocol, so that agents can read the content of the references in their conversation.

Without --http it speaks over standard input and output, as agents start it. With it, clients find it under http://ADDR/mcp; an address without a host means the loopback interface. If PLIMSOLL_MCP_TOKEN is set, clients must present it as a bearer token; without it the server listens to this machine only.

Examples:

    claude mcp add plimsoll -- plimsoll mcp
    codex mcp add plimsoll -- plimsoll mcp
    gemini mcp add plimsoll plimsoll mcp
    plimsoll mcp --http 127.0.0.1:7333`
}

// Run serves until the client hangs up or a signal ends the process.
func (c *mcpCmd) Run(p *process, root *cli) error {
	return c.withTenant(p, root, func(ctx context.Context, all *store.Store, t *store.Tenant) error {
		if err := c.noteOthers(ctx, p, all); err != nil {
			return err
		}
		info, _ := debug.ReadBuildInfo()
		s := mcpserver.New(t, &mcpserver.Options{
			Version: buildOf(info).Version, Token: p.getenv("PLIMSOLL_MCP_TOKEN"), Hosts: c.Host,
			Logger: slog.New(slog.NewTextHandler(p.stderr, nil)),
		})
		if c.HTTP == "" {
			return s.Serve(ctx, io.NopCloser(p.stdin), nopCloser{p.stdout})
		}
		l, err := s.Listen(ctx, c.HTTP)
		if err != nil {
			return err
		}
		fmt.Fprintf(p.stderr, "plimsoll: serving http://%s%s\n", l.Addr(), mcpserver.Path)
		return s.ServeHTTP(ctx, l)
	})
}

// nopCloser is a writer that others close.
type nopCloser struct{ io.Writer }

// Close does nothing.
func (nopCloser) Close() error { return nil }

// untilSignal returns a context that ends with the first signal. A second
// signal ends it at once.
func (p *process) untilSignal() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	return ctx, stop
}
