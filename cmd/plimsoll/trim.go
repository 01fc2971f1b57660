package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/trim"
)

// trimCmd leaves messages out until the rest fits.
type trimCmd struct {
	File string `arg:"" optional:"" name:"file" complete:"file" help:"Messages or a chat completions request; - is standard input."`

	Max            int    `required:"" placeholder:"N" help:"Tokens that the messages may weigh together."`
	Model          string `short:"m" placeholder:"NAME" complete:"model" help:"Model to count for. Default: the one the file names, else gpt-4o."`
	Encoder        string `short:"e" placeholder:"NAME" complete:"encoding" help:"Count with this encoding or estimator instead of the model's own; none is characters / 4 + 1."`
	Pairs          bool   `help:"Keep tool calls and their results together."`
	Embedder       string `placeholder:"lexical|URL" help:"Measure how much of the meaning is kept: by wording, or by an OpenAI-compatible embeddings endpoint."`
	EmbeddingModel string `placeholder:"NAME" help:"Model to ask the endpoint for (text-embedding-3-small)."`
}

// Help is the long help text.
func (*trimCmd) Help() string {
	return `Keeps the first system message and the newest other message, and of the rest, from the newest to the oldest, what fits into --max tokens. A message that does not fit is passed over, and older ones may still be kept. Prints one JSON object: messages, statistics, token_counter and semantic_options. Without a file it reads standard input.

It reads a JSON list of OpenAI-compatible messages, a chat completions request, or a message a line. A message weighs the tokens of its content plus 4; tool calls are not counted. Without --pairs a tool result may outlive its call, which APIs refuse.

--embedder adds semantic_retention, from 0 to 1. An endpoint is sent the text of the conversation, and OPENAI_API_KEY if it is set; one that fails makes the figure 0.

Examples:

    plimsoll trim --max 4000 chat.json
    plimsoll trim --max 4000 --pairs --embedder lexical chat.json
    plimsoll trim --max 4000 --encoder none - < chat.jsonl
    plimsoll trim --max 4000 --embedder http://localhost:11434/v1 --embedding-model nomic-embed-text chat.json`
}

// Validate refuses what cannot be meant.
func (c *trimCmd) Validate() error {
	switch {
	case c.Max < 0:
		return fmt.Errorf("--max %d: want a number of tokens, or 0 for only what is always kept", c.Max)
	case c.EmbeddingModel != "" && (c.Embedder == "" || c.Embedder == "lexical"):
		return errors.New("--embedding-model is for an endpoint: name one with --embedder URL")
	}
	return nil
}

// Run trims one conversation.
func (c *trimCmd) Run(p *process) error {
	options, err := c.options(p)
	if err != nil {
		return err
	}
	var files []string
	if c.File != "" {
		files = []string{c.File}
	}
	inputs, err := p.inputs("trim", files, "name a file or pipe messages in")
	if err != nil {
		return err
	}
	result, err := c.trim(inputs[0], options)
	if err != nil {
		return trimError(inputs[0].name, err)
	}
	if failed := result.EmbedderError; failed != nil {
		p.warn(fmt.Sprintf("semantic_retention is 0: %v", failed))
		if hint := plimsoll.HintOf(failed); hint != "" {
			fmt.Fprintf(p.stderr, "%s: %s\n", p.lang.Say("hint"), p.lang.List(bar.Clean(hint)))
		}
	}
	out, err := result.MarshalJSON() // json.Marshal would write messages again
	if err != nil {
		return err
	}
	fmt.Fprintf(p.out, "%s\n", out)
	return nil
}

func (c *trimCmd) trim(in input, o *trim.Options) (*trim.Result, error) {
	file, err := in.open()
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := readAll(file)
	if err == nil {
		err = hasContent(data)
	}
	if err != nil {
		return nil, err
	}
	parsed, err := trim.Parse(data)
	if err != nil {
		return nil, err
	}
	o.Model = cmp.Or(c.Model, parsed.Model)
	return trim.Messages(context.Background(), parsed.Messages, o)
}

func (c *trimCmd) options(p *process) (*trim.Options, error) {
	o := &trim.Options{MaxTokens: c.Max, Pairs: c.Pairs}
	if c.Encoder != "" {
		name := c.Encoder
		if name == "none" {
			name = plimsoll.StrategyHeuristic
		}
		var err error
		if o.Counter, err = token.Named(name); err != nil {
			return nil, err
		}
	}
	switch c.Embedder {
	case "":
	case "lexical":
		o.Embedder, o.SemanticOptions = embedding.Lexical, map[string]any{"embedder": "lexical"}
	default:
		e := &embedding.Endpoint{URL: c.Embedder, Model: cmp.Or(c.EmbeddingModel, embedding.DefaultModel), APIKey: p.getenv("OPENAI_API_KEY")}
		if e.Address() == "" {
			return nil, &plimsoll.Error{
				Op: "--embedder " + c.Embedder, Code: plimsoll.CodeInvalid, Err: errors.New("neither lexical nor the address of an endpoint"),
				Hint: "use lexical, or an address such as http://localhost:11434/v1/embeddings",
			}
		}
		o.Embedder, o.SemanticOptions = e.Embed, map[string]any{"embedder": e.Address(), "embedding_model": e.Model}
	}
	return o, nil
}

func trimError(name string, err error) error {
	e := inputError("trim", name, err)
	var path *fs.PathError
	switch {
	case errors.As(err, &path), errors.Is(err, errDirectory):
	case errors.Is(err, plimsoll.ErrUnsupported):
		e.Code, e.Hint = plimsoll.CodeUnsupported, "leave out --pairs, or give messages in the form of OpenAI's chat completions"
	case errors.Is(err, errEmpty), errors.Is(err, errBinary), errors.Is(err, transcript.ErrTooLarge), errors.Is(err, trim.ErrNoMessages):
		e.Hint = "give a JSON list of messages, a chat completions request, or a message a line"
	default:
		e.Hint = "correct the input at that place; a message is an object with a role and a content"
	}
	return e
}
