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

func (e sessionEntry) read(messages *[]plimsoll.Message) (string, error) {
	if e.Type != "message" || len(e.Message) == 0 {
		return "session event", nil
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
	*messages = append(*messages, plimsoll.NewMessage(role, parts...))
	return "session message", nil
}
