package anthropic

import (
	"encoding/json"
	"maps"
	"slices"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// NewAssembler reads a streamed answer.
func (Codec) NewAssembler() wire.Assembler { return &assembler{blocks: map[int]*streamed{}} }

// assembler joins the deltas of each block.
type assembler struct {
	response wire.Response
	bill     usage
	blocks   map[int]*streamed
	done     bool
}

var _ wire.Assembler = (*assembler)(nil)

// event is the data of an event of any type.
type event struct {
	Type    string          `json:"type"`
	Index   int             `json:"index"`
	Message json.RawMessage `json:"message"`
	Block   json.RawMessage `json:"content_block"`
	Delta   json.RawMessage `json:"delta"`
	Usage   json.RawMessage `json:"usage"`
	Error   json.RawMessage `json:"error"`
}

// delta is what an event adds to a block, or to the message.
type delta struct {
	Type       string          `json:"type"`
	Text       string          `json:"text"`
	Thinking   string          `json:"thinking"`
	Signature  string          `json:"signature"`
	Input      string          `json:"partial_json"`
	Content    json.RawMessage `json:"content"`
	Encrypted  json.RawMessage `json:"encrypted_content"`
	StopReason string          `json:"stop_reason"`
}

// Event takes one event. Its data repeats its name.
func (s *assembler) Event(name string, data []byte) {
	var e event
	if json.Unmarshal(data, &e) != nil {
		return
	}
	if e.Type == "" {
		e.Type = name
	}
	switch e.Type {
	case "message_start":
		s.begin(e.Message)
	case "content_block_start":
		s.start(e)
	case "content_block_delta":
		s.add(e)
	case "message_delta":
		var d delta
		if json.Unmarshal(e.Delta, &d) == nil && d.StopReason != "" {
			s.response.Stop = stopReason(d.StopReason)
		}
		s.bill.merge(e.Usage)
	case "message_stop":
		s.done = true
	case "error":
		s.response.Error = apiError(e.Error)
	}
}

func (s *assembler) begin(raw json.RawMessage) {
	var message struct {
		Model string          `json:"model"`
		Usage json.RawMessage `json:"usage"`
	}
	if json.Unmarshal(raw, &message) == nil {
		s.response.Model = message.Model
		s.bill.merge(message.Usage)
	}
}

// streamed is a block in the making.
type streamed struct {
	// raw is the block as it began.
	raw                   json.RawMessage
	typ                   string
	text, thinking, input []byte
	signature             string
	id, name              string
	content, encrypted    json.RawMessage
}

func (s *assembler) start(e event) {
	var b struct {
		Type      string          `json:"type"`
		ID        string          `json:"id"`
		Name      string          `json:"name"`
		Text      string          `json:"text"`
		Thinking  string          `json:"thinking"`
		Signature string          `json:"signature"`
		Data      string          `json:"data"`
		To        json.RawMessage `json:"to"`
	}
	if json.Unmarshal(e.Block, &b) != nil || b.Type == "" {
		return
	}
	if b.Type == "redacted_thinking" {
		b.Signature = b.Data
	}
	if b.Type == "fallback" {
		s.handOver(b.To)
	}
	s.blocks[e.Index] = &streamed{
		raw: e.Block, typ: b.Type, id: b.ID, name: b.Name,
		text: []byte(b.Text), thinking: []byte(b.Thinking), signature: b.Signature,
	}
}

// handOver notes that another model goes on with the answer.
func (s *assembler) handOver(raw json.RawMessage) {
	var to struct {
		Model string `json:"model"`
	}
	if json.Unmarshal(raw, &to) == nil && to.Model != "" {
		s.response.Model = to.Model
	}
}

func (s *assembler) add(e event) {
	b, ok := s.blocks[e.Index]
	var d delta
	if !ok || json.Unmarshal(e.Delta, &d) != nil {
		return
	}
	b.text = append(b.text, d.Text...)
	b.thinking = append(b.thinking, d.Thinking...)
	b.input = append(b.input, d.Input...)
	if d.Signature != "" {
		b.signature = d.Signature
	}
	if d.Type == "compaction_delta" {
		b.content, b.encrypted = d.Content, d.Encrypted
	}
}

// Response returns what has been said so far.
func (s *assembler) Response() wire.Response {
	var parts []plimsoll.Part
	for _, index := range slices.Sorted(maps.Keys(s.blocks)) {
		if p, ok := s.blocks[index].part(); ok {
			parts = append(parts, p)
		}
	}
	r := s.response
	r.Message = plimsoll.NewMessage(plimsoll.Assistant, parts...)
	r.Usage, r.HasUsage = s.bill.total()
	return r
}

// Done reports whether the message was ended.
func (s *assembler) Done() bool { return s.done }

// part returns the block as it would stand in the next request. An empty text
// cannot stand there.
func (b *streamed) part() (plimsoll.Part, bool) {
	switch b.typ {
	case "text":
		return plimsoll.Text{Text: string(b.text)}, len(b.text) > 0
	case "thinking", "redacted_thinking":
		return plimsoll.Reasoning{Text: string(b.thinking), Signature: b.signature, Redacted: b.typ == "redacted_thinking"}, true
	case "tool_use":
		return plimsoll.ToolCall{ID: b.id, Name: b.name, Arguments: b.arguments()}, true
	}
	return plimsoll.Opaque{Kind: b.typ, Raw: string(b.whole())}, true
}

// arguments are those that were streamed; a call without any has them from its
// beginning.
func (b *streamed) arguments() string {
	if len(b.input) > 0 {
		return string(b.input)
	}
	var begun struct {
		Input json.RawMessage `json:"input"`
	}
	if json.Unmarshal(b.raw, &begun) != nil {
		return ""
	}
	return string(begun.Input)
}

// whole puts what was streamed into a block that is carried as it is. An input
// that was cut off is left out, for it is no JSON.
func (b *streamed) whole() []byte {
	raw := []byte(b.raw)
	if json.Valid(b.input) {
		raw = setMember(raw, "input", b.input)
	}
	raw = setMember(raw, "content", b.content)
	return setMember(raw, "encrypted_content", b.encrypted)
}

// setMember gives an object's member a value; nil leaves it as it is.
func setMember(object []byte, key string, to []byte) []byte {
	if to == nil {
		return object
	}
	root := rawjson.List{}
	s := rawjson.NewScanner(object)
	for name, at := range s.Members() {
		v := s.Value()
		if string(name) == key {
			return slices.Concat(object[:v.Start], to, object[v.End:])
		}
		root.Items = append(root.Items, rawjson.Span{Start: at.Start, End: v.End})
	}
	if len(root.Items) == 0 {
		return object
	}
	member := append(append(rawjson.AppendQuote(nil, key), ':'), to...)
	out, err := rawjson.Splice(object, wire.AddMember(root, member))
	if err != nil {
		return object
	}
	return out
}
