package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/internal/transcript"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/trim"
)

// trimCmd leaves messages out until the rest fits.
type trimCmd struct {
	File string `arg:"" optional:"" name:"file" complete:"file" help:"Messages or a chat completions request; - is standard input."`

	Max            int      `required:"" aliases:"max-context-tokens" placeholder:"N" help:"Tokens that the messages may weigh together; also --max-context-tokens."`
	Model          string   `short:"m" placeholder:"NAME" complete:"model" help:"Model to count for. Default: the one the file names, else gpt-4o."`
	Encoder        string   `short:"e" placeholder:"NAME" complete:"encoding" help:"Count with this encoding or estimator instead of the model's own; none is characters / 4 + 1."`
	Pairs          bool     `help:"Keep tool calls and their results together."`
	Embedder       string   `placeholder:"lexical|URL" help:"Measure how much of the meaning is kept: by wording, or by an OpenAI-compatible embeddings endpoint."`
	EmbeddingModel string   `placeholder:"NAME" help:"Model to ask the endpoint for (text-embedding-3-small)."`
	Models         []string `sep:"none" placeholder:"FILE|URL" complete:"file" help:"Add the models of this list: LiteLLM's, models.dev's or our own format."`
	Tokenizers     string   `placeholder:"DIR" complete:"dir" help:"Directory of Hugging Face tokenizers, one a family (PLIMSOLL_TOKENIZERS)."`

	MaxRatio     *float64 `placeholder:"R" help:"End with status 7 if output / input tokens is more, such as 0.60."`
	MinRetention *float64 `placeholder:"R" help:"End with status 7 if semantic_retention is less, such as 0.85; needs --embedder."`
	Audit        string   `placeholder:"FILE" complete:"file" help:"Append time, statistics, token_counter and semantic_options to this file, one JSON object a line."`
}

// Help is the long help text.
func (*trimCmd) Help() string {
	return `Keeps the first system message and the newest other message, and of the rest, from the newest to the oldest, what fits into --max tokens. A message that does not fit is passed over, and older ones may still be kept. Prints one JSON object: messages, statistics, token_counter and semantic_options. Without a file it reads standard input.

It reads a JSON list of OpenAI-compatible messages, a chat completions request, or a message a line. A message weighs the tokens of its content plus 4; tool calls are not counted. Without --pairs a tool result may outlive its call, which APIs refuse.

The system message and the newest message stay even if they exceed --max. Then the statistics have excess_tokens, and a line on standard error says so.

--embedder adds semantic_retention, from 0 to 1. An endpoint is sent the text of the conversation, and OPENAI_API_KEY if it is set; one that fails makes the figure 0. --max-ratio and --min-retention are gates: the result is printed, and the exit status is 7 if it misses one.

Examples:

    plimsoll trim --max 4000 chat.json
    plimsoll trim --max 4000 --pairs --embedder lexical chat.json
    plimsoll trim --max 4000 --embedder lexical --max-ratio 0.60 --min-retention 0.85 --audit trim.jsonl chat.json
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
	case c.MinRetention != nil && c.Embedder == "":
		return errors.New("--min-retention needs a measure of the meaning: add --embedder lexical or --embedder URL")
	}
	for name, gate := range map[string]*float64{"--max-ratio": c.MaxRatio, "--min-retention": c.MinRetention} {
		if gate != nil && !(*gate >= 0 && *gate <= 1) {
			return fmt.Errorf("%s %v: want a number from 0 to 1", name, *gate)
		}
	}
	return nil
}

// Run trims one conversation.
func (c *trimCmd) Run(p *process, root *cli) error {
	settings, err := p.settings(root, []config.Flag{{Key: "models", Value: c.Models}, {Key: "tokenizers", Value: c.Tokenizers}})
	if err != nil {
		return err
	}
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
	counting, err := p.counting(settings.Settings)
	if err != nil {
		return err
	}
	meter := token.NewMeter(&token.MeterOptions{Options: counting, Counter: options.Counter, CounterFor: token.Tiktoken})
	result, err := c.trim(inputs[0], options, meter)
	if err != nil {
		return trimError(inputs[0].name, err)
	}
	if over := result.Statistics.ExcessTokens; over > 0 {
		p.warn(fmt.Sprintf("%s tokens are over --max %s: the system message and the newest message always stay", grouped(over), grouped(c.Max)))
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
	if err := c.audit(inputs[0].name, result); err != nil {
		return err
	}
	return c.gates(result.Statistics)
}

// trimAudit is a line of the audit log: everything but the messages.
type trimAudit struct {
	Time            time.Time            `json:"time"`
	File            string               `json:"file"`
	MaxTokens       int                  `json:"max_context_tokens"`
	Statistics      trim.Statistics      `json:"statistics"`
	TokenCounter    plimsoll.CounterInfo `json:"token_counter"`
	SemanticOptions map[string]any       `json:"semantic_options"`
}

func (c *trimCmd) audit(name string, r *trim.Result) error {
	if c.Audit == "" {
		return nil
	}
	line, err := json.Marshal(trimAudit{time.Now().UTC(), name, c.Max, r.Statistics, r.TokenCounter, r.SemanticOptions})
	if err != nil {
		return err
	}
	f, err := os.OpenFile(c.Audit, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
	if err == nil {
		_, err = f.Write(append(line, '\n'))
		err = errors.Join(err, f.Close())
	}
	if err != nil {
		return &plimsoll.Error{Op: "write the audit log", Err: err, Hint: "name a file that can be written with --audit"}
	}
	return nil
}

// gates reports the first gate that the result misses.
func (c *trimCmd) gates(s trim.Statistics) error {
	const missed = 7
	switch {
	case c.MaxRatio != nil && s.CompressRatio > *c.MaxRatio:
		return &runError{fmt.Errorf("trim: compress_ratio %.4f is more than --max-ratio %v", s.CompressRatio, *c.MaxRatio), missed}
	case c.MinRetention != nil && *s.SemanticRetention < *c.MinRetention:
		return &runError{fmt.Errorf("trim: semantic_retention %.4f is less than --min-retention %v", *s.SemanticRetention, *c.MinRetention), missed}
	}
	return nil
}

func (c *trimCmd) trim(in input, o *trim.Options, meter *token.Meter) (*trim.Result, error) {
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
	o.Model = cmp.Or(c.Model, parsed.Model, "gpt-4o")
	if o.Counter, err = meter.Counter(o.Model); err != nil {
		return nil, err
	}
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
