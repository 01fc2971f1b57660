package gosdk

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"google.golang.org/genai"
)

// contents is led by Google's genai.
type contents struct {
	client *genai.Client
	config *genai.GenerateContentConfig
	all    []*genai.Content
	calls  []Call
}

const geminiModel = "gemini-2.5-flash"

func newContents(ctx context.Context, url string, client *http.Client) (*contents, error) {
	c, err := genai.NewClient(ctx, &genai.ClientConfig{
		APIKey: Key, Backend: genai.BackendGeminiAPI, HTTPClient: client, HTTPOptions: genai.HTTPOptions{BaseURL: url},
	})
	if err != nil {
		return nil, err
	}
	return &contents{client: c, config: &genai.GenerateContentConfig{Tools: []*genai.Tool{{
		FunctionDeclarations: []*genai.FunctionDeclaration{{Name: toolName, Description: toolWhat, ParametersJsonSchema: toolSchema}},
	}}}}, nil
}

func (c *contents) Say(text string) {
	c.all = append(c.all, genai.NewContentFromText(text, genai.RoleUser))
}

func (c *contents) Answer(results []string) {
	var parts []*genai.Part
	for i, r := range results {
		parts = append(parts, &genai.Part{FunctionResponse: &genai.FunctionResponse{
			ID: c.calls[i].ID, Name: c.calls[i].Name, Response: map[string]any{"output": r},
		}})
	}
	c.all = append(c.all, genai.NewContentFromParts(parts, genai.RoleUser))
}

func (c *contents) Ask(ctx context.Context, stream bool) (Turn, error) {
	parts, usage, err := c.ask(ctx, stream)
	if err != nil {
		return Turn{}, err
	}
	if usage == nil {
		return Turn{}, errors.New("an answer without a bill")
	}
	c.all = append(c.all, genai.NewContentFromParts(parts, genai.RoleModel))
	turn := Turn{Prompt: int64(usage.PromptTokenCount)}
	c.calls = nil
	for _, p := range parts {
		turn.Text += p.Text
		if call := p.FunctionCall; call != nil {
			c.calls = append(c.calls, Call{ID: call.ID, Name: call.Name, Path: fmt.Sprint(call.Args["file_path"])})
		}
	}
	turn.Calls = c.calls
	return turn, nil
}

// ask returns the parts of an answer; texts that came in pieces are one.
func (c *contents) ask(ctx context.Context, stream bool) (parts []*genai.Part, usage *genai.GenerateContentResponseUsageMetadata, err error) {
	if !stream {
		r, err := c.client.Models.GenerateContent(ctx, geminiModel, c.all, c.config)
		if err != nil || len(r.Candidates) != 1 {
			return nil, nil, errors.Join(err)
		}
		return r.Candidates[0].Content.Parts, r.UsageMetadata, nil
	}
	for r, err := range c.client.Models.GenerateContentStream(ctx, geminiModel, c.all, c.config) {
		if err != nil {
			return nil, nil, err
		}
		usage = r.UsageMetadata
		for _, candidate := range r.Candidates {
			if candidate.Content == nil {
				continue
			}
			for _, p := range candidate.Content.Parts {
				if n := len(parts); n > 0 && p.FunctionCall == nil && parts[n-1].FunctionCall == nil {
					parts[n-1].Text += p.Text
				} else if p.FunctionCall != nil || p.Text != "" {
					parts = append(parts, p)
				}
			}
		}
	}
	return parts, usage, nil
}
