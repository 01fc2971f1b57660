package summary

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bpe"
)

// count is the counter of the tests.
func count(text string) int { return bpe.CL100K().Count(text) }

func toolCall(name, arguments string) plimsoll.ToolCall {
	return plimsoll.ToolCall{ID: "c", Name: name, Arguments: arguments}
}

// history builds a conversation.
type history struct {
	messages []plimsoll.Message
	calls    int
}

func (h *history) user(text string) *history {
	h.messages = append(h.messages, plimsoll.Say(plimsoll.User, text))
	return h
}

func (h *history) agent(text string) *history {
	h.messages = append(h.messages, plimsoll.Say(plimsoll.Assistant, text))
	return h
}

// call adds a tool call with its result.
func (h *history) call(tool string, args map[string]any, result string, failed bool) *history {
	arguments, err := json.Marshal(args)
	if err != nil {
		panic(err)
	}
	h.calls++
	id := fmt.Sprintf("call_%d", h.calls)
	h.messages = append(h.messages,
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: tool, Arguments: string(arguments)}),
		plimsoll.NewMessage(plimsoll.User, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: result}), IsError: failed}))
	return h
}

func (h *history) read(path, content string) *history {
	return h.call("Read", map[string]any{"file_path": path}, content, false)
}

func (h *history) edit(path, replaced, by string) *history {
	return h.call("Edit", map[string]any{"file_path": path, "old_string": replaced, "new_string": by}, "ok", false)
}

func (h *history) bash(command, output string, failed bool) *history {
	return h.call("Bash", map[string]any{"command": command}, output, failed)
}

func (h *history) conversation() plimsoll.Conversation {
	return plimsoll.Conversation{Dialect: plimsoll.Anthropic, Messages: plimsoll.ListOf(h.messages...)}
}

func (h *history) all() plimsoll.Span { return plimsoll.Span{End: len(h.messages)} }

// request asks for a summary of all of the history.
func (h *history) request(f Format, budget int) *Request {
	return &Request{Conversation: h.conversation(), Old: h.all(), Format: f, Budget: budget, Count: count}
}

func extracted(t *testing.T, r *Request) Summary {
	t.Helper()
	s, err := Extract{}.Summarize(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}
