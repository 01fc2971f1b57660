package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
	"github.com/plimsoll/plimsoll/transport"
)

// serveFlags are those of every command that runs the proxy.
type serveFlags struct {
	Upstream  string `placeholder:"URL" help:"Server for all APIs, such as a gateway."`
	Openai    string `name:"openai" placeholder:"URL" help:"Server for Chat Completions and Responses, such as http://127.0.0.1:11434/v1."`
	Anthropic string `placeholder:"URL" help:"Server for Messages."`
	Gemini    string `placeholder:"URL" help:"Server for generateContent."`
	lineFlags
	Preset string `short:"p" placeholder:"NAME" help:"auto, agent, multichat, gemini or cookbook."`
	Policy string `placeholder:"NAME" help:"When to cut: threshold (only what does not fit), or rent (also what costs more to send again and again than to cut). Default: the preset's."`
	Expand string `placeholder:"WHEN" help:"When to let models read what was cut: auto (from the first cut on), always or off."`
	Store  string `placeholder:"PATH|URL" complete:"file" help:"Where content is kept: a file, or a PostgreSQL database as postgres://… (PLIMSOLL_STORE). Default: plimsoll/store.db in the user's data directory."`
}

// flags are the settings that the flags stand for. An upstream for one API wins over
// one for all.
func (f serveFlags) flags() []config.Flag {
	or := func(url string) string {
		if url == "" {
			return f.Upstream
		}
		return url
	}
	return append(f.line(), []config.Flag{
		{Key: "serve.openai", Name: "--openai", Value: or(f.Openai)},
		{Key: "serve.anthropic", Name: "--anthropic", Value: or(f.Anthropic)},
		{Key: "serve.gemini", Name: "--gemini", Value: or(f.Gemini)},
		{Key: "preset", Value: f.Preset},
		{Key: "policy", Value: f.Policy},
		{Key: "expand", Value: f.Expand},
		{Key: "store", Value: f.Store},
	}...)
}

// serveCmd is the proxy.
type serveCmd struct {
	Listen string `placeholder:"HOST:PORT" help:"Where to listen. Default: 127.0.0.1:7171."`
	Admin  string `placeholder:"HOST:PORT" help:"Address where metrics, the HTTP API and the dashboard are served instead. Default: the same address."`
	serveFlags
	Dashboard bool   `help:"Serve the dashboard, also without an admin token: then every client on this machine can see it."`
	Log       string `enum:"text,json" default:"text" help:"How to write the log: text or json."`
	Verbose   bool   `short:"v" help:"Log every request, without content."`
}

// Help is the long help text.
func (*serveCmd) Help() string {
	return `Passes requests on to language models and keeps every conversation under its window. Change the base URL of a client to http://127.0.0.1:7171 (with /v1 for OpenAI's) and nothing else. The proxy speaks Chat Completions, Responses, Messages and generateContent; every other path passes untouched.

Clients keep their own keys; the proxy passes them on, and neither stores nor logs them. The proxy cuts a conversation that is over its limit, and by default also a long one for which a cut pays: see docs/managing.md. With --policy threshold every conversation under its limit passes byte for byte. The model can read what was cut by tools that the proxy answers. If the provider still reports a full context, the proxy shrinks the request and retries once.

Headers of a request: X-Plimsoll-Bypass, -Preset, -Window, -Limit, -Pin, -Conversation, -Dry-Run. Headers of an answer: X-Plimsoll-Load, -Limit, -Saved, -Decision, -Summary, -Warning.

/healthz, /readyz, /metrics and /plimsoll/v1/… are for the operator: open to this machine, or to clients with the token in PLIMSOLL_ADMIN_TOKEN. /plimsoll/ is the dashboard, which shows contents of all tenants; it needs a token, or --dashboard. Browsers ask for the token as a password, with any user name.

Examples:

    plimsoll serve
    plimsoll serve --dashboard
    plimsoll serve --policy threshold
    plimsoll serve --openai http://127.0.0.1:11434/v1 --window 32000
    plimsoll serve --listen :7171 --store postgres://plimsoll@db/plimsoll
    OPENAI_BASE_URL=http://127.0.0.1:7171/v1 your-agent
    ANTHROPIC_BASE_URL=http://127.0.0.1:7171 claude`
}

// Run serves until a signal ends the process.
func (c *serveCmd) Run(p *process, root *cli) error {
	flags := append(c.flags(),
		config.Flag{Key: "serve.listen", Name: "--listen", Value: c.Listen},
		config.Flag{Key: "serve.admin", Name: "--admin", Value: c.Admin},
	)
	if c.Dashboard {
		flags = append(flags, config.Flag{Key: "serve.dashboard", Name: "--dashboard", Value: "on"})
	}
	settings, err := p.settings(root, flags)
	if err != nil {
		return err
	}
	ctx, stop := p.untilSignal()
	defer stop()
	s, err := p.newServing(ctx, settings, servingOptions{root: root, flags: flags, log: c.logger(p)})
	if err != nil {
		return err
	}
	err = c.listen(ctx, p, s)
	return errors.Join(err, s.close())
}

func (c *serveCmd) logger(p *process) *slog.Logger {
	level := slog.LevelWarn
	if c.Verbose {
		level = slog.LevelInfo
	}
	o := &slog.HandlerOptions{Level: level}
	if c.Log == "json" {
		return slog.New(slog.NewJSONHandler(p.stderr, o))
	}
	return slog.New(slog.NewTextHandler(p.stderr, o))
}

// listen serves on the addresses of the settings.
func (c *serveCmd) listen(ctx context.Context, p *process, s *serving) error {
	set := s.settings.Settings.Serve
	main, err := listenOn(ctx, set.Listen)
	if err != nil {
		return err
	}
	var admin net.Listener
	if set.Admin != "" {
		if admin, err = listenOn(ctx, set.Admin); err != nil {
			return errors.Join(err, main.Close())
		}
		fmt.Fprintf(p.stderr, "plimsoll: admin on http://%s\n", admin.Addr())
	}
	if s.dashboard != nil {
		at := main
		if admin != nil {
			at = admin
		}
		fmt.Fprintf(p.stderr, "plimsoll: dashboard on http://%s%s\n", at.Addr(), dashboard.Root)
	}
	if s.oneTenant {
		p.warn("one tenant for all clients; plimsoll account, cache and mcp read what it stores")
	} else {
		p.warn("a tenant for each credential; plimsoll account, cache and mcp read one of them with --tenant")
	}
	fmt.Fprintf(p.stderr, "plimsoll: serving http://%s\n", main.Addr())
	return s.server.Serve(ctx, main, admin)
}

func listenOn(ctx context.Context, address string) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp", address)
	if err != nil {
		return nil, &plimsoll.Error{
			Op: "listen", Code: plimsoll.CodeInvalid, Err: err,
			Hint: "name another address with --listen HOST:PORT; port 0 takes any that is free",
		}
	}
	return l, nil
}

// logged writes a line for each request.
func logged(log *slog.Logger) func(context.Context, transport.Exchange) {
	return func(ctx context.Context, x transport.Exchange) {
		level := slog.LevelInfo
		if x.Err != nil && ctx.Err() == nil {
			level = slog.LevelWarn
		}
		if !log.Enabled(ctx, level) {
			return
		}
		load, saved := x.After.Total, x.Before.Total-x.After.Total
		if x.Decision == transport.Refused {
			load, saved = x.Before.Total, 0
		}
		attributes := []any{
			"endpoint", x.Endpoint, "model", x.Model, "status", x.Status, "decision", x.Decision,
			"load", load, "saved", saved, "tenant", x.Tenant,
			"managed", x.Manage, "took", x.End.Sub(x.Start),
		}
		if x.Line.Window > 0 && x.Line.Window < report.Unbounded {
			attributes = append(attributes, "limit", x.Line.Limit())
		}
		if x.Source != "" {
			attributes = append(attributes, "limit_source", x.Source)
		}
		if x.Rounds > 0 {
			attributes = append(attributes, "rounds", x.Rounds)
		}
		if x.Rescued {
			attributes = append(attributes, "rescued", true)
		}
		if x.Truncated {
			attributes = append(attributes, "truncated", true)
		}
		if x.Summary.Model != "" {
			attributes = append(attributes, "summary", x.Summary.String())
		}
		if x.Err != nil {
			attributes = append(attributes, "error", x.Err)
		}
		log.Log(ctx, level, "request", attributes...)
	}
}
