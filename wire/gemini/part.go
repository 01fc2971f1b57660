package gemini

import (
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
)

// partFields are the members of a part, gathered before it is known what it is.
type partFields struct {
	text      rawjson.Text
	isText    bool
	thought   bool
	signature rawjson.Span
	call      *call
	result    *result
	media     plimsoll.Media
	isMedia   bool
	data      rawjson.Span
	// kind is the first member that is not understood.
	kind string
}

// part reads one part, and for a function response where its content stands.
func (d *decoder) part(at plimsoll.PartRef, id wire.Identity) (plimsoll.Part, rawjson.Span) {
	s, body := d.scanner, d.layout.Body
	id.Field("part", nil)
	if s.Peek() != '{' {
		v := s.Value()
		id.Field("value", v.Of(body))
		d.note(at, &partFields{})
		return wire.OpaquePart(body, "", v), rawjson.Span{}
	}
	begin := s.Offset()
	var f partFields
	for key := range s.Members() {
		d.partMember(&f, id, camel(key))
	}
	d.note(at, &f)
	return f.part(body, rawjson.Span{Start: begin, End: s.Offset()})
}

func (d *decoder) partMember(f *partFields, id wire.Identity, key string) {
	s, body := d.scanner, d.layout.Body
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
		if v := s.Value(); !d.null(v) {
			f.signature = v
		}
	case "functionCall":
		f.call = d.call(id)
	case "functionResponse":
		f.result = d.result(id)
	case "inlineData", "fileData":
		d.media(f, id, key)
	case "mediaResolution":
		f.media.Detail = d.resolution(id)
	default:
		if !d.unknown(id, key) && f.kind == "" && !besideData[key] {
			f.kind = key
		}
	}
}

// besideData are members that say something about a part's data and are none.
var besideData = map[string]bool{"videoMetadata": true, "partMetadata": true}

// media reads data in the request, or where it is kept.
func (d *decoder) media(f *partFields, id wire.Identity, kind string) {
	s, body := d.scanner, d.layout.Body
	if s.Peek() != '{' {
		if !d.unknown(id, kind) {
			f.kind = kind
		}
		return
	}
	f.isMedia = true
	begin := s.Offset()
	for key := range s.Members() {
		switch camel(key) {
		case "mimeType":
			f.media.MIME = d.text()
		case "data":
			f.data = s.Value()
		case "fileUri":
			f.media.URL = d.text()
		}
	}
	f.media.Kind = mediaKind(f.media.MIME)
	id.Field(kind, rawjson.Span{Start: begin, End: s.Offset()}.Of(body))
}

// resolution reads {"level":…}, or the bare level.
func (d *decoder) resolution(id wire.Identity) string {
	s := d.scanner
	level := ""
	if s.Peek() != '{' {
		level = d.text()
	} else {
		for key := range s.Members() {
			if string(key) == "level" {
				level = d.text()
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

// part decides what the members make. What is understood comes first: calls must
// pair and texts be weighed, whatever else a client writes beside them.
func (f *partFields) part(body []byte, raw rawjson.Span) (plimsoll.Part, rawjson.Span) {
	switch {
	case f.call != nil:
		return wire.CallPart(body, f.call.id, f.call.name, f.call.args), rawjson.Span{}
	case f.result != nil:
		return f.result.part(body), f.result.response
	case f.isMedia:
		return wire.MediaPart(body, f.media, f.data), rawjson.Span{}
	case f.isText && f.thought:
		return wire.ReasoningPart(body, f.text.Span, f.signature, false), rawjson.Span{}
	case f.isText:
		return wire.TextPart(body, f.text), rawjson.Span{}
	case f.kind != "":
		return wire.OpaquePart(body, f.kind, raw), rawjson.Span{}
	case !f.signature.IsZero():
		return wire.ReasoningPart(body, rawjson.Span{}, f.signature, true), rawjson.Span{}
	default:
		return wire.OpaquePart(body, "", raw), rawjson.Span{}
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
	if f.call == nil && f.result == nil && !f.isMedia && !f.isText && f.kind == "" && f.signature.IsZero() {
		found.hollow = append(found.hollow, at)
	}
	if f.result != nil && !f.result.media.IsZero() {
		if found.media == nil {
			found.media = map[plimsoll.PartRef]rawjson.Span{}
		}
		found.media[at] = f.result.media
	}
}
