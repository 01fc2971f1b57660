// Package plain is a client without a library and without an agent around it: it keeps
// a history, reads the files that the model asks for, and sends everything again. It
// does the job of package job in some hundredths of a second, with a prompt of any
// size, so that many jobs can be tried where agents can do few.
package plain

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// Options configure a [Client].
type Options struct {
	// Base is about how many tokens the instructions have.
	Base int
	// MaxOutput is how many tokens an answer may have, as the client asks for; 0 means
	// that it does not, where the API lets it.
	MaxOutput int
}

// Client leads one conversation. It is not safe for concurrent use.
type Client struct {
	dialect plimsoll.Dialect
	url     string
	http    *http.Client
	options Options
	system  string
	history []plimsoll.Message
}

// New returns a client that speaks a dialect with the model behind a URL.
func New(d plimsoll.Dialect, url string, client *http.Client, o Options) *Client {
	return &Client{dialect: d, url: url, http: client, options: o, system: instructions(o.Base)}
}

// models are what is asked for in each dialect.
var models = map[plimsoll.Dialect]string{
	plimsoll.OpenAI: "gpt-4.1", plimsoll.Responses: "gpt-5.1-codex", plimsoll.Anthropic: "claude-sonnet-4-5", plimsoll.Gemini: "gemini-2.5-flash",
}

var readFile = plimsoll.Tool{
	Name: "read_file", Description: "Reads a file.",
	Schema: `{"type":"object","properties":{"file_path":{"type":"string"}},"required":["file_path"]}`,
}

// instructions are a text of about so many tokens.
func instructions(tokens int) string {
	var b strings.Builder
	b.WriteString("You read files.\n")
	for i := range tokens / 12 {
		fmt.Fprintf(&b, "Rule %d: write down what you see in the harbour.\n", i)
	}
	return b.String()
}

// Work asks, reads what the model wants to have read, and goes on until the model is
// done. It returns what the model said last.
func (c *Client) Work(ctx context.Context, prompt string) (string, error) {
	c.history = append(c.history, plimsoll.Say(plimsoll.User, prompt))
	for {
		said, err := c.ask(ctx)
		if err != nil {
			return "", err
		}
		c.history = append(c.history, said)
		results, err := read(said)
		if err != nil || len(results) == 0 {
			return said.Text(), err
		}
		c.answer(results)
	}
}

// read does what the calls of a message ask for.
func read(m plimsoll.Message) ([]plimsoll.Part, error) {
	var results []plimsoll.Part
	for _, p := range m.Parts.All() {
		call, ok := p.(plimsoll.ToolCall)
		if !ok {
			continue
		}
		var arguments struct {
			Path string `json:"file_path"`
		}
		if err := json.Unmarshal([]byte(call.Arguments), &arguments); err != nil || call.Name != readFile.Name {
			return nil, fmt.Errorf("call %s(%s): %w", call.Name, call.Arguments, err)
		}
		text, err := os.ReadFile(arguments.Path)
		if err != nil {
			return nil, err
		}
		results = append(results, plimsoll.ToolResult{CallID: call.ID, Name: call.Name, Content: wiretest.TextOf(string(text))})
	}
	return results, nil
}

// answer puts results into the history, as each API wants them.
func (c *Client) answer(results []plimsoll.Part) {
	if c.dialect == plimsoll.Anthropic || c.dialect == plimsoll.Gemini {
		c.history = append(c.history, plimsoll.NewMessage(plimsoll.User, results...))
		return
	}
	for _, r := range results {
		c.history = append(c.history, plimsoll.NewMessage(plimsoll.ToolRole, r))
	}
}

// ask sends the history and returns what the model says.
func (c *Client) ask(ctx context.Context) (plimsoll.Message, error) {
	body, err := c.body()
	if err != nil {
		return plimsoll.Message{}, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, c.url+c.path(), bytes.NewReader(body))
	if err != nil {
		return plimsoll.Message{}, err
	}
	req.Header.Set("Authorization", "Bearer sk-interop-plain-0000000000")
	req.Header.Set("Content-Type", "application/json")
	resp, err := c.http.Do(req)
	if err != nil {
		return plimsoll.Message{}, err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		return plimsoll.Message{}, err
	}
	if resp.StatusCode != http.StatusOK {
		return plimsoll.Message{}, fmt.Errorf("status %d: %.300s", resp.StatusCode, text)
	}
	said, err := dialects.Codec(c.dialect).ReadResponse(text)
	return said.Message, err
}

func (c *Client) body() ([]byte, error) {
	body, err := wiretest.Rewrite(dialects.Codec(c.dialect), plimsoll.Conversation{
		Dialect: c.dialect, Model: models[c.dialect], Messages: plimsoll.ListOf(c.history...), Tools: plimsoll.ListOf(readFile),
		System: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: c.system}),
	})
	if err != nil {
		return nil, err
	}
	return append([]byte(c.opening()), bytes.TrimPrefix(body, []byte("{"))...), nil
}

// opening is how requests begin.
func (c *Client) opening() string {
	limit := c.options.MaxOutput
	switch {
	case c.dialect == plimsoll.Gemini && limit > 0:
		return fmt.Sprintf(`{"generationConfig":{"maxOutputTokens":%d},`, limit)
	case c.dialect == plimsoll.Gemini:
		return "{"
	case c.dialect == plimsoll.Anthropic:
		return fmt.Sprintf(`{"model":%q,"max_tokens":%d,`, models[c.dialect], max(1000, limit))
	case limit == 0:
		return fmt.Sprintf(`{"model":%q,`, models[c.dialect])
	case c.dialect == plimsoll.Responses:
		return fmt.Sprintf(`{"model":%q,"max_output_tokens":%d,`, models[c.dialect], limit)
	}
	return fmt.Sprintf(`{"model":%q,"max_tokens":%d,`, models[c.dialect], limit)
}

func (c *Client) path() string {
	switch c.dialect {
	case plimsoll.OpenAI:
		return "/v1/chat/completions"
	case plimsoll.Responses:
		return "/v1/responses"
	case plimsoll.Anthropic:
		return "/v1/messages"
	}
	return "/v1beta/models/" + models[c.dialect] + ":generateContent"
}
