package responses_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/wire/internal/responses"
)

// typedItem is what a proxy without a splice unmarshals items into.
type typedItem struct {
	Type      string `json:"type"`
	CallID    string `json:"call_id,omitempty"`
	Name      string `json:"name,omitempty"`
	Arguments string `json:"arguments,omitempty"`
	Output    any    `json:"output,omitempty"`
}

type typedRequest struct {
	Model string      `json:"model"`
	Input []typedItem `json:"input"`
}

// agentBody is a body of about size bytes with the given number of items.
func agentBody(size, items int) []byte {
	line := "\tif err := check(\"line\", i); err != nil { return fmt.Errorf(\"check %d: %w\", i, err) }\n"
	result := wiretest.String(strings.Repeat(line, 1+size/(items/2)/(len(line)+6)))
	var all []wiretest.Raw
	for i := range items / 2 {
		all = append(all,
			wiretest.Raw(fmt.Sprintf(`{"type":"function_call","id":"fc_%d","call_id":"call_%d","name":"read","arguments":"{\"path\":\"file_%d.go\"}"}`, i, i, i)),
			wiretest.Raw(fmt.Sprintf(`{"type":"function_call_output","call_id":"call_%d","output":%s}`, i, result)))
	}
	return object(member("model", word("gpt-5")), member("input", wiretest.Array(all...)))
}

func BenchmarkUnedited(b *testing.B) {
	wiretest.Unedited(b, responses.Codec{}, agentBody, func() any { return &typedRequest{} })
}

func BenchmarkWarm(b *testing.B) { wiretest.Warm(b, responses.Codec{}, agentBody) }
