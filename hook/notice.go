package hook

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
)

// notice is what a hook is sent.
type notice struct {
	// Event is "PreCompress" or "PostCompress".
	Event        string           `json:"event"`
	Trigger      fit.Trigger      `json:"trigger"`
	Model        string           `json:"model"`
	Dialect      plimsoll.Dialect `json:"dialect"`
	TokensBefore int              `json:"tokens_before"`
	Limit        int              `json:"limit"`
	Messages     int              `json:"messages"`
	OldMessages  int              `json:"old_messages"`

	*outcome
	Content []message `json:"content,omitempty"`
}

// outcome is what is known afterwards.
type outcome struct {
	Status      fit.CompressionStatus `json:"status"`
	TokensAfter int                   `json:"tokens_after"`
	DurationMS  int64                 `json:"duration_ms"`
	// Ref is where the old messages can be read; empty if nowhere.
	Ref string `json:"ref,omitempty"`
}

// message is what was said in one message. Reasoning and pictures are left out.
type message struct {
	Role plimsoll.Role `json:"role"`
	// Old says that it would be replaced.
	Old     bool     `json:"old"`
	Text    string   `json:"text,omitempty"`
	Calls   []call   `json:"tool_calls,omitempty"`
	Results []result `json:"tool_results,omitempty"`
}

type call struct {
	ID        string `json:"id,omitempty"`
	Name      string `json:"name"`
	Arguments string `json:"arguments"`
}

type result struct {
	CallID string `json:"call_id,omitempty"`
	Name   string `json:"name,omitempty"`
	Text   string `json:"text"`
	Error  bool   `json:"error,omitempty"`
}

func before(p fit.PreCompress, content bool) notice {
	n := notice{
		Event: "PreCompress", Trigger: p.Trigger, Model: p.Conversation.Model, Dialect: p.Conversation.Dialect,
		TokensBefore: p.Before, Limit: p.Line.Limit(), Messages: p.Conversation.Messages.Len(), OldMessages: p.Old.Len(),
	}
	if content {
		for i, m := range p.Conversation.Messages.All() {
			n.Content = append(n.Content, said(m, p.Old.Contains(i)))
		}
	}
	return n
}

func after(c fit.ChatCompressed) notice {
	n := notice{
		Event: "PostCompress", Trigger: c.Trigger, Model: c.Model, Dialect: c.Dialect,
		TokensBefore: c.Before, Limit: c.Line.Limit(), Messages: c.Messages, OldMessages: c.Old.Len(),
		outcome: &outcome{Status: c.Status, TokensAfter: c.After, DurationMS: c.Duration.Milliseconds()},
	}
	if c.Ref != nil {
		n.Ref = c.Ref.ID
	}
	return n
}

func said(m plimsoll.Message, old bool) message {
	s := message{Role: m.Role, Old: old, Text: m.Text()}
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.ToolCall:
			s.Calls = append(s.Calls, call{p.ID, p.Name, p.Arguments})
		case plimsoll.ToolResult:
			s.Results = append(s.Results, result{p.CallID, p.Name, plimsoll.TextOf(p.Content), p.IsError})
		}
	}
	return s
}
