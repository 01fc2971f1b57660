package main

import (
	"errors"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lab/demo"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// cli is the command line.
type cli struct {
	Count      countCmd      `cmd:"" help:"Show what conversations and texts weigh in tokens."`
	Models     modelsCmd     `cmd:"" help:"Show limits, prices and tokenizers of models."`
	Fit        fitCmd        `cmd:"" help:"Make a conversation fit into its window, and say what was cut."`
	Compact    compactCmd    `cmd:"" help:"Replace old messages by a checkpoint, or put them back."`
	Diff       diffCmd       `cmd:"" help:"Show what became of a conversation, message by message."`
	Trim       trimCmd       `cmd:"" help:"Leave out old messages until the others fit."`
	Prune      pruneCmd      `cmd:"" help:"Drop the oldest turns of a chat until it fits."`
	Replay     replayCmd     `cmd:"" help:"Compare policies on recorded conversations, without a model."`
	Account    accountCmd    `cmd:"" help:"Show what conversations cost, and what cutting them saved."`
	Cache      cacheCmd      `cmd:"" help:"Keep content outside of conversations, read it and search it."`
	Serve      serveCmd      `cmd:"" help:"Serve a proxy that keeps every conversation under its window."`
	Run        runCmd        `cmd:"" help:"Run a program with the proxy between it and its models."`
	Chat       chatCmd       `cmd:"" help:"Talk with language models, and never overflow."`
	Demo       demoCmd       `cmd:"" help:"Show the proxy at work on a recorded session, without a key or a network."`
	MCP        mcpCmd        `cmd:"" name:"mcp" help:"Serve stored content to agents by the Model Context Protocol."`
	Doctor     doctorCmd     `cmd:"" help:"Say what an API would refuse about a request, or what is configured."`
	Version    versionCmd    `cmd:"" help:"Show which version this is."`
	Completion completionCmd `cmd:"" help:"Print a completion script for a shell."`
	Explain    helpCmd       `cmd:"" name:"help" help:"Show help for a command."`

	Color       string      `enum:"auto,always,never" default:"auto" help:"When to use colour: auto (on a terminal, unless NO_COLOR is set), always or never."`
	Config      string      `placeholder:"FILE" complete:"file" help:"Read settings from this file and no other (PLIMSOLL_CONFIG)."`
	Lang        string      `enum:"auto,en,ja" default:"auto" help:"Language of messages: auto (by LC_ALL, LC_MESSAGES or LANG), en or ja."`
	Help        helpFlag    `short:"h" help:"Show help and end."`
	ShowVersion versionFlag `name:"version" help:"Show the version and end."`
}

const overview = `plimsoll keeps conversations with language models under their context window.

  plimsoll demo                       see the proxy at work, without a key or a network
  plimsoll run -- claude              run a program that never overflows
  plimsoll count --example            what takes the space in a bundled agent session
  plimsoll count chat.json            the same for a conversation of yours
  plimsoll models sonnet              limits and prices of the models with that name

Run "plimsoll --help" for all commands and "plimsoll COMMAND --help" for one of them.
`

// errDone ends the parsing when a flag has already done what was asked for.
var errDone = errors.New("done")

func (p *process) dispatch() error {
	if len(p.args) == 0 {
		fmt.Fprint(p.out, p.lang.Say(overview))
		return nil
	}
	parser, err := p.newParser()
	if err != nil {
		return err
	}
	parsed, err := parser.Parse(p.args)
	if errors.Is(err, errDone) {
		return nil
	}
	if err != nil {
		return p.usageError(err)
	}
	return parsed.Run()
}

// newParser builds the parser. It never ends the process: help and errors come
// back as values.
func (p *process) newParser() (*kong.Kong, error) {
	root := &cli{}
	return kong.New(root,
		kong.Name("plimsoll"),
		kong.Description("Keeps conversations with language models under their context window."),
		kong.Writers(p.out, p.stderr),
		kong.Exit(func(int) {}),
		kong.NoDefaultHelp(),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, FlagsLast: true, WrapUpperBound: 100}),
		kong.Bind(p, root),
		kong.Vars{"dialects": list(dialects.All()), "demo_dialects": list(demo.Dialects())},
	)
}

// list writes names as a flag lists them.
func list(all []plimsoll.Dialect) string {
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(all), "[]"), " ", ", ")
}

// usageError tells how to get help for the command that was meant, or which one
// may have been when a file stands in its place.
func (p *process) usageError(err error) error {
	command := "plimsoll"
	var parse *kong.ParseError
	if errors.As(err, &parse) && parse.Context != nil && parse.Context.Selected() != nil {
		command = parse.Context.Selected().FullPath()
	}
	hint := fmt.Sprintf("run %q", command+" --help")
	if info, failed := os.Stat(p.args[0]); failed == nil && info.Mode().IsRegular() && command == "plimsoll" {
		hint = fmt.Sprintf("run %q", "plimsoll count "+p.args[0])
	}
	return &plimsoll.Error{
		Op:   "read the command line",
		Code: plimsoll.CodeInvalid,
		Hint: hint,
		Err:  plainWords{err},
	}
}

// plainWords is an error of the parser without the names of Go's types.
type plainWords struct{ error }

// Error says what was expected.
func (e plainWords) Error() string {
	text := negative.ReplaceAllString(e.error.Error(), "want a number that is not negative, but got $1")
	return strings.ReplaceAll(text, "a valid 64 bit int", "a whole number")
}

// negative is what the parser says of a negative number: it takes it for a flag.
var negative = regexp.MustCompile(`expected \w+ value but got "(-[0-9.]+)" \(short flag\); perhaps try \S+\?`)

// Unwrap returns the parser's error.
func (e plainWords) Unwrap() error { return e.error }

// helpCmd is the help flag for people who expect a command.
type helpCmd struct {
	Command []string `arg:"" optional:"" help:"The command to explain."`
}

// Run shows the help of the command, or of the program.
func (c *helpCmd) Run(p *process) error {
	p.args = append(slices.Clone(c.Command), "--help")
	return p.dispatch()
}

// helpFlag prints the help of the command in front of it.
type helpFlag bool

// IgnoreDefault keeps kong from resetting the flag.
func (helpFlag) IgnoreDefault() {}

// BeforeReset runs before kong demands arguments.
func (helpFlag) BeforeReset(ctx *kong.Context) error {
	if err := ctx.PrintUsage(false); err != nil {
		return err
	}
	return errDone
}

// versionFlag is the version command for people who expect a flag.
type versionFlag bool

// BeforeReset runs before kong demands a command.
func (versionFlag) BeforeReset(p *process) error {
	if err := (&versionCmd{}).Run(p); err != nil {
		return err
	}
	return errDone
}
