package responses

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *build.Scanner
	layout  *layout.Layout
	writer  *writer
	// seen says that an input was found, prompt that the server has one under a name. Then
	// there need be no input.
	seen, prompt bool
	// list, index and current are the item that is being read.
	list     string
	index    int
	current  fields
	thoughts *thoughts
	// locating says that it is to be known where the parts of an item stand.
	locating bool
	// late holds calls that need no answer, by what their answer would name.
	late map[string]lateCall
	// shells leads from the id of a local shell call to its call_id.
	shells map[string]string
}

func (d *decoder) request() error {
	err := build.ReadRoot(d.scanner, d.layout, d.member)
	if err == nil && !d.seen && !d.prompt {
		return d.scanner.Wrong("input", "a string or a list of items")
	}
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		d.layout.Model = d.scanner.Text()
	case "stream":
		d.layout.Stream, _ = s.Bool()
	case "max_output_tokens":
		d.layout.MaxOutput, _ = s.Int()
	case "previous_response_id":
		d.writer.previous = d.scanner.Text()
	case "conversation", "prompt":
		kind := s.Peek()
		s.Value()
		d.writer.stored = d.writer.stored || kind != 'n'
		d.prompt = d.prompt || key == "prompt" && kind == '{'
	case "store":
		store, ok := s.Bool()
		d.writer.transient = ok && !store
	case "instructions":
		d.instructions()
	case "input":
		return d.input()
	case "tools":
		d.tools()
	case "tool_choice":
		d.layout.Choice = s.Choice()
	case "reasoning":
		d.layout.Thinking = rawjson.MemberText(s.Value().Of(s.Body), "mode")
	case "text":
		d.layout.Output = build.Output(rawjson.Member(s.Value().Of(s.Body), "format"))
	default:
		s.Value()
	}
	return nil
}

func (d *decoder) instructions() {
	s, body := d.scanner, d.scanner.Body
	d.layout.System, d.layout.SystemIdentity = nil, plimsoll.Digest{}
	var part plimsoll.Part
	id := layout.NewIdentity()
	switch s.Peek() {
	case '"':
		t, _ := s.String()
		part = s.TextPart(t)
		id.Field("text", t.Raw(body))
	case 'n':
		s.Value()
	default:
		v := s.Value()
		part = s.OpaquePart("instructions", v)
		id.Field("part", v.Of(body))
	}
	sum := id.Sum()
	if part != nil {
		d.layout.System, d.layout.SystemIdentity = []plimsoll.Part{part}, sum
	}
}

// input reads a list of items, or a bare string that stands for one message of
// the user.
func (d *decoder) input() error {
	s := d.scanner
	d.reset()
	switch s.Peek() {
	case '"':
		d.bare()
		return nil
	case '[':
		return d.items("input")
	default:
		return s.Wrong("input", "a string or a list of items")
	}
}

// reset forgets an earlier input: of members with one name the last counts.
func (d *decoder) reset() {
	d.seen = true
	d.layout.Reset()
	d.writer.notes, d.late, d.shells = nil, map[string]lateCall{}, map[string]string{}
}

func (d *decoder) bare() {
	s := d.scanner
	t, _ := s.String()
	id := layout.NewIdentity()
	id.Field("role", []byte(plimsoll.User))
	id.Field("text", t.Raw(s.Body))
	d.layout.AddBare(plimsoll.NewMessage(plimsoll.User, s.TextPart(t)), id.Sum(), t.Span)
	d.writer.notes = []note{{class: classMessage, blank: t.Len() == 2}}
}

// items reads a list of items.
func (d *decoder) items(path string) error {
	d.list = path
	return build.ReadMessages(d.scanner, d.layout, path, "an item object", func(i int) (plimsoll.Message, plimsoll.Digest, error) {
		d.index = i
		f, err := d.fields()
		if err != nil {
			return plimsoll.Message{}, plimsoll.Digest{}, err
		}
		m := d.message(f)
		m.Digest = d.digest(f.raw, f.paired)
		d.writer.notes = append(d.writer.notes, f.note())
		return m, f.identity, nil
	})
}

// digest fingerprints an item. What the same bytes are may depend on the items
// before them; then their digests differ.
func (d *decoder) digest(raw rawjson.Span, paired bool) plimsoll.Digest {
	digest := layout.DigestOf(raw.Of(d.scanner.Body))
	if paired {
		digest[0] ^= 1
	}
	return digest
}

func (d *decoder) tools() {
	var list build.ToolList
	d.writer.noTools = rawjson.Span{}
	if d.scanner.Peek() == '[' {
		list = build.ReadTools(d.scanner, func(_ int, id layout.Identity) (plimsoll.Tool, bool) { return d.tool(id) })
	} else {
		d.writer.noTools = d.scanner.Value()
	}
	d.layout.Tools, d.layout.ToolsIdentity, d.writer.tools = list.Tools, list.Identity, list.List
}

// tool reads a function; any other kind of tool is carried whole.
func (d *decoder) tool(id layout.Identity) (t plimsoll.Tool, isFunction bool) {
	s, body := d.scanner, d.scanner.Body
	if s.Peek() != '{' {
		id.Field("tool", s.Value().Of(body))
		return t, false
	}
	kind := ""
	for key := range s.Members() {
		name := rawjson.View(key)
		start := s.Offset()
		switch name {
		case "type":
			kind = d.scanner.Text()
		case "name":
			t.Name = d.scanner.Text()
		case "description":
			t.Description = d.scanner.Text()
		case "parameters":
			t.Schema = d.schema()
		default:
			s.Value()
		}
		d.hash(id, name, s.Since(start))
	}
	if kind != "function" || t.Name == "" {
		return plimsoll.Tool{}, false
	}
	return t, true
}

func (d *decoder) schema() string {
	if d.scanner.Peek() == 'n' {
		d.scanner.Value()
		return ""
	}
	return d.scanner.Value().View(d.scanner.Body)
}

// hash adds a member to an identity unless it says nothing or is one that clients
// move about.
func (d *decoder) hash(id layout.Identity, name string, value rawjson.Span) {
	switch name {
	case "cache_control", "prompt_cache_breakpoint":
		return
	}
	switch raw := value.Of(d.scanner.Body); string(raw) {
	case "null", "[]":
	default:
		id.Field(name, raw)
	}
}

// wrongItem is the error for a member of the item that is being read.
func (d *decoder) wrongItem(member, expected string) error {
	return d.scanner.Wrong(fmt.Sprintf("%s[%d]%s", d.list, d.index, member), expected)
}
