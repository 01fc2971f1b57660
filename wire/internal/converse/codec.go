// Package converse speaks Amazon Bedrock's Converse API.
//
// The path names the model and says whether the answer is streamed. A message is a list of
// blocks, and the one member of a block says what it is. All results of a round are blocks
// of the user's message behind the calls; user and assistant must alternate. A cache point
// is a block of its own that says nothing. Answers are streamed in Amazon's frames. Blocks
// that this package does not know are carried as they are. It knows the API's rules and no
// policy.
package converse

import (
	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes Converse. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Converse].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Converse }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	err := build.ReadRoot(d.Scanner, d.layout, d.member)
	if err == nil && !d.seen {
		err = d.Wrong("messages", "a list of messages")
	}
	if err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Converse, d.layout, d.writer), nil
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{Scanner: build.NewScanner(plimsoll.Converse, body), layout: l, writer: &writer{body: body, layout: l}}
}

// The API cannot tell a model to call no tool.
var traits = wire.Traits{
	Name: "converse", Paths: []string{"/converse", "/converse-stream"}, Messages: "messages", InPath: "/model/", Hosted: true, Alternates: true,
	Model: "claude-sonnet-4-5", Provider: "aws.bedrock", Operation: "chat",
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Headers returns the key, which Amazon calls an API key for Bedrock.
func (Codec) Headers(key string) map[string]string { return build.Bearer(key) }

// Offerable reports true: this API takes tools beside everything.
func (Codec) Offerable(*wire.Request) bool { return true }

// Recognises reports whether a body has messages as this API writes them: beside members
// that only it has, or of blocks without a type.
func (Codec) Recognises(body []byte) bool {
	s := rawjson.NewScanner(body)
	if s.Peek() != '{' {
		return false
	}
	messages, found := false, false
	for key := range s.Members() {
		switch string(key) {
		case "messages":
			if messages = s.Peek() == '['; messages {
				list := s.Value().Of(body)
				found = found || untyped(list)
			}
		case "inferenceConfig", "toolConfig", "guardrailConfig", "additionalModelRequestFields":
			found = true
		}
	}
	return s.End() == nil && messages && found
}

// untyped reports whether the first message has a block without a type.
func untyped(messages []byte) bool {
	s := rawjson.NewScanner(messages)
	for range s.Elements() {
		if s.Peek() != '{' {
			return false
		}
		for _, block := range rawjson.Items(rawjson.Member(s.Value().Of(messages), "content")) {
			return rawjson.IsObject(block) && rawjson.Member(block, "type") == nil &&
				(rawjson.IsString(rawjson.Member(block, "text")) || rawjson.Member(block, "toolUse") != nil || rawjson.Member(block, "toolResult") != nil)
		}
		return false
	}
	return false
}

// Error renders an error. SDKs find its type in the body if there is no header with it.
func (Codec) Error(status int, _, message string) []byte {
	kind := "ValidationException"
	switch {
	case status == 401 || status == 403:
		kind = "AccessDeniedException"
	case status == 404:
		kind = "ResourceNotFoundException"
	case status == 429:
		kind = "ThrottlingException"
	case status == 503:
		kind = "ServiceUnavailableException"
	case status >= 500:
		kind = "InternalServerException"
	}
	out := rawjson.AppendQuote([]byte(`{"__type":`), kind)
	out = rawjson.AppendQuote(append(out, `,"message":`...), message)
	return append(out, '}')
}

// Refusal renders an error. A conversation that does not fit gets the words by which
// agents know that they must shorten it.
func (c Codec) Refusal(err error) (int, []byte) {
	status, code, message := build.Refusal(err)
	if code == build.ContextFull {
		message = "Input is too long for requested model. " + message
	}
	return status, c.Error(status, code, message)
}
