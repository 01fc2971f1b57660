package openai

import (
	"cmp"
	"slices"

	"github.com/plimsoll/plimsoll"
)

// saidCall is a tool call of an answer, whole or in part.
type saidCall struct {
	Index    *int     `json:"index"`
	ID       string   `json:"id"`
	Function function `json:"function"`
	Custom   function `json:"custom"`
}

// function is what is called: a function with arguments, or a custom tool with
// its input.
type function struct {
	Name      string   `json:"name"`
	Arguments verbatim `json:"arguments"`
	Input     verbatim `json:"input"`
}

func (c *saidCall) name() string { return cmp.Or(c.Function.Name, c.Custom.Name) }

// calls puts tool calls together.
type calls struct {
	// whole says that every call comes in one piece.
	whole   bool
	open    []*openCall
	byIndex map[int]*openCall
	byID    map[string]*openCall
}

type openCall struct {
	index     int
	id, name  string
	arguments []byte
}

// add joins a piece of a call to what came of it before.
func (s *calls) add(c *saidCall) {
	call := s.find(c)
	if call == nil {
		call = s.begin(c)
	}
	if c.ID != "" {
		call.id = c.ID
		s.byID[c.ID] = call
	}
	if name := c.name(); name != "" {
		call.name = name
	}
	for _, f := range []*function{&c.Function, &c.Custom} {
		call.arguments = append(call.arguments, f.Arguments...)
		call.arguments = append(call.arguments, f.Input...)
	}
}

// find returns the call that a piece belongs to; nil if it begins one. OpenAI
// numbers the calls. Some servers do not, and give every call all at once under
// an id of its own, and some give all of them the number 0. A new id alone begins
// no call where there are numbers: some servers make one up for each piece.
func (s *calls) find(c *saidCall) *openCall {
	if s.whole {
		return nil
	}
	if c.Index != nil {
		call := s.byIndex[*c.Index]
		if call != nil && c.ID != "" && call.id != "" && c.ID != call.id && c.name() != "" {
			return s.byID[c.ID]
		}
		return call
	}
	if c.ID != "" {
		return s.byID[c.ID]
	}
	if len(s.open) == 0 {
		return nil
	}
	last := s.open[len(s.open)-1]
	if c.name() != "" && last.name != "" {
		return nil
	}
	return last
}

func (s *calls) begin(c *saidCall) *openCall {
	if s.byIndex == nil {
		s.byIndex, s.byID = map[int]*openCall{}, map[string]*openCall{}
	}
	call := &openCall{index: len(s.open)}
	if c.Index != nil {
		call.index = *c.Index
		s.byIndex[*c.Index] = call
	}
	s.open = append(s.open, call)
	return call
}

// parts returns the calls in the order of their numbers. One that has neither a
// name nor arguments is none.
func (s *calls) parts() []plimsoll.Part {
	sorted := slices.SortedStableFunc(slices.Values(s.open), func(a, b *openCall) int { return cmp.Compare(a.index, b.index) })
	var parts []plimsoll.Part
	for _, c := range sorted {
		if c.name != "" || len(c.arguments) > 0 {
			parts = append(parts, plimsoll.ToolCall{ID: c.id, Name: c.name, Arguments: string(c.arguments)})
		}
	}
	return parts
}
