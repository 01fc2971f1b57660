package gosdk

import (
	"context"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/option"
	"github.com/openai/openai-go/v3/shared"
)

// chat is led by openai-go over Chat Completions.
type chat struct {
	client openai.Client
	params openai.ChatCompletionNewParams
	calls  []Call
}

func newOpenAI(url string, client *http.Client) openai.Client {
	return openai.NewClient(option.WithBaseURL(url+"/v1"), option.WithAPIKey(Key), option.WithHTTPClient(client), option.WithMaxRetries(0))
}

func newChat(url string, client *http.Client) *chat {
	return &chat{client: newOpenAI(url, client), params: openai.ChatCompletionNewParams{
		Model: "gpt-4.1",
		Tools: []openai.ChatCompletionToolUnionParam{openai.ChatCompletionFunctionTool(shared.FunctionDefinitionParam{
			Name: toolName, Description: openai.String(toolWhat), Parameters: toolSchema,
		})},
		StreamOptions: openai.ChatCompletionStreamOptionsParam{},
	}}
}

func (c *chat) Say(text string) {
	c.params.Messages = append(c.params.Messages, openai.UserMessage(text))
}

func (c *chat) Answer(results []string) {
	for i, r := range results {
		c.params.Messages = append(c.params.Messages, openai.ToolMessage(r, c.calls[i].ID))
	}
}

func (c *chat) Ask(ctx context.Context, stream bool) (Turn, error) {
	said, err := c.ask(ctx, stream)
	if err != nil {
		return Turn{}, err
	}
	if len(said.Choices) != 1 {
		return Turn{}, errors.New("an answer without a choice")
	}
	message := said.Choices[0].Message
	c.params.Messages = append(c.params.Messages, message.ToParam())
	c.calls = nil
	for _, call := range message.ToolCalls {
		c.calls = append(c.calls, Call{ID: call.ID, Name: call.Function.Name, Path: pathOf(call.Function.Arguments)})
	}
	return Turn{Text: message.Content, Calls: c.calls, Prompt: said.Usage.PromptTokens}, nil
}

func (c *chat) ask(ctx context.Context, stream bool) (*openai.ChatCompletion, error) {
	if !stream {
		return c.client.Chat.Completions.New(ctx, c.params)
	}
	params := c.params
	params.StreamOptions.IncludeUsage = openai.Bool(true)
	var whole openai.ChatCompletionAccumulator
	s := c.client.Chat.Completions.NewStreaming(ctx, params)
	defer s.Close()
	for s.Next() {
		if !whole.AddChunk(s.Current()) {
			return nil, errors.New("a chunk that belongs to another answer")
		}
	}
	return &whole.ChatCompletion, s.Err()
}
