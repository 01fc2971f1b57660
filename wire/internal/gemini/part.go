package gemini

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// partFields are the members of a part, gathered before it is known what it is.
type partFields struct {
	text      rawjson.Text
	isText    bool
	thought   bool
	signature rawjson.Text
	call      call
	isCall    bool
	result    result
	isResult  bool
	media     plimsoll.Media
	isMedia   bool
	data      rawjson.Text
	// kind is the first member that is not understood.
	kind string
}

// part reads one part, and for a function response where its content stands.
func (d *decoder) part(at plimsoll.PartRef, id layout.Identity) (plimsoll.Part, rawjson.Span) {
	s, body := d.scanner, d.scanner.Body
	id.Field("part", nil)
	if s.Peek() != '{' {
		v := s.Value()
		id.Field("value", v.Of(body))
		d.note(at, &partFields{})
		return s.OpaquePart("", v), rawjson.Span{}
	}
	begin := s.Offset()
	var f partFields
	for key := range s.Members() {
		d.partMember(&f, id, camel(rawjson.View(key)))
	}
	d.note(at, &f)
	return d.made(&f, s.Since(begin))
}

func (d *decoder) partMember(f *partFields, id layout.Identity, key string) {
	s, body := d.scanner, d.scanner.Body
	switch key {
	case "text":
		if f.text, f.isText = s.String(); f.isText {
			id.Field(key, f.text.Raw(body))
		}
	case "thought":
		if f.thought, _ = s.Bool(); f.thought {
			id.Field(key, nil)
		}
	case "thoughtSignature":
		// Resumed sessions write another one, so the identity leaves it out.
		if v := s.Verbatim(); !s.IsNull(v.Span) {
			f.signature = v
		}
	case "functionCall":
		f.call, f.isCall = d.call(id)
	case "functionResponse":
		f.result, f.isResult = d.result(id)
	case "inlineData", "fileData":
		d.media(f, id, key)
	case "mediaResolution":
		f.media.Detail = d.resolution(id)
	default:
		if !d.unknown(id, key) && f.kind == "" && key != "partMetadata" {
			f.kind = key
		}
	}
}

// media reads data in the request, or where it is kept.
func (d *decoder) media(f *partFields, id layout.Identity, kind string) {
	s, body := d.scanner, d.scanner.Body
	if s.Peek() != '{' {
		if !d.unknown(id, kind) {
			f.kind = kind
		}
		return
	}
	f.isMedia = true
	begin := s.Offset()
	for key := range s.Members() {
		switch camel(rawjson.View(key)) {
		case "mimeType":
			f.media.MIME = s.Text()
		case "data":
			f.data = s.Verbatim()
		case "fileUri":
			f.media.URL = s.Text()
		}
	}
	f.media.Kind = mediaKind(f.media.MIME)
	id.Field(kind, s.Since(begin).Of(body))
}

// resolution reads {"level":…}, or the bare level.
func (d *decoder) resolution(id layout.Identity) string {
	s := d.scanner
	level := ""
	if s.Peek() != '{' {
		level = s.Text()
	} else {
		for key := range s.Members() {
			if string(key) == "level" {
				level = s.Text()
			}
		}
	}
	id.Field("mediaResolution", []byte(level))
	return level
}

func mediaKind(mime string) plimsoll.MediaKind {
	switch kind, _, _ := strings.Cut(mime, "/"); kind {
	case "image":
		return plimsoll.Image
	case "audio":
		return plimsoll.Audio
	case "video":
		return plimsoll.Video
	default:
		return plimsoll.Document
	}
}

// made decides what the members make. What is understood comes first: calls must
// pair and texts be weighed, whatever else a client writes beside them.
func (d *decoder) made(f *partFields, raw rawjson.Span) (plimsoll.Part, rawjson.Span) {
	s := d.scanner
	switch {
	case f.isCall:
		d.open.Ask(f.call.id, f.call.name)
		return s.CallPart(plimsoll.ToolCall{ID: f.call.id, Name: f.call.name, Signature: s.Decode(f.signature)}, f.call.args), rawjson.Span{}
	case f.isResult:
		// The API only counts calls and responses, and some clients write the id of a call
		// where its name should be.
		f.result.id, f.result.name = d.open.Answer(f.result.id, f.result.name)
		return d.resultPart(&f.result), f.result.response
	case f.isMedia:
		return s.MediaPart(f.media, f.data), rawjson.Span{}
	case f.isText && f.thought:
		return s.ReasoningPart(f.text, f.signature, false), rawjson.Span{}
	case f.isText:
		return s.TextPart(f.text), rawjson.Span{}
	case f.kind != "":
		return s.OpaquePart(f.kind, raw), rawjson.Span{}
	case !f.signature.IsZero():
		return s.ReasoningPart(rawjson.Text{}, f.signature, true), rawjson.Span{}
	default:
		return s.OpaquePart("", raw), rawjson.Span{}
	}
}

// note keeps what the parts themselves do not say.
func (d *decoder) note(at plimsoll.PartRef, f *partFields) {
	if at.Message < 0 {
		return
	}
	found := &d.writer.found
	if !f.signature.IsZero() && (len(found.signed) == 0 || found.signed[len(found.signed)-1] != at.Message) {
		found.signed = append(found.signed, at.Message)
	}
	hollow := !f.isCall && !f.isResult && !f.isMedia && !f.isText && f.kind == "" && f.signature.IsZero()
	if hollow && len(found.hollow) < wire.MaxViolations {
		found.hollow = append(found.hollow, at)
	}
	if f.isResult && !f.result.media.IsZero() {
		if found.media == nil {
			found.media = map[plimsoll.PartRef]rawjson.Span{}
		}
		found.media[at] = f.result.media
	}
}
