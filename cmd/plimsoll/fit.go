package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/store"
)

// fitCmd makes a conversation fit.
type fitCmd struct {
	File string `arg:"" optional:"" default:"-" complete:"file" help:"A request, a list of messages, or messages one a line; - is standard input."`

	Model string `short:"m" placeholder:"NAME" complete:"model" help:"Model to fit for. Default: the one the request names."`
	lineFlags
	Preset  string   `short:"p" placeholder:"NAME" help:"auto, agent, multichat, gemini or cookbook."`
	Method  string   `placeholder:"NAME" help:"How old content goes: window, summary or hybrid."`
	Low     *float64 `placeholder:"F" help:"Fraction of the limit to come down to."`
	Rungs   []string `placeholder:"NAME" help:"Ways to make it smaller, in order: view, dedupe, clear, reasoning, compact, slide, trim."`
	Pin     []string `sep:"none" placeholder:"KIND=VALUE" help:"Leave messages as they are: role=NAME, index=N, tool=NAME or match=PATTERN. May be repeated."`
	Dialect string   `enum:"auto, ${dialects}" default:"auto" help:"The API that the request is meant for: ${enum}."`
	Example bool     `help:"Fit the agent session that comes with plimsoll."`
	DryRun  bool     `short:"n" help:"Print the report and no conversation."`
	Store   string   `placeholder:"PATH|URL" complete:"file" help:"Keep what is cut in this store, so that it can be read again: a file, or a PostgreSQL database as postgres://… (PLIMSOLL_STORE)."`
	Tenant  string   `placeholder:"NAME" help:"Whose content it is in the store."`
	Report  string   `placeholder:"PATH" complete:"file" help:"Write the report as JSON to this file."`
	JSON    bool     `name:"json" help:"Print the report as JSON instead of a table."`

	Models     []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
	Tokenizers string   `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family (PLIMSOLL_TOKENIZERS)."`
}

// Help is the long help text.
func (*fitCmd) Help() string {
	return `Makes a conversation fit into its model's window and prints it, in the form of the input. A conversation that fits comes out byte for byte. The report, on standard error, says what was cut, by which rung and why.

With --store, what is cut is kept, and the placeholders carry references to it that "plimsoll cache" and "plimsoll mcp" read; without it, what is cut is gone. A dry run keeps nothing.

It shortens tool outputs first, then replaces old messages by a checkpoint (see "plimsoll compact"), and drops whole turns last; calls keep their results, the newest turn and pinned messages stay, and what is printed is a request that the API accepts.

The exit status is 0 for a conversation that fits now, 2 for bad input, and 3 for one that cannot be made to fit; then nothing is printed, and the error names what is in the way.

Examples:

    plimsoll fit --example --window 12000 --dry-run
    plimsoll fit --window 32000 request.json > smaller.json
    plimsoll fit --model gpt-4o --pin tool=plan --dry-run request.json
    plimsoll fit --window 8000 --reserve 1000 --report why.json < chat.jsonl`
}

// lineFlags say how much a prompt may weigh. They mean the same in every command.
type lineFlags struct {
	Window  *int `short:"w" placeholder:"N" help:"Context window in tokens, for prompt and answer together. Default: the model's, or the one that its server reports."`
	Limit   *int `short:"l" placeholder:"N" help:"The most that a prompt may weigh in tokens: a window of which nothing is reserved. Not with --window or --reserve."`
	Reserve *int `placeholder:"N" help:"Tokens to keep free for the answer. Default: none in the presets multichat, gemini and cookbook; else what the request asks for, within bounds, or a sixteenth of the window."`
}

// Validate refuses a limit beside what it stands for.
func (f lineFlags) Validate() error {
	if f.Limit != nil && (f.Window != nil || f.Reserve != nil) {
		return errors.New("--limit is a window of which nothing is reserved: leave out --window and --reserve")
	}
	return nil
}

// line is the settings that the flags stand for.
func (f lineFlags) line() []config.Flag {
	if f.Limit != nil {
		return []config.Flag{{Key: "window", Name: "--limit", Value: f.Limit}, {Key: "reserve", Name: "--limit", Value: new(0)}}
	}
	return []config.Flag{{Key: "window", Value: f.Window}, {Key: "reserve", Value: f.Reserve}}
}

// Run fits the one conversation.
func (c *fitCmd) Run(p *process, root *cli) error {
	settings, err := p.settings(root, append(c.line(), []config.Flag{
		{Key: "model", Value: c.Model},
		{Key: "preset", Value: c.Preset},
		{Key: "method", Value: c.Method},
		{Key: "marks.low", Name: "--low", Value: c.Low},
		{Key: "pins", Name: "--pin", Value: c.Pin},
		{Key: "models", Value: c.Models},
		{Key: "tokenizers", Value: c.Tokenizers},
		{Key: "store", Value: c.Store},
	}...))
	if err != nil {
		return err
	}
	in, b, err := p.readOne("fit", c.File, c.Dialect, c.Example)
	if err != nil {
		return err
	}
	onError := *p
	onError.stdout = p.stderr
	d := newDisplay(&onError, nil, root.Color)
	meanwhile := newProgress(p, d)
	plan, err := c.fit(p, settings, b, meanwhile)
	meanwhile.clear()
	if err != nil {
		return withOp("fit "+in.name, err)
	}
	if plan.Degraded != "" {
		p.warn("nothing was kept: " + plan.Degraded)
	}
	for _, note := range meanwhile.notes {
		p.warn("note: " + note)
	}
	return c.write(p, d, in.name, b, plan)
}

// readOne reads the one conversation that a command edits: the example, a file, or
// standard input.
func (p *process) readOne(op, name, dialect string, example bool) (input, *conversationFile, error) {
	in := p.file(name)
	if example {
		in = exampleInput()
	} else if name == "-" {
		if _, err := p.inputs(op, nil, "name a file or pipe a request in"); err != nil {
			return in, nil, err
		}
	}
	f, err := in.open()
	if err != nil {
		return in, nil, editError(op, in.name, err)
	}
	defer f.Close()
	b, err := readEditable(f, dialect)
	if err != nil {
		return in, nil, editError(op, in.name, err)
	}
	return in, b, nil
}

// fit fits under the settings, with the store that they name.
func (c *fitCmd) fit(p *process, settings *config.Config, b *conversationFile, meanwhile *progress) (*plimsoll.Plan, error) {
	var plan *plimsoll.Plan
	err := p.withStore(settings, c.Tenant, p.openStore, func(ctx context.Context, tenant *store.Tenant) error {
		where := keepingOf(tenant)
		where.events, where.rungs = meanwhile.event, c.Rungs
		k, err := p.keeper(settings, where)
		if err != nil {
			return err
		}
		if c.DryRun {
			plan, err = k.Plan(ctx, taskOf(settings.Settings, b))
		} else {
			task := taskOf(settings.Settings, b)
			task.Ask = p.sender(settings.Settings, b.request.Dialect())
			plan, err = k.Fit(ctx, task)
		}
		return err
	})
	return plan, err
}

// withStore opens the store that the settings name, does something with the tenant's
// part of it, and closes it. Where they name none the tenant is nil.
func (p *process) withStore(settings *config.Config, tenant string, open storeOpener, do func(context.Context, *store.Tenant) error) error {
	ctx, stop := p.untilSignal()
	defer stop()
	where := string(settings.Settings.Store)
	if where == "" {
		return do(ctx, nil)
	}
	s, err := open(ctx, where)
	if err != nil {
		return err
	}
	var t *store.Tenant
	if t, err = tenantNamed(ctx, s, tenant); err == nil {
		err = do(ctx, t)
	}
	if closed := s.Close(); err == nil {
		err = closed
	}
	return err
}

// write prints the conversation and then says what was done, so that a report
// never speaks of something that was not printed.
func (c *fitCmd) write(p *process, d display, name string, b *conversationFile, plan *plimsoll.Plan) error {
	out, err := b.encode(plan.Draft)
	if err != nil {
		return withOp("fit "+name, err)
	}
	if !c.DryRun {
		if _, err := p.out.Write(out); err != nil {
			return err
		}
	}
	if c.Report != "" {
		if err := writeReport(c.Report, plan); err != nil {
			return err
		}
	}
	if c.JSON {
		return encodeJSON(p.stderr, plan)
	}
	showPlan(p.stderr, d, name, b.request.Conversation(), plan)
	return nil
}

func writeReport(path string, report any) error {
	f, err := os.Create(path)
	if err != nil {
		return &plimsoll.Error{Op: "write the report", Code: plimsoll.CodeInvalid, Err: err, Hint: "name a file that can be written"}
	}
	if err := encodeJSON(f, report); err != nil {
		f.Close()
		return &plimsoll.Error{Op: "write the report " + path, Err: err}
	}
	return f.Close()
}

func encodeJSON(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// withOp puts what was done in front of an error that has no operation of its own
// worth showing; code and hint stay.
func withOp(op string, err error) error {
	if typed, ok := err.(*plimsoll.Error); ok && slices.Contains([]string{"fit", "compact", "undo"}, typed.Op) {
		return &plimsoll.Error{Op: op, Code: typed.Code, Hint: typed.Hint, Err: typed.Err}
	}
	return fmt.Errorf("%s: %w", op, err)
}
