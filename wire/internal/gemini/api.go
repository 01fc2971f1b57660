package gemini

import (
	"encoding/json"

	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
)

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
