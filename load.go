package plimsoll

import "encoding/json"

// Counter turns text into a number of tokens.
type Counter interface {
	// Count returns the tokens of the text, without any framing.
	Count(text string) int
	// Info says how it counts.
	Info() CounterInfo
}

// CounterInfo says how a counter counts, for audit logs and for people who must
// know whether a number is a fact or an estimate.
type CounterInfo struct {
	// Model the counter was chosen for, with aliases resolved.
	Model string
	// Encoding is the vocabulary's name; empty when the counter estimates.
	Encoding string
	// Exact says that the counts are the provider's own. A public vocabulary is
	// exact for text; an estimator never is.
	Exact bool
	// Strategy is the counter's name: "tiktoken", "heuristic", "gemini", ….
	Strategy string
}

// MarshalJSON writes model, encoding (null when estimated), uses_tiktoken and
// strategy, the form that audit logs expect.
func (i CounterInfo) MarshalJSON() ([]byte, error) {
	var encoding *string
	if i.Encoding != "" {
		encoding = &i.Encoding
	}
	return json.Marshal(struct {
		Model        string  `json:"model"`
		Encoding     *string `json:"encoding"`
		UsesTiktoken bool    `json:"uses_tiktoken"`
		Strategy     string  `json:"strategy"`
	}{i.Model, encoding, i.Strategy == StrategyTiktoken, i.Strategy})
}

// Strategies that audit logs name.
const (
	// StrategyTiktoken: a vocabulary of OpenAI's.
	StrategyTiktoken = "tiktoken"
	// StrategyHeuristic: characters / 4 + 1.
	StrategyHeuristic = "heuristic"
)

// Meter weighs conversations. Equal input gives equal loads.
type Meter interface {
	// Weigh returns the load of the whole conversation.
	Weigh(Conversation) Load
	// WeighMessage returns the load of one message in a conversation of the
	// given dialect and model. Siblings is what [Outline] says of the message:
	// results of parallel calls are framed otherwise than single ones. The sum
	// over all messages plus System, Tools and Framing is the load's total.
	WeighMessage(c Conversation, m Message, siblings int) MessageLoad
	// WeighSystem and WeighTool do the same for one more part of the system
	// instructions and for one more tool.
	WeighSystem(Conversation, Part) int
	WeighTool(Conversation, Tool) int
}

// Load says what a conversation weighs in tokens. Loads may share their messages, so
// callers must not change those.
type Load struct {
	// Total = System + Tools + Framing + the messages.
	Total int `json:"total"`
	// Exact says that every figure comes from the provider's own vocabulary.
	Exact bool `json:"exact"`
	// Band is the expected error of Total in tokens, either way; 0 when exact.
	Band int `json:"band"`
	// System is the weight of the instructions outside the messages.
	System int `json:"system"`
	// Tools is the weight of the tool declarations.
	Tools int `json:"tools"`
	// Framing is what the provider adds once per request: the priming of the
	// reply, and hidden tokens that a bill showed.
	Framing int `json:"framing"`
	// Hidden is the share of Framing by which the last bill of the conversation differs
	// from the weight of its prompt; 0 if none was observed.
	Hidden int `json:"-"`
	// Messages, in order.
	Messages []MessageLoad `json:"messages"`
}

// MessageLoad is the weight of one message.
type MessageLoad struct {
	// Tokens = Framing + the parts.
	Tokens int `json:"tokens"`
	// Framing is what the dialect adds around the message.
	Framing int `json:"framing"`
	// Parts, in order.
	Parts []int `json:"parts"`
	// Band is how far Tokens may be off because of formulas, either way: for media and
	// declarations, which no counter counts.
	Band int `json:"-"`
}

// Line is where a conversation must be: a window with a part of it kept free. It means
// the same if a user names the window, by a flag, a variable, a header or a setting, and if
// the registry of models does.
type Line struct {
	// Window is in tokens, for prompt and answer together. With a reserve of 0 the prompt
	// alone may fill it.
	Window int `json:"window"`
	// Reserve is what is kept free of it for the answer. A reserve that is set holds in
	// every window, and 0 is a value. If none is set, it follows from preset and request.
	Reserve int `json:"reserve"`
	// Input is the most that a prompt may weigh whatever the answer is; 0 means
	// the window.
	Input int `json:"input,omitempty"`
	// Estimated says that the window is in tokens of the preset's own estimate, so that no
	// better count is held against it.
	Estimated bool `json:"-"`
	// Named says that a user named the window, so that nothing else is asked for it.
	Named bool `json:"-"`
}

// Limit returns the most that a load may weigh; never less than zero.
func (l Line) Limit() int {
	limit := l.Window - l.Reserve
	if l.Input > 0 {
		limit = min(limit, l.Input)
	}
	return max(0, limit)
}

// Freeboard returns how many tokens are left under the line; negative when the
// load exceeds it.
func (l Load) Freeboard(line Line) int { return line.Limit() - l.Total }

// Exceeds reports whether the load is over the line.
func (l Load) Exceeds(line Line) bool { return l.Freeboard(line) < 0 }
