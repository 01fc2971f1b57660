// Package anthropic speaks Anthropic's Messages API.
//
// Instructions stand in "system", beside the messages; newer models also take
// them as messages right behind a user's. A message is a string or a list of
// blocks, and all results of a round are blocks of the one user message behind
// the calls. Blocks that this package does not know, and the tools that run on
// the provider's side, are carried as they are. It knows the API's rules and no
// policy.
package anthropic

import (
	"errors"
	"fmt"
	"strings"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/rawjson"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/internal/build"
	"github.com/plimsoll/plimsoll/wire/internal/layout"
)

// Codec reads and writes the Messages API. The zero value is ready to use.
type Codec struct{}

var _ build.Joiner = Codec{}

// Dialect returns [plimsoll.Anthropic].
func (Codec) Dialect() plimsoll.Dialect { return plimsoll.Anthropic }

// Decode indexes a request body.
func (Codec) Decode(body []byte) (*wire.Request, error) {
	d := newDecoder(body)
	if err := d.request(); err != nil {
		return nil, err
	}
	return wire.NewRequest(plimsoll.Anthropic, d.layout, d.writer), nil
}

func newDecoder(body []byte) *decoder {
	l := &layout.Layout{Body: body}
	return &decoder{
		scanner: build.NewScanner(plimsoll.Anthropic, body),
		layout:  l,
		writer:  &writer{body: body, layout: l},
	}
}

var traits = wire.Traits{
	Name: "messages", Paths: []string{"/messages"}, Count: "input_tokens",
	CountPaths: []string{"/messages/count_tokens", "/publishers/anthropic/models/count-tokens:rawPredict"},
	TakesPath:  func(path string) bool { return atVertex(path) || atBedrock(path) },
	Version:    "/v1",
	Messages:   "messages", NoCalls: wire.Member{Key: "tool_choice", Value: `{"type":"none"}`},
	Model: "claude-sonnet-4-5", Provider: "anthropic", Operation: "chat",
}

// atVertex reports whether a path is that of a Claude at Google. Other publishers' models
// have paths of the same form, and bodies of another.
func atVertex(path string) bool {
	_, name, ok := strings.Cut(path, "/publishers/anthropic/models/")
	model, action, _ := strings.Cut(name, ":")
	return ok && model != "count-tokens" && (action == "rawPredict" || action == "streamRawPredict")
}

// atBedrock reports whether a path is that of a Claude at Amazon, or of a profile, which
// names no model.
func atBedrock(path string) bool {
	_, name, ok := strings.Cut(path, "/model/")
	name, whole := strings.CutSuffix(name, "/invoke")
	name, streamed := strings.CutSuffix(name, "/invoke-with-response-stream")
	return ok && (whole || streamed) && (strings.Contains(name, "anthropic.") || strings.HasPrefix(name, "arn:"))
}

// Traits returns what is special about this API.
func (Codec) Traits() wire.Traits { return traits }

// Headers returns the version that the API demands, and the key.
func (Codec) Headers(key string) map[string]string {
	headers := map[string]string{"Anthropic-Version": "2023-06-01"}
	if key != "" {
		headers["X-Api-Key"] = key
	}
	return headers
}

// Offerable reports true: this API takes tools beside everything.
func (Codec) Offerable(*wire.Request) bool { return true }

// Error renders an error. This API has no place for the code.
func (Codec) Error(status int, _, message string) []byte {
	body := appendMembers(nil, "type", errorType(status), "message", message)
	return append(append([]byte(`{"type":"error","error":`), body...), '}')
}

func errorType(status int) string {
	switch status {
	case 401:
		return "authentication_error"
	case 403:
		return "permission_error"
	case 404:
		return "not_found_error"
	case 413:
		return "request_too_large"
	case 503:
		return "overloaded_error"
	case 504:
		return "timeout_error"
	}
	if status >= 500 {
		return "api_error"
	}
	return "invalid_request_error"
}

// Refusal renders an error. A conversation that does not fit gets the words by which
// SDKs and agents know that they must shorten it.
func (c Codec) Refusal(err error) (int, []byte) {
	status, code, message := build.Refusal(err)
	if code == build.ContextFull {
		message = tooLong(err, message)
	}
	return status, c.Error(status, code, message)
}

// tooLong puts the figures where agents look for them, if there are any.
func tooLong(err error, text string) string {
	const words = "prompt is too long: "
	var over *plimsoll.OverloadError
	if errors.As(err, &over) {
		return fmt.Sprintf("%s%d tokens > %d maximum: %s", words, max(over.Load, over.Floor), over.Line.Limit(), text)
	}
	if o, ok := wire.FindOverflow(400, rawjson.AppendQuote(nil, words+text)); ok && o.Tokens > 0 {
		return fmt.Sprintf("%s%d tokens > %d maximum: %s", words, o.Tokens, o.Limit, text)
	}
	return words + text
}
