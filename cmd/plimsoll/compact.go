package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
)

// compactCmd replaces old messages by a checkpoint.
type compactCmd struct {
	File string `arg:"" optional:"" default:"-" complete:"file" help:"A request, a list of messages, or messages one a line; - is standard input."`

	Force  bool   `short:"f" help:"Compact whatever the load is."`
	Preset string `short:"p" placeholder:"NAME" help:"auto, agent, multichat or gemini."`
	Method string `placeholder:"NAME" help:"How old content goes: window, summary or hybrid."`
	Model  string `short:"m" placeholder:"NAME" complete:"model" help:"Model to compact for. Default: the one the request names."`
	lineFlags
	Summarizer string   `short:"s" placeholder:"WHO" help:"Who writes the summary: auto (the provider of the request with your key), extract (no model), openai:MODEL@URL, responses:MODEL, anthropic:MODEL, gemini:MODEL or ollama:MODEL."`
	Directive  []string `short:"d" sep:"none" placeholder:"TEXT" help:"What to add to the question that a model is asked. May be repeated."`
	Pin        []string `sep:"none" placeholder:"KIND=VALUE" help:"Leave messages as they are: role=NAME, index=N, tool=NAME or match=PATTERN. May be repeated."`
	Dialect    string   `enum:"auto, ${dialects}" default:"auto" help:"The API that the request is meant for: ${enum}."`
	Example    bool     `help:"Compact the agent session that comes with plimsoll."`
	Undo       string   `placeholder:"REF" help:"Put the messages back that the checkpoint with this reference stands for."`
	DryRun     bool     `short:"n" help:"Print the report and no conversation, and ask no model."`
	Diff       bool     `help:"Show what changed, message by message."`
	Store      string   `placeholder:"PATH|URL" complete:"file" help:"Keep what is replaced in this store, so that it can be read again and put back: a file, or a PostgreSQL database as postgres://… (PLIMSOLL_STORE)."`
	Tenant     string   `placeholder:"NAME" help:"Whose content it is in the store."`
	Report     string   `placeholder:"PATH" complete:"file" help:"Write the report as JSON to this file."`
	JSON       bool     `name:"json" help:"Print the report as JSON instead of a table."`

	Models     []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
	Tokenizers string   `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family (PLIMSOLL_TOKENIZERS)."`
}

// Help is the long help text.
func (*compactCmd) Help() string {
	return `Replaces the old messages of a conversation by a checkpoint, and prints it in the form of the input: what the user said, a ledger of names, a summary, and the newest messages unchanged. Without --force the preset decides whether that is due. The report is on standard error.

With --store, the store keeps the old messages, and --undo puts them back. Without a model, or if the model cannot be reached, the summary is extracted.

The exit status is 0 if what is printed can be sent: compacted, nothing to do, or made smaller by other means. It is 2 for bad input and 3 for a conversation that does not fit. It is 4 if the new history would have been larger, 5 if it could not be counted and 6 if there was no summary; then compact prints the conversation unchanged.

Examples:

    plimsoll compact --force --store kept.db request.json > smaller.json
    plimsoll compact --example --force --dry-run
    plimsoll compact --summarizer openai:qwen3@http://localhost:11434/v1 --force request.json
    plimsoll compact --undo 26-letters --store kept.db smaller.json > request.json`
}

// Run compacts the one conversation, or undoes that.
func (c *compactCmd) Run(p *process, root *cli) error {
	settings, err := p.settings(root, c.flags())
	if err != nil {
		return err
	}
	in, b, err := p.readOne("compact", c.File, c.Dialect, c.Example)
	if err != nil {
		return err
	}
	onError := *p
	onError.stdout = p.stderr
	d := newDisplay(&onError, nil, root.Color)
	if c.Undo != "" {
		return c.undo(p, settings, in.name, b)
	}
	made, err := c.compact(p, d, settings, b)
	if err != nil {
		return withOp("compact "+in.name, err)
	}
	return c.write(p, d, settings, in.name, b, made)
}

func (c *compactCmd) flags() []config.Flag {
	return append(c.line(), []config.Flag{
		{Key: "model", Value: c.Model},
		{Key: "preset", Value: c.Preset},
		{Key: "method", Value: c.Method},
		{Key: "pins", Name: "--pin", Value: c.Pin},
		{Key: "compaction.summarizer", Name: "--summarizer", Value: c.Summarizer},
		{Key: "models", Value: c.Models},
		{Key: "tokenizers", Value: c.Tokenizers},
		{Key: "store", Value: c.Store},
	}...)
}

// compact compacts under the settings, with the store that they name.
func (c *compactCmd) compact(p *process, d display, settings *config.Config, b *conversationFile) (*fit.Compaction, error) {
	var made *fit.Compaction
	err := p.withStore(settings, c.Tenant, p.openStore, func(ctx context.Context, tenant *store.Tenant) error {
		where := keepingOf(tenant)
		if c.DryRun {
			where = keeping{dry: true}
			if tenant != nil {
				where.archive = preset.NamesOnly{Archive: tenant}
			}
		}
		meanwhile := newProgress(p, d)
		defer meanwhile.clear()
		where.events = meanwhile.event
		k, err := p.keeper(settings, where)
		if err != nil {
			return err
		}
		task := taskOf(settings.Settings, b)
		task.Ask, task.Recount = p.sender(settings.Settings, b.request.Dialect()), p.recounter(settings.Settings, task)
		made, err = k.Compact(ctx, task, fit.CompactOptions{Force: c.Force, Directives: c.Directive})
		return err
	})
	return made, err
}

// write prints the conversation and then says what was done.
func (c *compactCmd) write(p *process, d display, settings *config.Config, name string, b *conversationFile, made *fit.Compaction) error {
	out, err := b.encode(made.Plan.Draft)
	if err != nil {
		return withOp("compact "+name, err)
	}
	if !c.DryRun {
		if _, err := p.out.Write(out); err != nil {
			return err
		}
	}
	told := report.NewCompaction(made)
	if c.Report != "" {
		if err := writeReport(c.Report, told); err != nil {
			return err
		}
	}
	switch {
	case c.JSON:
		err = encodeJSON(p.stderr, told)
	case c.Diff:
		err = c.diff(p, d, settings, name, b, out)
	default:
		compacted{told}.show(p.stderr, d, name, made)
	}
	if err != nil {
		return err
	}
	return c.verdict(name, made)
}

// verdict is the error of a conversation that is as it was, and should not be.
func (c *compactCmd) verdict(name string, made *fit.Compaction) error {
	switch {
	case made.Status.Failed():
		return &compactionError{name, made}
	case made.Plan.After.Exceeds(made.Plan.Line):
		return &plimsoll.Error{
			Op: "compact " + name, Code: plimsoll.CodeOverLimit,
			Err:  fmt.Errorf("%s of %s tokens, and nothing was done: %s", grouped(made.After), grouped(made.Plan.Line.Limit()), made.Reason),
			Hint: "use --force, or plimsoll fit",
		}
	}
	return nil
}

// diff shows what became of the body.
func (c *compactCmd) diff(p *process, d display, settings *config.Config, name string, b *conversationFile, out []byte) error {
	after, err := parseEditable(out, string(b.request.Dialect()))
	if err != nil {
		return err
	}
	w, err := p.differ(settings, taskOf(settings.Settings, b).Conversation.Model)
	if err != nil {
		return err
	}
	w.compare(side{name, b}, side{"the new history", after}).show(p.stderr, d, false)
	return nil
}

// compactionError says why everything stayed as it was.
type compactionError struct {
	name string
	made *fit.Compaction
}

// Error names the status and the reason.
func (e *compactionError) Error() string {
	return fmt.Sprintf("compact %s: %s: %s", e.name, e.made.Status, e.made.Reason)
}

// Unwrap gives the hint.
func (e *compactionError) Unwrap() error {
	hint := "what was printed is the conversation as it came"
	if e.made.Status == fit.CompressionFailedInflated {
		hint += "; there is little in it that a checkpoint would make shorter"
	}
	return &plimsoll.Error{Op: "compact", Hint: hint, Err: errors.New(e.made.Reason)}
}

// exitStatus tells scripts which of the three it was.
func (e *compactionError) exitStatus() int {
	switch e.made.Status {
	case fit.CompressionFailedInflated:
		return 4
	case fit.CompressionFailedCount:
		return 5
	default:
		return 6
	}
}
