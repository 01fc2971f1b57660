// Package gemini speaks Google's generateContent.
//
// Messages are elements of "contents"; the model's are called "model", and
// function responses stand in contents of the user. Calls may have no id: then
// they pair with their responses by name and order. The model's name is in the
// path, not in the body. Thought signatures, and everything that this package
// does not know, are carried as they are. As with Google's own parser, keys may
// be written in camel case or in snake case, a lone object may stand for a list
// of one, and null for nothing.
//
// The package knows nothing of paths and of transport: whether an answer is
// streamed is its caller's to say.
package gemini

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

// Codec reads and writes generateContent. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Gemini].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Gemini }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Gemini, d.layout, d.writer), nil
}

// camelCase has the keys that are understood and of more than one word, in the
// spelling of Google's documentation, by their other spelling.
var camelCase = map[string]string{
	"system_instruction":     "systemInstruction",
	"cached_content":         "cachedContent",
	"tool_config":            "toolConfig",
	"generation_config":      "generationConfig",
	"max_output_tokens":      "maxOutputTokens",
	"thought_signature":      "thoughtSignature",
	"function_call":          "functionCall",
	"function_response":      "functionResponse",
	"inline_data":            "inlineData",
	"file_data":              "fileData",
	"file_uri":               "fileUri",
	"mime_type":              "mimeType",
	"media_resolution":       "mediaResolution",
	"video_metadata":         "videoMetadata",
	"part_metadata":          "partMetadata",
	"executable_code":        "executableCode",
	"code_execution_result":  "codeExecutionResult",
	"function_declarations":  "functionDeclarations",
	"parameters_json_schema": "parametersJsonSchema",
	"response_json_schema":   "responseJsonSchema",
}

// camel brings a key to camel case; one that is not understood stays as it is.
func camel(key string) string {
	if name, ok := camelCase[key]; ok {
		return name
	}
	return key
}

// repeated is a list in the body, or what stands for one.
type repeated struct {
	rawjson.List
	// lone says that there are no brackets: the value is the only item, or null.
	lone bool
}

// repeated walks a list, or a lone object, and says where its items stand. Read
// must read one value. Items are reused for those of the list.
func (d *decoder) repeated(items []rawjson.Span, read func(i int)) repeated {
	s := d.scanner
	list := repeated{lone: s.Peek() != '['}
	list.Items = items[:0]
	list.Span = d.walk(func(i int) {
		s.Peek()
		begin := s.Offset()
		read(i)
		list.Items = append(list.Items, s.Since(begin))
	})
	return list
}

// walk is repeated for those who need not know where the items stand.
func (d *decoder) walk(read func(i int)) rawjson.Span {
	s := d.scanner
	kind := s.Peek()
	start := s.Offset()
	switch kind {
	case '[':
		for i := range s.Elements() {
			read(i)
		}
	case '{':
		read(0)
	default:
		s.Value()
	}
	return s.Since(start)
}

// extend returns the edits that append to the list.
func (l repeated) extend(body []byte, elements [][]byte) []rawjson.Edit {
	if !l.lone {
		return rawjson.Append(l.List, elements...)
	}
	if len(l.Items) > 0 {
		elements = append([][]byte{l.Of(body)}, elements...)
	}
	return []rawjson.Edit{{Span: l.Span, Text: joined("[", elements, "]")}}
}
