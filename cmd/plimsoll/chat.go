package main

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/plain"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

// chatCmd is a conversation in the terminal.
type chatCmd struct {
	Model  []string `short:"m" sep:"none" placeholder:"SPEC" help:"Who takes part: openai:MODEL, responses:MODEL, anthropic:MODEL, gemini:MODEL or ollama:MODEL, with @URL behind it for another server and NAME= in front for a name. May be repeated (PLIMSOLL_CHAT_MODELS)."`
	System string   `placeholder:"TEXT" help:"The system prompt (PLIMSOLL_CHAT_SYSTEM)."`
	Attach []string `sep:"none" placeholder:"FILE" complete:"file" help:"Send a file with the first message; - is the standard input. May be repeated."`
	lineFlags
	Method     string `placeholder:"NAME" help:"How old turns go: auto, window, summary or hybrid."`
	Preset     string `short:"p" placeholder:"NAME" help:"auto, agent, multichat, gemini or cookbook."`
	Continue   bool   `short:"c" help:"Go on with the newest session."`
	Session    string `placeholder:"ID" help:"Go on with this session."`
	Sessions   bool   `help:"List the sessions and end."`
	Tokenizers string `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family (PLIMSOLL_TOKENIZERS)."`
	Store      string `placeholder:"PATH|URL" complete:"file" help:"Where content is kept (PLIMSOLL_STORE). Sessions are kept beside a file. Default: plimsoll/store.db in the user's data directory."`
	Plain      bool   `help:"Read and print lines, without taking over the screen."`
	toolFlags
	Message []string `arg:"" optional:"" help:"A message or a command; then this is all that is done."`
}

// Help is the long help text.
func (*chatCmd) Help() string {
	return `Talks with one or several language models and keeps the conversation under their windows. A line is a message; @NAME in front asks one of the models, @all asks all of them at once. Each model sees the answers of the others with their names. Lines that begin with a slash are commands: /help lists them.

Keys come from OPENAI_API_KEY, ANTHROPIC_API_KEY and GEMINI_API_KEY; models of Ollama need none.

Before a message goes, the chat says what it will cut. It does not send a message that cannot fit. Nothing is lost: /expand reads what was cut, and /undo takes a cut back.

The chat writes sessions line by line; --continue continues the newest one, also after a crash.

If input or output is no terminal, or with --plain, it reads and prints lines: answers on standard output, remarks on standard error. Lines between two lines of three quotes are one message.

Examples:

    plimsoll chat -m ollama:llama3.2
    plimsoll chat -m openai:gpt-4o -m anthropic:claude-sonnet-4-5 -m gemini:gemini-2.5-flash
    plimsoll chat -m local=openai:qwen3@http://127.0.0.1:8080/v1
    git diff | plimsoll chat -m openai:gpt-4o --attach - "Review this."
    plimsoll chat --continue`
}

// Validate refuses numbers that cannot be meant.
func (c *chatCmd) Validate() error {
	if c.Limit != nil && *c.Limit < 1 {
		return errors.New("--limit: want a number of tokens above zero")
	}
	if err := c.lineFlags.Validate(); err != nil {
		return err
	}
	if c.Continue && c.Session != "" {
		return errors.New("--continue and --session: name one of them")
	}
	return c.checkTools()
}

// Run talks.
func (c *chatCmd) Run(p *process, root *cli) error {
	settings, err := p.loadSettings(root, []config.Flag{
		{Key: "window", Value: c.Window}, // the session keeps the limit
		{Key: "reserve", Value: c.Reserve},
		{Key: "preset", Name: "--preset", Value: c.Preset},
		{Key: "store", Name: "--store", Value: c.Store},
		{Key: "tokenizers", Name: "--tokenizers", Value: c.Tokenizers},
	})
	if err != nil {
		return err
	}
	sessions, err := p.sessionsOf(string(settings.Settings.Store))
	if err != nil {
		return err
	}
	if c.Sessions {
		return c.list(p, sessions)
	}
	ctx, stop := p.untilSignal()
	defer stop()
	return c.talk(ctx, p, settings, sessions)
}

// sessionsOf is the directory of the sessions: beside the file of the store, else in
// the user's data directory.
func (p *process) sessionsOf(where string) (string, error) {
	if where == "" || strings.Contains(where, "://") {
		path, err := sqlite.DefaultPath(p.getenv)
		if err != nil {
			return "", err
		}
		where = path
	}
	return strings.TrimSuffix(where, filepath.Ext(where)) + ".chats", nil
}

func (c *chatCmd) list(p *process, dir string) error {
	all, err := chat.Sessions(dir)
	if err != nil {
		return &plimsoll.Error{Op: "list the sessions", Err: err}
	}
	if len(all) == 0 {
		p.say("no sessions")
		return nil
	}
	for line := range strings.Lines(p.lang.Lines(chat.ListSessions(all))) {
		fmt.Fprintln(p.out, cleanLine(line))
	}
	return nil
}

// talk opens what the chat needs, and closes it when it is over.
func (c *chatCmd) talk(ctx context.Context, p *process, settings *config.Config, sessions string) (err error) {
	kept, err := p.openStore(ctx, string(settings.Settings.Store))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, kept.Close()) }()
	keepers, err := newChatKeepers(p, settings)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, keepers.close()) }()
	o, err := c.options(p, settings, keepers, sessions)
	if err != nil {
		return err
	}
	o.Store, o.Keeper = kept, keepers.of
	if keepers.countsExactly() {
		o.Counter = keepers.counter
	}
	var engine *chat.Engine
	if c.Tools {
		interactive := c.takesScreen(p) || isTerminal(p.stdin) && isTerminal(p.stderr)
		warn := func(text string) { engine.Warn(text) } // tools are only used by it
		box, problems, failed := c.openTools(ctx, p, settings.Settings.Chat.Servers, interactive, warn)
		if failed != nil {
			return failed
		}
		defer func() { err = errors.Join(err, box.Close()) }()
		o.Tools, o.Problems = box, append(o.Problems, problems...)
	}
	engine, err = chat.New(ctx, o)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, engine.Close()) }()
	if err := c.attach(ctx, p, engine); err != nil {
		return err
	}
	if c.takesScreen(p) {
		// What others would print goes among the notices.
		stderr := p.stderr
		p.stderr = warnings{engine}
		defer func() { p.stderr = stderr }()
		return p.fullScreen(ctx, engine, sessions)
	}
	return c.show(ctx, p, engine)
}

// options are what flags and settings say about the chat.
func (c *chatCmd) options(p *process, settings *config.Config, keepers *chatKeepers, sessions string) (*chat.Options, error) {
	set := settings.Settings
	o := &chat.Options{
		Sessions: sessions, Session: c.Session, System: c.System, Method: c.Method,
		Marks: marksOf(set), Window: set.Window,
		Base: proxy.NewTransport(), Expand: transport.Expand(set.Expand), Problems: settings.Problems,
		Parse: func(spec string) (chat.Participant, error) { return chat.ParseParticipant(spec, p.getenv) },
	}
	if o.System == "" && !c.Continue && c.Session == "" {
		o.System = set.Chat.System
	}
	if c.Limit != nil {
		o.Limit = *c.Limit
	}
	models := c.Model
	if len(models) == 0 && !c.Continue && c.Session == "" {
		models = set.Chat.Models
	}
	for _, spec := range models {
		participant, err := o.Parse(spec)
		if err != nil {
			return nil, err
		}
		o.Participants = append(o.Participants, participant)
	}
	o.Assumed = keepers.assumed
	if !c.Continue {
		return o, nil
	}
	all, err := chat.Sessions(sessions)
	if err != nil {
		return nil, err
	}
	if len(all) == 0 {
		return nil, &plimsoll.Error{Op: "continue", Code: plimsoll.CodeNotFound, Err: errors.New("there is no session yet"), Hint: "begin one without --continue"}
	}
	o.Session = all[0].ID
	return o, nil
}

// show runs the chat line by line.
func (c *chatCmd) show(ctx context.Context, p *process, engine *chat.Engine) error {
	o := &plain.Options{Edit: p.editor(), Lang: p.lang, Line: strings.Join(c.Message, " ")}
	if isTerminal(p.stdin) && isTerminal(p.stderr) {
		o.Prompt = "> "
	}
	err := plain.Run(ctx, engine, p.stdin, p.stdout, p.stderr, o)
	var said *plain.ReportedError
	if errors.As(err, &said) {
		return saidError{said.Err}
	}
	return err
}

// saidError is one that the user has read already.
type saidError struct{ error }

// Unwrap returns the error.
func (e saidError) Unwrap() error { return e.error }

func (saidError) silent() bool { return true }
