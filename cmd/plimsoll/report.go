package main

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
)

// report is what count says of one conversation or text, on paper and as JSON.
type report struct {
	File string `json:"file"`
	// Conversation numbers the conversations of a file that has several, from 1.
	Conversation int    `json:"conversation,omitempty"`
	Format       string `json:"format"`
	// Model with aliases resolved; Requested as it was named, if otherwise.
	Model     string `json:"model"`
	Requested string `json:"requested,omitempty"`
	// ModelFrom says who named the model: "flag", "file" or "default".
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
	Framing  int             `json:"framing"`
	Messages []messageReport `json:"messages"`
	// Space says what takes the space, largest first; its sum is Total.
	Space []share `json:"space,omitempty"`

	toolCount int
	// dialect of the request; empty for text.
	dialect plimsoll.Dialect
	// modelFree says that an encoding was named and no model was: the model is
	// there for its limit only.
	modelFree bool
}

type messageReport struct {
	Index int    `json:"index"`
	Role  string `json:"role"`
	// What the message holds, for people.
	What   string `json:"what"`
	Tokens int    `json:"tokens"`
}

// share is what one kind of content weighs.
type share struct {
	Kind   kind `json:"kind"`
	Tokens int  `json:"tokens"`
}

// kind groups content by who put it there.
type kind string

// The kinds, in the order that breaks ties.
const (
	kindSystem    kind = "system"
	kindTools     kind = "tools"
	kindUser      kind = "user"
	kindAssistant kind = "assistant"
	kindCalls     kind = "tool_calls"
	kindResults   kind = "tool_results"
	kindReasoning kind = "reasoning"
	kindMedia     kind = "media"
	kindOther     kind = "other"
	kindFraming   kind = "framing"
)

// String is the kind for people.
func (k kind) String() string { return strings.ReplaceAll(string(k), "_", " ") }

// report begins a report with what is known before the content is looked at.
func (q question) report(load plimsoll.Load) report {
	r := report{
		Model: q.name, ModelFrom: q.from,
		UsesTiktoken: q.info.Strategy == plimsoll.StrategyTiktoken,
		Strategy:     q.info.Strategy,
		Exact:        load.Exact, Total: load.Total, Band: load.Band,
		Limit: q.limit.Tokens, LimitFrom: string(q.limit.Source), Window: q.known.Window,
		Freeboard: q.limit.Tokens - load.Total, Over: q.limit.Exceeds(load.Total),
		System: load.System, Tools: load.Tools, Framing: load.Framing,
		Messages:  []messageReport{},
		dialect:   q.dialect,
		modelFree: q.named && q.from == "default",
	}
	if q.known.ID != "" && q.known.ID != q.name {
		r.Model, r.Requested = q.known.ID, q.name
	}
	if q.info.Encoding != "" {
		r.Encoding = &q.info.Encoding
	}
	return r
}

// describe adds the messages and what takes the space.
func (r *report) describe(c plimsoll.Conversation, load plimsoll.Load) {
	r.toolCount = c.Tools.Len()
	space := map[kind]int{kindSystem: load.System, kindTools: load.Tools, kindFraming: load.Framing}
	names := callNames(c)
	for i, m := range c.Messages.All() {
		weight := load.Messages[i]
		r.Messages = append(r.Messages, messageReport{
			Index: i, Role: string(m.Role), What: whatIs(m, names), Tokens: weight.Tokens,
		})
		space[kindFraming] += weight.Framing
		for j, p := range m.Parts.All() {
			space[kindOf(m.Role, p)] += weight.Parts[j]
		}
	}
	r.Space = shares(space)
}

func shares(space map[kind]int) []share {
	var out []share
	for _, k := range []kind{
		kindSystem, kindTools, kindUser, kindAssistant, kindCalls,
		kindResults, kindReasoning, kindMedia, kindOther, kindFraming,
	} {
		if space[k] > 0 {
			out = append(out, share{k, space[k]})
		}
	}
	slices.SortStableFunc(out, func(a, b share) int { return cmp.Compare(b.Tokens, a.Tokens) })
	return out
}

func kindOf(role plimsoll.Role, p plimsoll.Part) kind {
	switch p.(type) {
	case plimsoll.ToolCall:
		return kindCalls
	case plimsoll.ToolResult:
		return kindResults
	case plimsoll.Reasoning:
		return kindReasoning
	case plimsoll.Media:
		return kindMedia
	case plimsoll.Opaque:
		return kindOther
	}
	switch {
	case role.Instructs():
		return kindSystem
	case role == plimsoll.Assistant:
		return kindAssistant
	case role == plimsoll.ToolRole:
		return kindResults
	case role == plimsoll.User:
		return kindUser
	}
	return kindOther
}

// callNames finds the tool behind the id of a call; results often have the id
// only.
func callNames(c plimsoll.Conversation) map[string]string {
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

// whatIs names the parts of a message, equal ones in a row once.
func whatIs(m plimsoll.Message, names map[string]string) string {
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

// title names the report in one line.
func (r report) title() string {
	name := bar.Clean(r.File)
	if r.Conversation > 0 {
		return fmt.Sprintf("%s #%d", name, r.Conversation)
	}
	return name
}
