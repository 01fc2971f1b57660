package llama

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
)

// Message is one message of Chat Completions.
type Message struct {
	Role    string `json:"role"`
	Content string `json:"content"`
}

// Request is a request of Chat Completions.
type Request struct {
	Model       string          `json:"model"`
	Messages    []Message       `json:"messages"`
	MaxTokens   int             `json:"max_tokens,omitempty"`
	Temperature float64         `json:"temperature"`
	Stop        []string        `json:"stop,omitempty"`
	Stream      bool            `json:"stream,omitempty"`
	Tools       json.RawMessage `json:"tools,omitempty"`
}

// Answer is what came back. Text, Finish and Prompt are empty for streams.
type Answer struct {
	Status int
	Header http.Header
	Body   []byte
	// Text is what the model said, Finish why it stopped, and Prompt and Written are the
	// tokens of the prompt and of the answer, as the server counts.
	Text, Finish    string
	Prompt, Written int
}

// Send sends a request to the server behind a URL and reads the whole answer.
func Send(ctx context.Context, url string, r Request) (Answer, error) {
	resp, err := Open(ctx, url, r)
	if err != nil {
		return Answer{}, err
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	a := Answer{Status: resp.StatusCode, Header: resp.Header, Body: body}
	a.read()
	return a, err
}

// Open sends a request and returns the answer as it begins. The caller closes its body.
func Open(ctx context.Context, url string, r Request) (*http.Response, error) {
	r.Model = Model
	body, err := json.Marshal(r)
	if err != nil {
		return nil, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, url+"/v1/chat/completions", bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	req.Header.Set("Content-Type", "application/json")
	return http.DefaultClient.Do(req)
}

// Read reads what a server answered, such as a tap has kept.
func Read(status int, body []byte) Answer {
	a := Answer{Status: status, Body: body}
	a.read()
	return a
}

func (a *Answer) read() {
	var said struct {
		Choices []struct {
			Message Message `json:"message"`
			Finish  string  `json:"finish_reason"`
		} `json:"choices"`
		Usage struct {
			Prompt  int `json:"prompt_tokens"`
			Written int `json:"completion_tokens"`
		} `json:"usage"`
	}
	if json.Unmarshal(a.Body, &said) != nil || len(said.Choices) == 0 {
		return
	}
	a.Text, a.Finish = said.Choices[0].Message.Content, said.Choices[0].Finish
	a.Prompt, a.Written = said.Usage.Prompt, said.Usage.Written
}
