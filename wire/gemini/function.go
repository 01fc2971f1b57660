package gemini

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// call is a functionCall.
type call struct {
	id, name string
	args     rawjson.Span
}

// call reads a functionCall; nil if there is none.
func (d *decoder) call(id wire.Identity) *call {
	s := d.scanner
	if s.Peek() != '{' {
		d.unknown(id, "functionCall")
		return nil
	}
	id.Field("functionCall", nil)
	f := &call{}
	for key := range s.Members() {
		switch string(key) {
		case "id":
			f.id = d.named(id, "id")
		case "name":
			f.name = d.named(id, "name")
		case "args":
			if v := s.Value(); !d.null(v) {
				f.args = v
				id.Field("args", v.Of(d.layout.Body))
			}
		default:
			d.unknown(id, string(key))
		}
	}
	return f
}

// result is a functionResponse.
type result struct {
	id, name string
	response rawjson.Span
	isError  bool
	// media is the list of parts beside the response, and parts what is in it.
	media rawjson.Span
	parts []plimsoll.Part
}

// result reads a functionResponse; nil if there is none.
func (d *decoder) result(id wire.Identity) *result {
	s := d.scanner
	if s.Peek() != '{' {
		d.unknown(id, "functionResponse")
		return nil
	}
	id.Field("functionResponse", nil)
	f := &result{}
	for key := range s.Members() {
		switch string(key) {
		case "id":
			f.id = d.named(id, "id")
		case "name":
			f.name = d.named(id, "name")
		case "response":
			f.response, f.isError = d.response()
			id.Field("response", f.response.Of(d.layout.Body))
		case "parts":
			f.parts = nil
			f.media = d.repeated(func(int) { f.parts = append(f.parts, d.attachment(id)) }).Span
		default:
			d.unknown(id, string(key))
		}
	}
	return f
}

// attachment reads a part of a functionResponse, which can only be media.
func (d *decoder) attachment(id wire.Identity) plimsoll.Part {
	s, body := d.scanner, d.layout.Body
	id.Field("part", nil)
	if s.Peek() != '{' {
		return wire.OpaquePart(body, "", s.Value())
	}
	begin := s.Offset()
	var f partFields
	for key := range s.Members() {
		switch name := camel(key); name {
		case "inlineData", "fileData":
			d.media(&f, id, name)
		default:
			if !d.unknown(id, name) && f.kind == "" {
				f.kind = name
			}
		}
	}
	part, _ := f.part(body, rawjson.Span{Start: begin, End: s.Offset()})
	return part
}

// named reads a string that counts for the identity, unless it is empty.
func (d *decoder) named(id wire.Identity, key string) string {
	text := d.text()
	if text != "" {
		id.Field(key, []byte(text))
	}
	return text
}

// response walks over the object that a function returned. One with an "error"
// and no "output" reports a failure, by Google's convention.
func (d *decoder) response() (value rawjson.Span, isError bool) {
	s := d.scanner
	if s.Peek() != '{' {
		return s.Value(), false
	}
	start := s.Offset()
	output := false
	for key := range s.Members() {
		switch string(key) {
		case "error":
			isError = s.Peek() != 'n'
		case "output":
			output = true
		}
	}
	return rawjson.Span{Start: start, End: s.Offset()}, isError && !output
}

func (f *result) part(body []byte) plimsoll.Part {
	var content []plimsoll.Part
	if !f.response.IsZero() {
		content = append(content, plimsoll.Defer(plimsoll.Text{}, responseText{body, f.response}))
	}
	return plimsoll.ToolResult{
		CallID:  f.id,
		Name:    f.name,
		Content: plimsoll.ListOf(append(content, f.parts...)...),
		IsError: f.isError,
	}
}

// responseText reads what a function response says: the text of its one string,
// under whatever name, or else the whole object.
type responseText struct {
	body     []byte
	response rawjson.Span
}

func (r responseText) LoadPart() plimsoll.Part {
	raw := r.response.Of(r.body)
	s := rawjson.NewScanner(raw)
	if s.Peek() != '{' {
		return plimsoll.Text{Text: string(raw)}
	}
	members := 0
	var only rawjson.Text
	isText := false
	for range s.Members() {
		members++
		only, isText = s.String()
	}
	if members == 1 && isText {
		return plimsoll.Text{Text: only.Decode(raw)}
	}
	return plimsoll.Text{Text: string(raw)}
}
