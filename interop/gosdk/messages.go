package gosdk

import (
	"context"
	"net/http"

	"github.com/anthropics/anthropic-sdk-go"
	"github.com/anthropics/anthropic-sdk-go/option"
)

// messages is led by anthropic-sdk-go.
type messages struct {
	client anthropic.Client
	params anthropic.MessageNewParams
	calls  []Call
}

func newMessages(url string, client *http.Client) *messages {
	return &messages{
		client: anthropic.NewClient(option.WithBaseURL(url), option.WithAPIKey(Key), option.WithHTTPClient(client), option.WithMaxRetries(0)),
		params: anthropic.MessageNewParams{
			Model: "claude-sonnet-4-5", MaxTokens: 1024,
			Thinking: anthropic.ThinkingConfigParamUnion{OfEnabled: &anthropic.ThinkingConfigEnabledParam{BudgetTokens: 1024}},
			Tools: []anthropic.ToolUnionParam{{OfTool: &anthropic.ToolParam{
				Name: toolName, Description: anthropic.String(toolWhat),
				InputSchema: anthropic.ToolInputSchemaParam{Properties: toolSchema["properties"], Required: []string{"file_path"}},
			}}},
		},
	}
}

func (c *messages) Say(text string) {
	c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(anthropic.NewTextBlock(text)))
}

func (c *messages) Answer(results []string) {
	var blocks []anthropic.ContentBlockParamUnion
	for i, r := range results {
		blocks = append(blocks, anthropic.NewToolResultBlock(c.calls[i].ID, r, false))
	}
	c.params.Messages = append(c.params.Messages, anthropic.NewUserMessage(blocks...))
}

func (c *messages) Ask(ctx context.Context, stream bool) (Turn, error) {
	said, err := c.ask(ctx, stream)
	if err != nil {
		return Turn{}, err
	}
	c.params.Messages = append(c.params.Messages, said.ToParam())
	turn := Turn{Prompt: said.Usage.InputTokens + said.Usage.CacheReadInputTokens + said.Usage.CacheCreationInputTokens}
	c.calls = nil
	for _, block := range said.Content {
		switch block.Type {
		case "text":
			turn.Text += block.Text
		case "tool_use":
			c.calls = append(c.calls, Call{ID: block.ID, Name: block.Name, Path: pathOf(string(block.Input))})
		}
	}
	turn.Calls = c.calls
	return turn, nil
}

func (c *messages) ask(ctx context.Context, stream bool) (*anthropic.Message, error) {
	if !stream {
		return c.client.Messages.New(ctx, c.params)
	}
	whole := &anthropic.Message{}
	s := c.client.Messages.NewStreaming(ctx, c.params)
	defer s.Close()
	for s.Next() {
		if err := whole.Accumulate(s.Current()); err != nil {
			return nil, err
		}
	}
	return whole, s.Err()
}
