package openai_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/openai"
)

// typedRequest is what a proxy without a splice unmarshals into.
type typedRequest struct {
	Model    string         `json:"model"`
	Messages []typedMessage `json:"messages"`
	Tools    []any          `json:"tools,omitempty"`
}

type typedMessage struct {
	Role       string      `json:"role"`
	Content    any         `json:"content"`
	ToolCallID string      `json:"tool_call_id,omitempty"`
	ToolCalls  []typedCall `json:"tool_calls,omitempty"`
}

type typedCall struct {
	ID       string `json:"id"`
	Type     string `json:"type"`
	Function struct {
		Name      string `json:"name"`
		Arguments string `json:"arguments"`
	} `json:"function"`
}

// agentBody is a Chat Completions body of about size bytes with the given number
// of messages: file listings and source with quotes, tabs and newlines.
func agentBody(size, messages int) []byte {
	line := "\tif err := check(\"line\", i); err != nil { return fmt.Errorf(\"check %d: %w\", i, err) }\n"
	result := strings.Repeat(line, 1+size/(messages/2)/(len(line)+6))
	var all []wiretest.Raw
	for i := range messages / 2 {
		id := fmt.Sprintf("call_%d", i)
		all = append(all,
			wiretest.Raw(fmt.Sprintf(`{"role":"assistant","content":null,"tool_calls":[{"id":%q,"type":"function","function":{"name":"read","arguments":"{\"path\":\"file_%d.go\"}"}}]}`, id, i)),
			wiretest.Raw(fmt.Sprintf(`{"role":"tool","tool_call_id":%q,"content":%s}`, id, wiretest.String(result))))
	}
	return object(member("model", text("gpt-4o")), member("messages", wiretest.Array(all...)))
}

func BenchmarkUnedited(b *testing.B) {
	wiretest.Unedited(b, openai.Codec{}, agentBody, func() any { return &typedRequest{} })
}

func BenchmarkWarm(b *testing.B) { wiretest.Warm(b, openai.Codec{}, agentBody) }
