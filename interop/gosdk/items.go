package gosdk

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"

	"github.com/openai/openai-go/v3"
	"github.com/openai/openai-go/v3/packages/param"
	"github.com/openai/openai-go/v3/responses"
)

// items is led by openai-go over the Responses API, with the history in the request.
type items struct {
	client openai.Client
	params responses.ResponseNewParams
	calls  []Call
}

func newItems(url string, client *http.Client) *items {
	return &items{client: newOpenAI(url, client), params: responses.ResponseNewParams{
		Model: "gpt-5", Store: openai.Bool(false),
		Tools: []responses.ToolUnionParam{{OfFunction: &responses.FunctionToolParam{
			Name: toolName, Description: openai.String(toolWhat), Parameters: toolSchema, Strict: openai.Bool(false),
		}}},
	}}
}

func (c *items) add(item responses.ResponseInputItemUnionParam) {
	c.params.Input.OfInputItemList = append(c.params.Input.OfInputItemList, item)
}

func (c *items) Say(text string) {
	c.add(responses.ResponseInputItemParamOfMessage(text, responses.EasyInputMessageRoleUser))
}

func (c *items) Answer(results []string) {
	for i, r := range results {
		item := responses.ResponseInputItemParamOfFunctionCallOutput(r)
		item.OfFunctionCallOutput.CallID = openai.String(c.calls[i].ID)
		c.add(item)
	}
}

func (c *items) Ask(ctx context.Context, stream bool) (Turn, error) {
	said, err := c.ask(ctx, stream)
	if err != nil {
		return Turn{}, err
	}
	c.calls = nil
	for _, item := range said.Output {
		c.add(param.Override[responses.ResponseInputItemUnionParam](json.RawMessage(item.RawJSON())))
		if item.Type == "function_call" {
			call := item.AsFunctionCall()
			c.calls = append(c.calls, Call{ID: call.CallID, Name: call.Name, Path: pathOf(call.Arguments)})
		}
	}
	return Turn{Text: said.OutputText(), Calls: c.calls, Prompt: said.Usage.InputTokens}, nil
}

func (c *items) ask(ctx context.Context, stream bool) (*responses.Response, error) {
	if !stream {
		return c.client.Responses.New(ctx, c.params)
	}
	s := c.client.Responses.NewStreaming(ctx, c.params)
	defer s.Close()
	var whole *responses.Response
	for s.Next() {
		switch e := s.Current(); e.Type {
		case "response.completed":
			r := e.Response
			whole = &r
		case "response.failed", "error":
			return nil, errors.New(e.RawJSON())
		}
	}
	if err := s.Err(); err != nil {
		return nil, err
	}
	if whole == nil {
		return nil, errors.New("a stream without an end")
	}
	return whole, nil
}
