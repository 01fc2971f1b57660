// Package gosdk leads conversations with the providers' own libraries for Go, all in
// the same way, so that one test can be run with each of them.
package gosdk

import (
	"context"
	"encoding/json"
	"net/http"

	"github.com/plimsoll/plimsoll"
)

// Session is a conversation. It is not safe for concurrent use.
type Session interface {
	// Say adds what the user says.
	Say(text string)
	// Answer adds the results of the calls of the last turn, in their order.
	Answer(results []string)
	// Ask sends the conversation, and adds what the model says to it.
	Ask(ctx context.Context, stream bool) (Turn, error)
}

// Turn is what the model says.
type Turn struct {
	Text  string
	Calls []Call
	// Prompt is how many tokens were billed for what was sent.
	Prompt int64
}

// Call of a tool.
type Call struct {
	ID, Name string
	// Path is the one argument that the tools here have.
	Path string
}

// The one tool that is offered, and what it wants.
const (
	toolName = "read_file"
	toolWhat = "Reads a file."
)

var toolSchema = map[string]any{
	"type":       "object",
	"properties": map[string]any{"file_path": map[string]any{"type": "string"}},
	"required":   []string{"file_path"},
}

// Key is the credential that is sent.
const Key = "sk-interop-go-00000000000000"

// New begins a conversation in a dialect with the model behind a URL.
func New(ctx context.Context, d plimsoll.Dialect, url string, client *http.Client) (Session, error) {
	switch d {
	case plimsoll.OpenAI:
		return newChat(url, client), nil
	case plimsoll.Responses:
		return newItems(url, client), nil
	case plimsoll.Anthropic:
		return newMessages(url, client), nil
	}
	return newContents(ctx, url, client)
}

// pathOf reads the argument of a call.
func pathOf(arguments string) string {
	var a struct {
		Path string `json:"file_path"`
	}
	if json.Unmarshal([]byte(arguments), &a) != nil {
		return ""
	}
	return a.Path
}
