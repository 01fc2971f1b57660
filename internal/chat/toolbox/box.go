package toolbox

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
)

// Consent says what becomes of a call that the person must allow.
type Consent int

// The kinds of consent.
const (
	// Ask asks the person each time.
	Ask Consent = iota
	// Refuse allows nothing, because there is no user to ask.
	Refuse
	// Allow allows everything.
	Allow
)

// Options configure a [Box]. Fields that are zero have defaults.
type Options struct {
	// Consent is how calls are allowed that could change something.
	Consent Consent
	// Environ is the environment of commands; nil means that of this process.
	Environ []string
	// Servers are MCP servers by name: an address that begins with http:// or
	// https://, or a command line for the shell.
	Servers map[string]string
	// ServerEnviron is the environment of servers that are commands; nil means that of
	// this process.
	ServerEnviron []string
	// Version is the version that servers see.
	Version string
	// Warn hears what becomes of servers later; may be nil.
	Warn func(text string)

	// MaxBytes bounds what a tool answers; 0 means 4 MiB.
	MaxBytes int
	// MaxEntries bounds what list shows; 0 means 2000.
	MaxEntries int
	// MaxMatches bounds what grep shows; 0 means 500.
	MaxMatches int
	// GrepTime bounds a search; 0 means 10 seconds.
	GrepTime time.Duration
	// RunTime bounds a command that sets no time itself; 0 means 2 minutes.
	RunTime time.Duration
	// ConnectTime bounds the start of a server; 0 means 20 seconds.
	ConnectTime time.Duration
	// RestTime is how long a server that was started again is not started once more; 0
	// means a minute.
	RestTime time.Duration
}

func (o *Options) setDefaults() {
	setDefault(&o.MaxBytes, 4<<20)
	setDefault(&o.MaxEntries, 2000)
	setDefault(&o.MaxMatches, 500)
	setDefault(&o.GrepTime, 10*time.Second)
	setDefault(&o.RunTime, 2*time.Minute)
	setDefault(&o.ConnectTime, 20*time.Second)
	setDefault(&o.RestTime, time.Minute)
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// Box is a set of tools. It is safe for concurrent use.
type Box struct {
	options Options
	// dir is the directory as an absolute path, and root what confines paths to it.
	dir  string
	root *os.Root
	own  []tool
	// servers are those that answered.
	servers []*server
	// asking is held while the person is asked, one question at a time.
	asking chan struct{}
}

var _ chat.Toolbox = (*Box)(nil)

// tool is a declaration and what it does.
type tool struct {
	plimsoll.Tool
	call func(ctx context.Context, arguments string, ask func(action string) error) (answer, error)
}

// answer is what a tool says.
type answer struct {
	parts []plimsoll.Part
	// failed says that what was done went wrong.
	failed bool
}

func say(text string) answer { return answer{parts: []plimsoll.Part{plimsoll.Text{Text: text}}} }

// New returns the tools for a directory and starts the servers, which live until
// [Box.Close] or the end of the context. Problems are what went wrong with servers; the
// box works without them.
func New(ctx context.Context, dir string, o *Options) (box *Box, problems []error, err error) {
	b := &Box{asking: make(chan struct{}, 1)}
	if o != nil {
		b.options = *o
	}
	b.options.setDefaults()
	if b.dir, err = filepath.Abs(dir); err == nil {
		b.root, err = os.OpenRoot(b.dir)
	}
	if err != nil {
		return nil, nil, &plimsoll.Error{
			Op: "open the directory of the tools", Code: plimsoll.CodeInvalid, Err: err, Hint: "start the chat in a directory that you may read",
		}
	}
	b.own = []tool{b.readTool(), b.listTool(), b.grepTool(), b.runTool()}
	return b, b.connect(ctx), nil
}

// Close ends the servers.
func (b *Box) Close() error {
	var wait sync.WaitGroup
	for _, s := range b.servers {
		wait.Go(s.close)
	}
	wait.Wait()
	return b.root.Close()
}

// Tools returns the declarations, always in the same order.
func (b *Box) Tools() []plimsoll.Tool {
	var all []plimsoll.Tool
	for _, t := range b.own {
		all = append(all, t.Tool)
	}
	for _, s := range b.servers {
		for _, t := range s.tools {
			all = append(all, t.Tool)
		}
	}
	return all
}

// Call runs a tool. Whatever goes wrong is a result that says so.
func (b *Box) Call(ctx context.Context, call plimsoll.ToolCall, confirm func(context.Context, chat.Confirmation) bool) plimsoll.ToolResult {
	t, ok := b.find(call.Name)
	if !ok {
		return result(answer{}, fmt.Errorf("there is no tool %q; there are %s", call.Name, strings.Join(b.names(), ", ")))
	}
	ask := func(action string) error {
		return b.ask(ctx, chat.Confirmation{Tool: call.Name, Action: action}, confirm)
	}
	return result(t.call(ctx, call.Arguments, ask))
}

func result(a answer, err error) plimsoll.ToolResult {
	if err != nil {
		a = say(err.Error())
		a.failed = true
	}
	return plimsoll.ToolResult{Content: plimsoll.ListOf(a.parts...), IsError: a.failed}
}

func (b *Box) find(name string) (tool, bool) {
	for _, t := range b.own {
		if t.Name == name {
			return t, true
		}
	}
	for _, s := range b.servers {
		for _, t := range s.tools {
			if t.Name == name {
				return t, true
			}
		}
	}
	return tool{}, false
}

func (b *Box) names() []string {
	var names []string
	for _, t := range b.Tools() {
		names = append(names, t.Name)
	}
	return names
}

// ask returns why something may not be done; nil if it may.
func (b *Box) ask(ctx context.Context, c chat.Confirmation, confirm func(context.Context, chat.Confirmation) bool) error {
	switch b.options.Consent {
	case Allow:
		return nil
	case Refuse:
		return errors.New("not done: no person can allow it here; the user can start the chat with --yes")
	}
	select {
	case b.asking <- struct{}{}:
		defer func() { <-b.asking }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if !confirm(ctx, c) {
		return errors.New("not done: the user did not allow it")
	}
	return nil
}
