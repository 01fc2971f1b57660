package gemini

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// call is a functionCall.
type call struct {
	id, name string
	args     rawjson.Text
}

// call reads a functionCall, and reports whether there is one.
func (d *decoder) call(id layout.Identity) (f call, ok bool) {
	s := d.scanner
	if s.Peek() != '{' {
		d.unknown(id, "functionCall")
		return f, false
	}
	id.Field("functionCall", nil)
	for key := range s.Members() {
		switch string(key) {
		case "id":
			f.id = d.named(id, "id")
		case "name":
			f.name = d.named(id, "name")
		case "args":
			if v := s.Verbatim(); !s.IsNull(v.Span) {
				f.args = v
				id.Field("args", v.Of(s.Body))
			}
		default:
			d.unknown(id, rawjson.View(key))
		}
	}
	return f, true
}

// result is a functionResponse.
type result struct {
	id, name string
	response rawjson.Span
	isError  bool
	// media is the list of parts beside the response.
	media rawjson.Span
}

// result reads a functionResponse, and reports whether there is one.
func (d *decoder) result(id layout.Identity) (f result, ok bool) {
	s := d.scanner
	if s.Peek() != '{' {
		d.unknown(id, "functionResponse")
		return f, false
	}
	id.Field("functionResponse", nil)
	d.inside = append(d.inside[:0], nil)
	for key := range s.Members() {
		switch string(key) {
		case "id":
			f.id = d.named(id, "id")
		case "name":
			f.name = d.named(id, "name")
		case "response":
			f.response, f.isError = d.response()
			id.Field("response", f.response.Of(s.Body))
		case "parts":
			d.inside = d.inside[:1]
			f.media = d.walk(func(int) { d.inside = append(d.inside, d.attachment(id)) })
		default:
			d.unknown(id, rawjson.View(key))
		}
	}
	return f, true
}

// attachment reads a part of a functionResponse, which can only be media.
func (d *decoder) attachment(id layout.Identity) plimsoll.Part {
	s := d.scanner
	id.Field("part", nil)
	if s.Peek() != '{' {
		return s.OpaquePart("", s.Value())
	}
	begin := s.Offset()
	var f partFields
	for key := range s.Members() {
		switch name := camel(rawjson.View(key)); name {
		case "inlineData", "fileData":
			d.media(&f, id, name)
		default:
			if !d.unknown(id, name) && f.kind == "" {
				f.kind = name
			}
		}
	}
	part, _ := d.made(&f, s.Since(begin))
	return part
}

// named reads a string that counts for the identity, unless it is empty.
func (d *decoder) named(id layout.Identity, key string) string {
	text := d.scanner.Text()
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
	return s.Since(start), isError && !output
}

func (d *decoder) resultPart(f *result) plimsoll.Part {
	s := d.scanner
	content := d.inside[1:]
	if !f.response.IsZero() {
		content = d.inside
		content[0] = s.DeferAt(plimsoll.Text{}, d.texts, f.response)
	}
	return s.ResultPart(plimsoll.ToolResult{CallID: f.id, Name: f.name, Content: plimsoll.ListOf(content...), IsError: f.isError})
}

// responseTexts is the source of what function responses say: the text of the one
// string, under whatever name, or else the whole object. The name of the function, which
// some libraries repeat in it, does not count.
type responseTexts struct{ body []byte }

// LoadAt reads the response.
func (r *responseTexts) LoadAt(_ plimsoll.Part, at uint64) plimsoll.Part {
	raw, only, isText := r.at(at)
	if isText {
		return plimsoll.Text{Text: only.Decode(raw)}
	}
	return plimsoll.Text{Text: rawjson.View(raw)}
}

// at returns a response, and the text that it is in all.
func (r *responseTexts) at(at uint64) (raw []byte, only rawjson.Text, isText bool) {
	raw = build.SpanAt(at).Of(r.body)
	s := rawjson.NewScanner(raw)
	if s.Peek() != '{' {
		return raw, only, false
	}
	members := 0
	for key := range s.Members() {
		repeated := string(key) == "name"
		text, ok := s.String()
		if repeated && ok {
			continue
		}
		members++
		only, isText = text, ok
	}
	return raw, only, isText && members == 1
}
