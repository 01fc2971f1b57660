package scripted

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// object is a JSON object.
type object = map[string]any

// voice writes answers as one API does.
type voice interface {
	// callPrefix is what ids of calls begin with.
	callPrefix() string
	// whole is a complete answer.
	whole(*answer) object
	// frames are the same in pieces, ready to be sent; at least two.
	frames(*answer) [][]byte
	// streamType is the content type of a stream.
	streamType() string
	// fault is the body of an error.
	fault(Fault) any
	// broken are the frames that report an error in the middle of a stream.
	broken(*answer, Fault) [][]byte
	// overflow says that a request has more tokens than the window.
	overflow(tokens, window int) Fault
	// tokens is the answer to those who count.
	tokens(n int) object
	// models lists models.
	models(names []string) object
	// describe is what is said about one model.
	describe(name string) object
}

// voiceOf returns the voice for a request. Paths that say nothing are OpenAI's,
// except where a client shows that it speaks to Anthropic.
func voiceOf(r *http.Request) voice {
	path := strings.TrimSuffix(r.URL.Path, "/")
	dialect, ok := dialects.FromPath(path)
	switch {
	case ok && dialect == plimsoll.Gemini, strings.HasSuffix(path, ":countTokens"), strings.Contains(path, "/v1beta/"):
		return gemini{sse: r.URL.Query().Get("alt") == "sse", stream: strings.HasSuffix(path, ":streamGenerateContent")}
	case ok && dialect == plimsoll.Anthropic, strings.HasSuffix(path, "/messages/count_tokens"), r.Header.Get("Anthropic-Version") != "":
		return anthropic{}
	case ok && dialect == plimsoll.Ollama:
		return records{}
	case ok && dialect == plimsoll.Converse:
		return bedrock{}
	case ok && dialect == plimsoll.Responses, strings.HasSuffix(path, "/responses/input_tokens"):
		return items{}
	}
	return chat{}
}

// credential returns the key of a request, wherever it stands.
func credential(r *http.Request) string {
	return cmp.Or(r.Header.Get("Authorization"), r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), r.URL.Query().Get("key"))
}

// event frames one event of a stream.
func event(name string, data object) []byte { return sse.Append(nil, name, encode(data)) }
