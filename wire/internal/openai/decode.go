package openai

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *build.Scanner
	layout  *layout.Layout
	writer  *writer
	seen    bool // a messages list was found
	index   int  // of the message that is being read
	// tools are those of "tools", functions those of older clients.
	tools, functions build.ToolList
	fields           fields
}

func (d *decoder) request() error {
	err := build.ReadRoot(d.scanner, d.layout, d.member)
	if err == nil && !d.seen {
		return d.scanner.Wrong("messages", "a list of messages")
	}
	d.layout.Tools, d.layout.ToolsIdentity = d.joined()
	d.writer.tools = d.tools.List
	if err == nil && d.scanner.Err() != nil {
		return d.scanner.Broken()
	}
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		d.layout.Model = s.Text()
	case "stream":
		d.layout.Stream, _ = s.Bool()
	case "max_tokens", "max_completion_tokens":
		if n, ok := s.Int(); ok {
			d.layout.MaxOutput = n
		}
	case "messages":
		return d.messages()
	case "tools":
		d.tools = build.ReadFunctions(s)
	case "functions":
		d.functions = build.ReadFunctions(s)
	case "tool_choice", "function_call":
		d.layout.Choice = s.Choice()
	case "response_format":
		d.layout.Output = build.Output(s.Value().Of(s.Body))
	default:
		s.Value()
	}
	return nil
}

func (d *decoder) messages() error {
	s := d.scanner
	if s.Peek() != '[' {
		return d.scanner.Wrong("messages", "a list")
	}
	d.seen = true
	return build.ReadMessages(s, d.layout, "messages", "a message object", d.message)
}

// joined returns the tools of both lists and an identity that tells them apart.
func (d *decoder) joined() (plimsoll.List[plimsoll.Tool], plimsoll.Digest) {
	tools, functions := d.tools.Tools, d.functions.Tools
	if functions.Len() == 0 {
		return tools, d.tools.Identity
	}
	if tools.Len() == 0 {
		return functions, d.functions.Identity
	}
	id := layout.NewIdentity()
	id.Field("tools", d.tools.Identity[:])
	id.Field("functions", d.functions.Identity[:])
	return plimsoll.ListOf(append(tools.Slice(), functions.Slice()...)...), id.Sum()
}

// role translates what compatible servers and older clients write.
func roleOf(s string) plimsoll.Role {
	if s == "function" {
		return plimsoll.ToolRole
	}
	for _, r := range [...]plimsoll.Role{plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole, plimsoll.System, plimsoll.Developer} {
		if s == string(r) {
			return r
		}
	}
	// An unknown role must not keep the body in memory.
	return plimsoll.Role(strings.Clone(s))
}
