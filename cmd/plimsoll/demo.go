package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/lab/demo"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// demoCmd shows the proxy at work.
type demoCmd struct {
	Window  *int   `short:"w" placeholder:"N" help:"Context window of the model in tokens. Default: 64,000; the session takes more than three times that."`
	Preset  string `short:"p" placeholder:"NAME" help:"auto, agent, multichat, gemini or cookbook."`
	Dialect string `enum:"${demo_dialects}" default:"anthropic" help:"The API that the client speaks: ${enum}."`
	Serve   bool   `xor:"end" help:"Keep serving after the session, until you stop the program. This is the default on a terminal."`
	Once    bool   `xor:"end" help:"End when the session has been played, on a terminal, too."`
	Plain   bool   `help:"Print sentences instead of gauges, as fast as it goes."`
	JSON    bool   `name:"json" help:"Print one JSON object."`
}

// Help is the long help text.
func (*demoCmd) Help() string {
	return `Plays a recorded session to a scripted model, through the proxy and over HTTP. It shows the load of each request against the line, what the proxy cuts and why, what the model reads back, and the savings. It needs no key, no network and no configuration, and keeps nothing.

On a terminal it first prints the address of the dashboard, which shows the same in a browser, and keeps serving after the session. In a pipe it plays as fast as it can and ends.

The session is of an agent at work on the sources of plimsoll. What its tools printed is real, what the model said was written for it. The model refuses what is over its window, as real ones do.

It compares the content of every reference with the recording; the exit status is 1 if a byte differs.

Examples:

    plimsoll demo
    plimsoll demo --window 32000 --dialect openai
    plimsoll demo --once
    plimsoll demo --plain | less
    plimsoll demo --json | jq .total.net_usd
    plimsoll demo --serve`
}

// Validate refuses numbers that cannot be meant.
func (c *demoCmd) Validate() error {
	if c.Window != nil && *c.Window < 1 {
		return errors.New("--window: want a number of tokens")
	}
	return nil
}

// demoPace is what the model waits before an answer on a terminal: all of it
// takes some eight seconds then.
const demoPace = 120 * time.Millisecond

// Run plays.
func (c *demoCmd) Run(p *process, root *cli) error {
	ctx, stop := p.untilSignal()
	defer stop()
	dir, err := p.scratch()
	if err != nil {
		return &plimsoll.Error{Op: "demo", Err: err, Hint: "set TMPDIR to a directory that can be written"}
	}
	defer os.RemoveAll(dir)
	s := &stage{p: p, root: root, dir: dir, preset: c.Preset}
	shown := c.newShow(p, root)
	o := &demo.Options{Start: s.start, Dialect: plimsoll.Dialect(c.Dialect), Tell: shown.request}
	if c.Window != nil {
		o.Window = *c.Window
	}
	stays := c.Serve || shown.gauges && !c.Once
	if shown.gauges {
		o.Pace = demoPace
	}
	if stays {
		o.Begin = shown.begin
		o.Stay = func(ctx context.Context, address string, r *demo.Report) { shown.stay(ctx, address, r) }
	}
	r, err := demo.Run(ctx, o)
	if err != nil {
		return err
	}
	if !stays {
		shown.report(r)
	}
	if !r.Whole() {
		return &plimsoll.Error{Op: "demo", Err: fmt.Errorf("%d of %d references and %d of %d looks differ from what was recorded",
			r.Refs-r.Same, r.Refs, r.Looks-r.SameLooks, r.Looks)}
	}
	return nil
}

// scratch makes a temporary directory: in memory where the system has a
// place for that, because a store waits for its disk.
func (p *process) scratch() (string, error) {
	const pattern, memory = "plimsoll-demo-", "/dev/shm"
	if p.getenv("TMPDIR") == "" {
		if dir, err := os.MkdirTemp(memory, pattern); err == nil {
			return dir, nil
		}
	}
	return os.MkdirTemp("", pattern)
}

// stage is where a demonstration is played: a proxy with a store of its own.
type stage struct {
	p      *process
	root   *cli
	dir    string
	preset string
}

// start puts the proxy together. Neither the user's settings nor the environment are
// looked at, so that everybody sees the same.
func (s *stage) start(ctx context.Context, upstream *url.URL, window int, tell func(transport.Exchange)) (*demo.Proxy, error) {
	flags := serveFlags{
		Upstream: upstream.String(), Window: &window, Preset: s.preset, Store: filepath.Join(s.dir, "store.db"),
	}.flags()
	flags = append(flags, config.Flag{Key: "serve.dashboard", Name: "--dashboard", Value: "on"})
	settings, err := config.Load(&config.Options{Flags: flags, File: s.root.Config, Dir: s.dir, Preset: presetSettings})
	if err != nil {
		return nil, separate(err)
	}
	alone := &process{stdin: s.p.stdin, stdout: s.p.stdout, stderr: s.p.stderr, out: s.p.out}
	serves, err := alone.newServing(ctx, settings, servingOptions{
		root: s.root, flags: flags, private: true, observe: func(_ context.Context, x transport.Exchange) { tell(x) },
	})
	if err != nil {
		return nil, err
	}
	tenant := serves.store.Tenant("")
	return &demo.Proxy{
		Handler: serves.server.Handler(),
		Content: func(ctx context.Context, ref string) (string, error) { return contentOf(ctx, tenant, ref) },
		Account: serves.keepers.total,
		Close:   serves.close,
	}, nil
}

// contentOf reads the content of a reference.
func contentOf(ctx context.Context, t *store.Tenant, ref string) (string, error) {
	r, err := t.Open(ctx, ref)
	if err != nil {
		return "", err
	}
	defer r.Close()
	data, err := io.ReadAll(r)
	return string(data), err
}
