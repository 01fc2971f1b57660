package openai

import (
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *rawjson.Scanner
	layout  *wire.Layout
	writer  *writer
	seen    bool // a messages list was found
	index   int  // of the message that is being read
	// tools are those of "tools", functions those of older clients.
	tools, functions toolList

	fields   fields
	elements []rawjson.Span // of the list that is being read
	spans    slab[rawjson.Span]
	places   slab[wire.Place]
	lists    slab[wire.PartList]
}

func (d *decoder) request() error {
	err := wire.ReadRoot(plimsoll.OpenAI, d.scanner, d.layout, func(key []byte) error { return d.member(string(key)) })
	if err == nil && !d.seen {
		return d.wrong("messages", "a list of messages")
	}
	d.layout.Tools, d.layout.ToolsIdentity = d.tools.join(d.functions)
	d.writer.tools = d.tools.list
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		if t, ok := s.String(); ok {
			d.layout.Model = t.Decode(d.layout.Body)
		}
	case "stream":
		d.layout.Stream, _ = s.Bool()
	case "max_tokens", "max_completion_tokens":
		if n, ok := s.Int(); ok {
			d.layout.MaxOutput = n
		}
	case "messages":
		return d.messages()
	case "tools":
		d.tools = d.toolList()
	case "functions":
		d.functions = d.toolList()
	default:
		s.Value()
	}
	return nil
}

func (d *decoder) messages() error {
	s := d.scanner
	if s.Peek() != '[' {
		return d.wrong("messages", "a list")
	}
	d.seen = true
	if d.layout.Items == nil {
		d.expect(len(d.layout.Body)/typicalMessage + 1)
	}
	d.layout.Items = d.layout.Items[:0]
	items := d.layout.Messages.Items[:0]
	start := s.Offset()
	var failed error
	for i := range s.Elements() {
		if kind := s.Peek(); kind != '{' {
			failed = d.wrong(fmt.Sprintf("messages[%d]", i), "a message object")
			break
		}
		begin := s.Offset()
		item, err := d.message(i)
		if err != nil {
			failed = err
			break
		}
		span := rawjson.Span{Start: begin, End: s.Offset()}
		item.Message.Digest = wire.DigestOf(span.Of(d.layout.Body))
		items = append(items, span)
		d.layout.AddItem(item)
	}
	d.layout.Messages = rawjson.List{Span: rawjson.Span{Start: start, End: s.Offset()}, Items: items}
	return failed
}

// typicalMessage is how many bytes of a body there are for each message that room
// is made for in advance. Agents send more, so that the room is a small part of
// the body.
const typicalMessage = 4096

func (d *decoder) expect(messages int) {
	d.layout.Items = make([]wire.Item, 0, messages)
	d.layout.Messages.Items = make([]rawjson.Span, 0, messages)
	d.spans.size, d.places.size, d.lists.size = messages, messages, messages
}

// toolList is a list of tools and where it stands; zero if there is none.
type toolList struct {
	list     rawjson.List
	tools    []plimsoll.Tool
	identity plimsoll.Digest
}

func (d *decoder) toolList() toolList {
	s := d.scanner
	if s.Peek() != '[' {
		s.Value()
		return toolList{}
	}
	var l toolList
	l.list.Start = s.Offset()
	id := wire.NewIdentity()
	for range s.Elements() {
		s.Peek()
		begin := s.Offset()
		tool := d.tool(id)
		span := rawjson.Span{Start: begin, End: s.Offset()}
		if tool.Name == "" {
			tool = plimsoll.Tool{Opaque: string(span.Of(d.layout.Body))}
		}
		l.list.Items = append(l.list.Items, span)
		l.tools = append(l.tools, tool)
	}
	l.list.End = s.Offset()
	l.identity = id.Sum()
	return l
}

// join returns the tools of both lists and an identity that tells them apart.
func (l toolList) join(other toolList) ([]plimsoll.Tool, plimsoll.Digest) {
	if len(other.tools) == 0 {
		return l.tools, l.identity
	}
	if len(l.tools) == 0 {
		return other.tools, other.identity
	}
	id := wire.NewIdentity()
	id.Field("tools", l.identity[:])
	id.Field("functions", other.identity[:])
	return append(l.tools, other.tools...), id.Sum()
}

// tool reads {"type":"function","function":{…}} or the older bare function.
func (d *decoder) tool(id wire.Identity) plimsoll.Tool {
	s, body := d.scanner, d.layout.Body
	var t plimsoll.Tool
	if s.Peek() != '{' {
		s.Value()
		return t
	}
	for key := range s.Members() {
		name := string(key)
		switch name {
		case "function":
			if s.Peek() == '{' {
				t = d.tool(id)
				continue
			}
			s.Value()
		case "name":
			t.Name = d.text()
			id.Field(name, []byte(t.Name))
		case "description":
			t.Description = d.text()
			id.Field(name, []byte(t.Description))
		case "parameters":
			v := s.Value()
			t.Schema = string(v.Of(body))
			id.Field(name, v.Of(body))
		case "cache_control":
			s.Value()
		default:
			id.Field(name, s.Value().Of(body))
		}
	}
	return t
}

// text reads a string, or skips anything else.
func (d *decoder) text() string {
	t, ok := d.scanner.String()
	if !ok {
		return ""
	}
	return t.Decode(d.layout.Body)
}

func (d *decoder) wrong(path, expected string) error {
	return wire.Unexpected(plimsoll.OpenAI, d.scanner, path, expected)
}

func (d *decoder) broken(err error) error { return wire.Broken(plimsoll.OpenAI, err) }

// role translates what compatible servers and older clients write.
func role(s string) plimsoll.Role {
	if s == "function" {
		return plimsoll.ToolRole
	}
	for _, r := range [...]plimsoll.Role{plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole, plimsoll.System, plimsoll.Developer} {
		if s == string(r) {
			return r
		}
	}
	// A role that nobody knows must not hold on to the body.
	return plimsoll.Role(strings.Clone(s))
}
