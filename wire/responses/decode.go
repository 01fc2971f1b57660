package responses

import (
	"fmt"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// decoder fills a layout in one pass over the body.
type decoder struct {
	scanner *rawjson.Scanner
	layout  *wire.Layout
	writer  *writer
	seen    bool // an input was found
	// list, index and current are the item that is being read.
	list    string
	index   int
	current fields
	// late holds calls that need no answer, by what their answer would name.
	late map[string]lateCall
	// shells leads from the id of a local shell call to its call_id.
	shells map[string]string
}

func (d *decoder) request() error {
	err := wire.ReadRoot(plimsoll.Responses, d.scanner, d.layout, func(key []byte) error { return d.member(string(key)) })
	if err == nil && !d.seen {
		return d.wrong("input", "a string or a list of items")
	}
	return err
}

func (d *decoder) member(key string) error {
	s := d.scanner
	switch key {
	case "model":
		d.layout.Model = d.text()
	case "stream":
		d.layout.Stream, _ = s.Bool()
	case "max_output_tokens":
		d.layout.MaxOutput, _ = s.Int()
	case "previous_response_id":
		d.writer.previous = d.text()
	case "conversation", "prompt":
		kind := s.Peek()
		s.Value()
		d.writer.stored = d.writer.stored || kind != 'n'
	case "instructions":
		d.instructions()
	case "input":
		return d.input()
	case "tools":
		d.tools()
	default:
		s.Value()
	}
	return nil
}

func (d *decoder) instructions() {
	s, body := d.scanner, d.layout.Body
	d.layout.System, d.layout.SystemIdentity = nil, plimsoll.Digest{}
	var part plimsoll.Part
	id := wire.NewIdentity()
	switch s.Peek() {
	case '"':
		t, _ := s.String()
		part = wire.TextPart(body, t)
		id.Field("text", t.Raw(body))
	case 'n':
		s.Value()
	default:
		v := s.Value()
		part = wire.OpaquePart(body, "instructions", v)
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
	default:
		return d.wrong("input", "a string or a list of items")
	}
	start := s.Offset()
	err := d.items("input")
	d.layout.Messages.Span = rawjson.Span{Start: start, End: s.Offset()}
	return err
}

// reset forgets an earlier input: of members with one name the last counts.
func (d *decoder) reset() {
	d.seen = true
	d.layout.Messages, d.layout.Items, d.writer.notes = rawjson.List{}, nil, nil
	d.late, d.shells = nil, nil
}

func (d *decoder) bare() {
	body := d.layout.Body
	t, _ := d.scanner.String()
	id := wire.NewIdentity()
	id.Field("role", []byte(plimsoll.User))
	id.Field("text", t.Raw(body))
	m := plimsoll.NewMessage(plimsoll.User, wire.TextPart(body, t))
	m.Digest = wire.DigestOf(t.Of(body))
	d.layout.Messages = rawjson.List{Span: t.Span}
	d.layout.Items = []wire.Item{{Message: m, Identity: id.Sum(), Places: []wire.Place{wire.Fixed()}}}
	d.writer.notes = []note{{kind: kindMessage, blank: t.Len() == 2}}
}

// items reads the elements of a list of items.
func (d *decoder) items(path string) error {
	s := d.scanner
	d.list = path
	var failed error
	for i := range s.Elements() {
		d.index = i
		if s.Peek() != '{' {
			failed = d.wrongItem("", "an item object")
			break
		}
		begin := s.Offset()
		f, err := d.fields()
		if err != nil {
			failed = err
			break
		}
		f.raw = rawjson.Span{Start: begin, End: s.Offset()}
		d.layout.Messages.Items = append(d.layout.Messages.Items, f.raw)
		item := d.item(f)
		item.Identity = f.identity
		item.Message.Digest = d.digest(f.raw, f.paired)
		d.layout.AddItem(item)
		d.writer.notes = append(d.writer.notes, f.note())
	}
	return failed
}

// digest fingerprints an item. What the same bytes are may depend on the items
// before them; then their digests differ.
func (d *decoder) digest(raw rawjson.Span, paired bool) plimsoll.Digest {
	digest := wire.DigestOf(raw.Of(d.layout.Body))
	if paired {
		digest[0] ^= 1
	}
	return digest
}

func (d *decoder) tools() {
	s := d.scanner
	d.layout.Tools, d.layout.ToolsIdentity = nil, plimsoll.Digest{}
	d.writer.tools, d.writer.noTools = rawjson.List{}, rawjson.Span{}
	if s.Peek() != '[' {
		d.writer.noTools = s.Value()
		return
	}
	list := rawjson.List{Span: rawjson.Span{Start: s.Offset()}}
	id := wire.NewIdentity()
	for range s.Elements() {
		begin := s.Offset()
		tool, isFunction := d.tool(id)
		span := rawjson.Span{Start: begin, End: s.Offset()}
		if !isFunction {
			tool = plimsoll.Tool{Opaque: string(span.Of(d.layout.Body))}
		}
		list.Items = append(list.Items, span)
		d.layout.Tools = append(d.layout.Tools, tool)
	}
	list.End = s.Offset()
	d.layout.ToolsIdentity, d.writer.tools = id.Sum(), list
}

// tool reads a function; any other kind of tool is carried whole.
func (d *decoder) tool(id wire.Identity) (t plimsoll.Tool, isFunction bool) {
	s, body := d.scanner, d.layout.Body
	if s.Peek() != '{' {
		id.Field("tool", s.Value().Of(body))
		return t, false
	}
	kind := ""
	for key := range s.Members() {
		name := string(key)
		start := s.Offset()
		switch name {
		case "type":
			kind = d.text()
		case "name":
			t.Name = d.text()
		case "description":
			t.Description = d.text()
		case "parameters":
			t.Schema = d.schema()
		default:
			s.Value()
		}
		d.hash(id, name, rawjson.Span{Start: start, End: s.Offset()})
	}
	return t, kind == "function" && t.Name != ""
}

func (d *decoder) schema() string {
	if d.scanner.Peek() == 'n' {
		d.scanner.Value()
		return ""
	}
	return string(d.scanner.Value().Of(d.layout.Body))
}

// hash adds a member to an identity unless it says nothing or is one that clients
// move about.
func (d *decoder) hash(id wire.Identity, name string, value rawjson.Span) {
	switch name {
	case "cache_control", "prompt_cache_breakpoint":
		return
	}
	switch raw := value.Of(d.layout.Body); string(raw) {
	case "null", "[]":
	default:
		id.Field(name, raw)
	}
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
	return wire.Unexpected(plimsoll.Responses, d.scanner, path, expected)
}

// wrongItem is wrong about a member of the item that is being read.
func (d *decoder) wrongItem(member, expected string) error {
	return d.wrong(fmt.Sprintf("%s[%d]%s", d.list, d.index, member), expected)
}

func (d *decoder) broken(err error) error { return wire.Broken(plimsoll.Responses, err) }
