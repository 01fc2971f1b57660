package report

import (
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
)

// Count is what is said of the weight of one conversation or text.
type Count struct {
	// File it was read from; empty where there is none.
	File string `json:"file,omitempty"`
	// Conversation numbers the conversations of a file that has several, from 1.
	Conversation int    `json:"conversation,omitempty"`
	Format       string `json:"format"`
	// Model with aliases resolved; Requested as it was named, if otherwise.
	Model     string `json:"model"`
	Requested string `json:"requested,omitempty"`
	// ModelFrom says who named the model: the words of [Words], or "default".
	ModelFrom string `json:"model_from"`
	// Encoding is null when the count is an estimate.
	Encoding     *string `json:"encoding"`
	UsesTiktoken bool    `json:"uses_tiktoken"`
	Strategy     string  `json:"strategy"`
	Exact        bool    `json:"exact"`
	Total        int     `json:"total"`
	// Band is the expected error of Total, either way.
	Band int `json:"band"`
	// Limit is what Total is compared with; LimitFrom says where it is from.
	Limit     int    `json:"limit"`
	LimitFrom string `json:"limit_from"`
	// Window is what prompt and answer may have together; 0 when unknown.
	Window    int  `json:"window"`
	Freeboard int  `json:"freeboard"`
	Over      bool `json:"over"`
	System    int  `json:"system"`
	Tools     int  `json:"tools"`
	// Framing is what the request as a whole has around its messages.
	Framing  int       `json:"framing"`
	Messages []Message `json:"messages"`
	// Space says what takes the space, largest first; its sum is Total.
	Space []Share `json:"space,omitempty"`

	// ToolCount is how many tools are declared.
	ToolCount int `json:"-"`
	// Dialect of the request; empty for text.
	Dialect plimsoll.Dialect `json:"-"`
	// ModelFree says that an encoding was named and no model was: the model is
	// there for its limit only.
	ModelFree bool `json:"-"`
}

// Message is what one message weighs.
type Message struct {
	Index int    `json:"index"`
	Role  string `json:"role"`
	// What the message holds, for people.
	What   string `json:"what"`
	Tokens int    `json:"tokens"`
}

// Share is what one kind of content weighs.
type Share struct {
	Kind   Kind `json:"kind"`
	Tokens int  `json:"tokens"`
}

// Kind groups content by who put it there.
type Kind string

// The kinds, in the order that breaks ties.
const (
	System    Kind = "system"
	Tools     Kind = "tools"
	User      Kind = "user"
	Assistant Kind = "assistant"
	Calls     Kind = "tool_calls"
	Results   Kind = "tool_results"
	Reasoning Kind = "reasoning"
	Media     Kind = "media"
	Other     Kind = "other"
	Framing   Kind = "framing"
)

// String is the kind for people.
func (k Kind) String() string { return strings.ReplaceAll(string(k), "_", " ") }

// describe adds the messages and what takes the space.
func (r *Count) describe(c plimsoll.Conversation, load plimsoll.Load) {
	r.ToolCount = c.Tools.Len()
	space := map[Kind]int{System: load.System, Tools: load.Tools, Framing: load.Framing}
	names := CallNames(c)
	for i, m := range c.Messages.All() {
		weight := load.Messages[i]
		r.Messages = append(r.Messages, Message{
			Index: i, Role: string(m.Role), What: What(m, names), Tokens: weight.Tokens,
		})
		space[Framing] += weight.Framing
		for j, p := range m.Parts.All() {
			space[kindOf(m.Role, p)] += weight.Parts[j]
		}
	}
	r.Space = shares(space)
}

func shares(space map[Kind]int) []Share {
	var out []Share
	for _, k := range []Kind{
		System, Tools, User, Assistant, Calls,
		Results, Reasoning, Media, Other, Framing,
	} {
		if space[k] > 0 {
			out = append(out, Share{k, space[k]})
		}
	}
	slices.SortStableFunc(out, func(a, b Share) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return out
}

func kindOf(role plimsoll.Role, p plimsoll.Part) Kind {
	switch p.(type) {
	case plimsoll.ToolCall:
		return Calls
	case plimsoll.ToolResult:
		return Results
	case plimsoll.Reasoning:
		return Reasoning
	case plimsoll.Media:
		return Media
	case plimsoll.Opaque:
		return Other
	}
	switch {
	case role.Instructs():
		return System
	case role == plimsoll.Assistant:
		return Assistant
	case role == plimsoll.ToolRole:
		return Results
	case role == plimsoll.User:
		return User
	}
	return Other
}

// CallNames finds the tool behind the id of a call; results often have the id
// only.
func CallNames(c plimsoll.Conversation) map[string]string {
	names := map[string]string{}
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			if call, ok := p.(plimsoll.ToolCall); ok {
				names[call.ID] = call.Name
			}
		}
	}
	return names
}

// What names the parts of a message, equal ones in a row once.
func What(m plimsoll.Message, names map[string]string) string {
	var words []string
	for _, p := range m.Parts.All() {
		word := partName(p, names)
		if n := len(words); n == 0 || words[n-1] != word {
			words = append(words, word)
		}
	}
	if len(words) == 0 {
		return "empty"
	}
	return strings.Join(words, ", ")
}

func partName(p plimsoll.Part, names map[string]string) string {
	switch p := p.(type) {
	case plimsoll.ToolCall:
		return "call " + p.Name
	case plimsoll.ToolResult:
		return strings.TrimSpace("result " + cmp.Or(p.Name, names[p.CallID]))
	case plimsoll.Reasoning:
		return "reasoning"
	case plimsoll.Media:
		return string(p.Kind)
	case plimsoll.Opaque:
		return cmp.Or(p.Kind, "unknown content")
	}
	return "text"
}
