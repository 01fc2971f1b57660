package main

import (
	"context"
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/prune"
	"github.com/plimsoll/plimsoll/preset"
)

// pruneCmd drops the oldest turns of a chat.
type pruneCmd struct {
	File string `arg:"" optional:"" default:"-" complete:"file" help:"A request, a list of messages, or messages one a line; - is standard input."`

	Max        int      `required:"" placeholder:"N" help:"Tokens that the system prompt and the history may have together."`
	Model      string   `short:"m" placeholder:"NAME" complete:"model" help:"Model to count for. Default: the one the request names."`
	Models     []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
	Tokenizers string   `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family (PLIMSOLL_TOKENIZERS)."`
	System     string   `placeholder:"TEXT" help:"System prompt that is sent beside the history; it counts and stays."`
	Info       bool     `help:"Print what would be dropped as JSON, and no history."`
	Dialect    string   `enum:"auto, ${dialects}" default:"auto" help:"The API that the request is meant for: ${enum}."`
}

// Help is the long help text.
func (*pruneCmd) Help() string {
	return `Drops whole turns of a chat, oldest first, until the rest fits, and prints the history in the form of the input. A turn is a user's message with all replies to it. The system prompt and the newest turn always stay; if they do not fit, nothing is printed and the exit status is 3.

OpenAI's models are counted with their own vocabulary, and models whose vocabulary is in --tokenizers with that. Others are estimated with a margin, 1.2 times; buffer_factor or TOKEN_BUFFER_FACTOR sets another. Each message has 3 tokens around it.

Examples:

    plimsoll prune --max 4096 --model gpt-4o chat.json
    plimsoll prune --max 4096 --model gpt-4o --info chat.json`
}

// Validate refuses numbers that cannot be meant.
func (c *pruneCmd) Validate() error {
	if c.Max <= 0 {
		return fmt.Errorf("--max %d: want a number of tokens above zero", c.Max)
	}
	return nil
}

// Run prunes the one history.
func (c *pruneCmd) Run(p *process, root *cli) error {
	settings, err := p.settings(root, []config.Flag{{Key: "models", Value: c.Models}, {Key: "tokenizers", Value: c.Tokenizers}})
	if err != nil {
		return err
	}
	in := p.file(c.File)
	if c.File == "-" {
		if _, err := p.inputs("prune", nil, "name a file or pipe a history in"); err != nil {
			return err
		}
	}
	f, err := in.open()
	if err != nil {
		return editError("prune", in.name, err)
	}
	defer f.Close()
	b, err := readEditable(f, c.Dialect)
	if err != nil {
		return editError("prune", in.name, err)
	}
	return c.prune(p, settings.Settings, in.name, b)
}

func (c *pruneCmd) prune(p *process, s config.Settings, name string, b *conversationFile) error {
	counting, err := p.counting(s)
	if err != nil {
		return err
	}
	history := b.request.Conversation()
	o := &prune.Options{MaxTokens: c.Max, Model: c.Model, System: c.System, Token: counting, BufferFactor: s.BufferFactor}
	if c.Model == "" && history.Model == "" {
		o.Model = preset.DefaultModel(b.request.Dialect())
	}
	if c.Info {
		info, err := prune.InfoFor(context.Background(), history, o)
		if err != nil {
			return withOp("prune "+name, err)
		}
		return encodeJSON(p.out, info)
	}
	plan, err := prune.Plan(context.Background(), history, o)
	if err != nil {
		return withOp("prune "+name, err)
	}
	out, err := b.encode(plan.Draft)
	if err != nil {
		return &plimsoll.Error{Op: "prune " + name, Err: err}
	}
	_, err = p.out.Write(out)
	return err
}
