package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/store"
)

// countCmd shows what conversations weigh.
type countCmd struct {
	Files []string `arg:"" optional:"" name:"file" complete:"file" help:"Conversations or texts; - is standard input."`

	Model      string   `short:"m" placeholder:"NAME" complete:"model" help:"Model to count for. Default: the one the file names, else one of its API: gpt-4o, claude-sonnet-4-5 or gemini-2.5-pro."`
	Encoding   string   `short:"e" placeholder:"NAME" complete:"encoding" help:"Count with this encoding or estimator instead of the model's own."`
	Format     string   `short:"f" enum:"auto,json,jsonl,text" default:"auto" help:"What the input is: auto, json, jsonl or text (bare text without any framing)."`
	Dialect    string   `enum:"auto, ${dialects}" default:"auto" help:"The API that the requests are meant for: ${enum}."`
	JSON       bool     `name:"json" help:"Print one JSON object a line for each conversation."`
	Limit      *int     `short:"l" placeholder:"N" help:"Compare with this many tokens, the most that the prompt may weigh, instead of the model's input limit."`
	Window     *int     `short:"w" placeholder:"N" help:"Compare with the limit that fit has in this window: prompt and answer together, less the reserve."`
	FailOver   bool     `help:"End with status 3 when something is over the limit."`
	All        bool     `short:"a" help:"Show every message, not only the largest."`
	Top        int      `placeholder:"N" default:"12" help:"Show this many of the largest messages (12)."`
	Example    bool     `help:"Count the agent session that comes with plimsoll."`
	Models     []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
	Tokenizers string   `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family: llama3/tokenizer.json (PLIMSOLL_TOKENIZERS)."`
	Store      string   `placeholder:"PATH|URL" complete:"file" help:"Count from the last bill that is in this store: a file, or a PostgreSQL database as postgres://… (PLIMSOLL_STORE)."`
	Tenant     string   `placeholder:"NAME" help:"Whose bills they are in the store."`
	Width      *int     `placeholder:"N" help:"Draw this many columns wide. Default: the terminal's width, else 80."`
}

// Help is the long help text.
func (*countCmd) Help() string {
	return `Counts the tokens of conversations: requests of OpenAI's Chat Completions and Responses, Anthropic's Messages and Gemini, bare lists of messages, JSON Lines of these, an agent's session file, and plain text. It shows what takes the space and how much of the model's window is left. Without a file it reads standard input. The members of a request say which API it is for. A request of Anthropic's with texts alone looks like Chat Completions; --dialect says which one it is.

Counts are exact where the provider's vocabulary is public (OpenAI's are built in, others load from --tokenizers). Everything else is an estimate and says so, with the error to expect. With a store, a request is counted from the last bill that the proxy or the chat saw in its conversation, as they and "plimsoll fit" count it.

The limit is that of the model. A variable such as GPT_4O_MAX_CONTEXT_LENGTH, CLAUDE_MAX_CONTEXT_LENGTH or DEFAULT_MAX_CONTEXT_LENGTH sets another one, and --limit wins over both. --window names a window instead: its limit is what the reserve leaves of it, as in "plimsoll fit".

Examples:

    plimsoll count --example
    plimsoll count --model claude-sonnet-4-5 chat.json
    git diff | plimsoll count --format text --json
    plimsoll count --limit 100000 --fail-over sessions/*.jsonl`
}

// Validate refuses numbers that cannot be meant.
func (c *countCmd) Validate() error {
	switch {
	case c.Limit != nil && *c.Limit <= 0:
		return fmt.Errorf("--limit %d: want a number of tokens above zero", *c.Limit)
	case c.Window != nil && *c.Window <= 0:
		return fmt.Errorf("--window %d: want a number of tokens above zero", *c.Window)
	case c.Limit != nil && c.Window != nil:
		return errors.New("--limit and --window: give one of them")
	case c.Width != nil && *c.Width < minWidth:
		return fmt.Errorf("--width %d: want at least %d columns", *c.Width, minWidth)
	case c.Dialect != "auto" && c.Format == string(transcript.Text):
		return errors.New("--dialect: a text is for no API; leave out either --dialect or --format text")
	case c.Top < 0:
		return fmt.Errorf("--top %d: want a number of messages, or 0 for none", c.Top)
	}
	return nil
}

// Run counts every input. A failing one does not keep the others from being
// counted.
func (c *countCmd) Run(p *process, root *cli) error {
	inputs, err := c.inputs(p)
	if err != nil {
		return err
	}
	settings, err := p.settings(root, []config.Flag{
		{Key: "model", Value: c.Model},
		{Key: "models", Value: c.Models},
		{Key: "tokenizers", Value: c.Tokenizers},
		{Key: "store", Value: c.Store},
	})
	if err != nil {
		return err
	}
	var reports []weighed
	var failed failures
	count := func(ctx context.Context, tenant *store.Tenant) error {
		w, err := newWeigher(ctx, p, c, settings, tenant)
		if err == nil {
			reports, failed = c.countAll(inputs, w)
		}
		return err
	}
	err = p.withStore(settings, c.Tenant, p.openExisting, count)
	if errors.Is(err, fs.ErrNotExist) && settings.Origin("store").Kind != config.FromFlag {
		err = count(context.Background(), nil) // the proxy of these settings has not stored a bill yet
	}
	if err != nil {
		return err
	}
	if err := c.print(p, newDisplay(p, c.Width, root.Color), reports); err != nil {
		return err
	}
	if c.FailOver {
		failed = append(failed, overLimit(reports)...)
	}
	if len(failed) > 0 {
		return failed
	}
	return nil
}

func (c *countCmd) countAll(inputs []input, w *weigher) (reports []weighed, failed failures) {
	for _, in := range inputs {
		found, err := w.weigh(in, transcript.Format(c.Format), c.Dialect)
		if err != nil {
			failed = append(failed, err)
		}
		reports = append(reports, found...)
	}
	return reports, failed
}

func (c *countCmd) print(p *process, d display, reports []weighed) error {
	switch {
	case c.JSON:
		lines := json.NewEncoder(p.out)
		lines.SetEscapeHTML(false)
		for _, r := range reports {
			if err := lines.Encode(r); err != nil {
				return err
			}
		}
	case len(reports) == 1:
		top := c.Top
		if c.All {
			top = len(reports[0].Messages)
		}
		showReport(p.out, d, reports[0], top)
	case len(reports) > 1:
		showSummary(p.out, d, reports)
	}
	return nil
}

// overLimit gives an error for each report over its limit.
func overLimit(reports []weighed) failures {
	var failed failures
	for _, r := range reports {
		if r.Over {
			failed = append(failed, &plimsoll.Error{
				Op:   "count " + r.title(),
				Code: plimsoll.CodeOverLimit,
				Hint: "shorten the conversation, choose a model with a larger window (plimsoll models), or raise --limit",
				Err:  fmt.Errorf("%w: %s of %s tokens, %s too many", plimsoll.ErrOverLimit, grouped(r.Total), grouped(r.Limit), grouped(-r.Freeboard)),
			})
		}
	}
	return failed
}
