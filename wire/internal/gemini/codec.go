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
	"encoding/json"

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

var traits = wire.Traits{
	Name: "generate", Paths: []string{":generateContent", ":streamGenerateContent"},
	CountPaths: []string{":countTokens"}, Count: "totalTokens",
	Version: "/v1beta", Messages: "contents", InPath: "/models/", StreamQuery: "alt=sse", Hosted: true,
	NoCalls: wire.Member{Key: "toolConfig", Value: `{"functionCallingConfig":{"mode":"NONE"}}`},
	Model:   "gemini-2.5-pro", Provider: "gcp.gemini", Operation: "generate_content",
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Recognises reports whether a body has a list of contents.
func (Codec) Recognises(body []byte) bool { return build.HasMember(body, "contents", '[') }

// Headers returns the key.
func (Codec) Headers(key string) map[string]string {
	if key == "" {
		return nil
	}
	return map[string]string{"X-Goog-Api-Key": key}
}

// Offerable reports false for a request beside whose cached content tools are refused,
// and for one that asks for JSON, which the API does not give beside tools, or for
// several answers.
func (Codec) Offerable(r *wire.Request) bool {
	for key, value := range r.Members() {
		switch camel(key) {
		case "cachedContent":
			return false
		case "generationConfig":
			if asksForMore(value) {
				return false
			}
		}
	}
	return true
}

// asksForMore reports whether a configuration asks for JSON or for several answers.
func asksForMore(config []byte) bool {
	s, found := rawjson.NewScanner(config), false
	if s.Peek() != '{' {
		return false
	}
	for key := range s.Members() {
		switch rawjson.View(key) {
		case "responseMimeType", "response_mime_type":
			text, ok := s.String()
			found = found || ok && text.Decode(config) != "text/plain"
		case "candidateCount", "candidate_count":
			n, ok := s.Int()
			found = found || ok && n > 1
		}
	}
	return found
}

// Error renders an error. This API has no place for the code.
func (Codec) Error(status int, _, message string) []byte {
	body, _ := json.Marshal(map[string]any{"error": map[string]any{ // texts and numbers alone cannot fail
		"code": status, "message": message, "status": statusName(status),
	}})
	return body
}

// Refusal renders an error. A conversation that does not fit is refused in the words by
// which clients recognise it, for want of a code.
func (c Codec) Refusal(err error) (int, []byte) {
	status, code, message := build.Refusal(err)
	if code == build.ContextFull {
		message = "The input token count exceeds the maximum number of tokens allowed. " + message
	}
	return status, c.Error(status, code, message)
}

// statusName returns Google's name for an HTTP status.
func statusName(status int) string {
	switch status {
	case 401:
		return "UNAUTHENTICATED"
	case 403:
		return "PERMISSION_DENIED"
	case 404:
		return "NOT_FOUND"
	case 408, 504:
		return "DEADLINE_EXCEEDED"
	case 502, 503:
		return "UNAVAILABLE"
	}
	if status >= 500 {
		return "INTERNAL"
	}
	return "INVALID_ARGUMENT"
}
