package ollama

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
	open    build.OpenCalls
	fields  fields
}

func (d *decoder) request() error {
	err := build.ReadRoot(d.scanner, d.layout, d.member)
	if err == nil && !d.seen {
		return d.scanner.Wrong("messages", "a list of messages")
	}
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		d.layout.Model = s.Text()
	case "stream":
		if streams, ok := s.Bool(); ok {
			d.layout.Stream = streams
		}
	case "messages":
		if s.Peek() != '[' {
			return s.Wrong("messages", "a list")
		}
		d.seen, d.open, d.writer.badArguments = true, build.OpenCalls{}, nil
		return build.ReadMessages(s, d.layout, "messages", "a message object", d.message)
	case "tools":
		tools := build.ReadFunctions(s)
		d.writer.tools, d.layout.Tools, d.layout.ToolsIdentity = tools.List, tools.Tools, tools.Identity
	case "options":
		d.options()
	case "format":
		d.writer.format = s.Value().Of(s.Body)
	default:
		s.Value()
	}
	return nil
}

// options reads the window and the longest answer. A negative answer has no limit.
func (d *decoder) options() {
	s := d.scanner
	d.layout.Window, d.layout.MaxOutput = 0, 0
	if s.Peek() != '{' {
		s.Value()
		return
	}
	for key := range s.Members() {
		switch string(key) {
		case "num_ctx":
			n, _ := s.Int()
			d.layout.Window = max(0, n)
		case "num_predict":
			n, _ := s.Int()
			d.layout.MaxOutput = max(0, n)
		}
	}
}

// roleOf returns a role. The server reads them in any case.
func roleOf(s string) plimsoll.Role {
	s = strings.ToLower(s)
	for _, r := range [...]plimsoll.Role{plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole, plimsoll.System, plimsoll.Developer} {
		if s == string(r) {
			return r
		}
	}
	// An unknown role must not keep the body in memory.
	return plimsoll.Role(strings.Clone(s))
}
