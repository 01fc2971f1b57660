package transcript

import (
	"encoding/json"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// sessionEntry is a line of a session file that an agent keeps: messages among
// other events, which are passed over.
type sessionEntry struct {
	Type    string          `json:"type"`
	Message json.RawMessage `json:"message"`
}

// read adds the entry's message, if it has one. Entries of type "message" are
// messages for certain; in other sessions the type is the speaker's, and every
// entry whose message has a role is one.
func (e sessionEntry) read(l *lines) (string, error) {
	isMessage := e.Type == "message" && len(e.Message) > 0
	if !isMessage && !hasRole(e.Message) {
		return "session event", nil
	}
	if !isMessage {
		l.speaker(e.Message)
	}
	var m struct {
		wireMessage
		ToolCallID string `json:"toolCallId"`
		ToolName   string `json:"toolName"`
		IsError    bool   `json:"isError"`
	}
	if err := json.Unmarshal(e.Message, &m); err != nil {
		return "", jsonError(err)
	}
	parts, err := contentParts(m.Content)
	if err != nil {
		return "", err
	}
	if m.Role == "" {
		return "", fmt.Errorf("%w: role is missing", plimsoll.ErrInvalid)
	}
	role := plimsoll.Role(m.Role)
	if m.Role == "toolResult" {
		role = plimsoll.ToolRole
		parts = []plimsoll.Part{plimsoll.ToolResult{
			CallID: m.ToolCallID, Name: m.ToolName, Content: plimsoll.ListOf(parts...), IsError: m.IsError,
		}}
	}
	l.messages = append(l.messages, plimsoll.NewMessage(role, parts...))
	return "session message", nil
}

// speaker notes the model of a session whose entries are Anthropic's messages.
// The last one is what the session would go on with; names in angle brackets
// stand for messages that no model wrote.
func (l *lines) speaker(message json.RawMessage) {
	var m struct {
		Model string `json:"model"`
	}
	l.dialect = plimsoll.Anthropic
	if json.Unmarshal(message, &m) == nil && m.Model != "" && m.Model[0] != '<' {
		l.model = m.Model
	}
}
