package openai

import (
	"bytes"
	"cmp"
	"slices"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
)

// answerCall is a tool call of an answer, as far as it has come.
type answerCall struct {
	index    int
	id, name string
	// custom says that it calls a custom tool, which takes a text.
	custom bool
	// arguments are still escaped. Value is what stood in their place if it was no
	// string.
	arguments, value []byte
	// others are the members that are only carried, such as a signature.
	others []rawMember
	hidden bool
	// shift is what the client's number for it is lower by; known once it was shown.
	shift *int
}

type rawMember struct {
	key   string
	value []byte
}

// maxMembers is how many members that are only carried are kept of one object. Real ones
// have a few.
const maxMembers = 64

// callPiece is an element of tool_calls.
type callPiece struct {
	index     *int
	at        rawjson.Span // of the index
	id, name  string
	custom    bool
	arguments []byte
	others    []rawMember
}

func readPiece(raw []byte) callPiece {
	var p callPiece
	s := rawjson.NewScanner(raw)
	if s.Peek() != '{' {
		return p
	}
	for key := range s.Members() {
		switch string(key) {
		case "index":
			s.Peek()
			start := s.Offset()
			if n, ok := s.Int(); ok {
				p.index, p.at = &n, rawjson.Span{Start: start, End: s.Offset()}
			}
		case "id":
			p.id = strings.Clone(rawjson.Unquoted(s.Value().Of(raw)))
		case "function", "custom":
			if f := s.Value().Of(raw); opensObject(f) {
				called := readFunction(f, string(key) == "custom")
				p.custom, p.name, p.arguments = called.custom, called.name, called.arguments
			}
		case "type":
		default:
			p.others = append(p.others, rawMember{string(key), s.Value().Of(raw)})
		}
	}
	return p
}

// readFunction reads what is called: a function with arguments, or a custom tool with its
// input.
func readFunction(raw []byte, custom bool) callPiece {
	p := callPiece{custom: custom, name: rawjson.MemberText(raw, "name"), arguments: rawjson.Member(raw, "arguments")}
	if custom {
		p.arguments = rawjson.Member(raw, "input")
	}
	return p
}

// answerCalls puts calls together.
type answerCalls struct {
	all     []*answerCall
	byIndex map[int]*answerCall
	byID    map[string]*answerCall
	// hidden counts those of hidden tools.
	hidden int
}

// add joins a piece to its call. Whole says that each piece is a call.
func (s *answerCalls) add(p callPiece, whole bool, hidden func(string) bool) *answerCall {
	var c *answerCall
	if !whole {
		c = s.find(p)
	}
	if c == nil {
		c = s.begin(p)
	}
	if p.id != "" {
		c.id = p.id
		s.byID[p.id] = c
	}
	if p.name != "" && c.name == "" {
		c.name, c.custom = p.name, p.custom
		if c.hidden = !p.custom && hidden != nil && hidden(p.name); c.hidden {
			s.hidden++
		}
	}
	c.take(p)
	return c
}

// find returns the call that a piece belongs to; nil if it begins one. Some servers
// number no call and give each at once under an id of its own, some number all of them
// 0, and some make up an id for each piece.
func (s *answerCalls) find(p callPiece) *answerCall {
	if p.index != nil {
		c := s.byIndex[*p.index]
		if c != nil && p.id != "" && c.id != "" && p.id != c.id && p.name != "" {
			return s.byID[p.id]
		}
		return c
	}
	if p.id != "" {
		return s.byID[p.id]
	}
	if len(s.all) == 0 {
		return nil
	}
	last := s.all[len(s.all)-1]
	if p.name != "" && last.name != "" {
		return nil
	}
	return last
}

func (s *answerCalls) begin(p callPiece) *answerCall {
	if s.byIndex == nil {
		s.byIndex, s.byID = map[int]*answerCall{}, map[string]*answerCall{}
	}
	c := &answerCall{index: len(s.all)}
	if p.index != nil {
		c.index = *p.index
		s.byIndex[*p.index] = c
	}
	s.all = append(s.all, c)
	return c
}

// number returns the client's number for a call. Servers that number all of them 0
// mean nothing by it.
func (s *answerCalls) number(c *answerCall) int {
	if c.shift == nil {
		hidden := s.hidden
		c.shift = &hidden
	}
	return max(0, c.index-*c.shift)
}

func (c *answerCall) take(p callPiece) {
	switch {
	case len(p.arguments) == 0 || string(p.arguments) == "null":
	case rawjson.IsString(p.arguments):
		c.arguments = rawjson.AppendInside(c.arguments, p.arguments)
	default:
		c.value = bytes.Clone(p.arguments)
	}
	for _, m := range p.others {
		m.value = bytes.Clone(m.value)
		if i := slices.IndexFunc(c.others, func(o rawMember) bool { return o.key == m.key }); i >= 0 {
			c.others[i] = m
			continue
		}
		if len(c.others) < maxMembers {
			c.others = append(c.others, m)
		}
	}
}

// isEmpty reports whether the call has neither a name nor arguments: then it is none.
func (c *answerCall) isEmpty() bool { return c.name == "" && len(c.arguments) == 0 && c.value == nil }

// toolCall returns the call with its arguments decoded.
func (c *answerCall) toolCall() plimsoll.ToolCall {
	text := rawjson.Unquoted(rawjson.InQuotes(c.arguments))
	return plimsoll.ToolCall{ID: c.id, Name: c.name, Arguments: cmp.Or(text, string(c.value))}
}

// whole returns the call as it would stand in the next request. Arguments of a hidden
// call that are no object become an empty one: some servers read them.
func (c *answerCall) whole() []byte {
	kind, key := "function", "arguments"
	if c.custom {
		kind, key = "custom", "input"
	}
	arguments := c.value
	if arguments == nil || len(c.arguments) > 0 {
		arguments = rawjson.InQuotes(c.arguments)
	}
	if c.hidden && !rawjson.IsObject([]byte(c.toolCall().Arguments)) {
		arguments = []byte(`"{}"`)
	}
	out := rawjson.AppendQuote([]byte(`{"id":`), c.id)
	out = append(out, `,"type":"`+kind+`","`+kind+`":{"name":`...)
	out = rawjson.AppendQuote(out, c.name)
	out = append(out, `,"`+key+`":`...)
	out = append(append(out, arguments...), '}')
	for _, m := range c.others {
		out = append(rawjson.AppendQuote(append(out, ','), m.key), ':')
		out = append(out, m.value...)
	}
	return append(out, '}')
}
