package transport_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

// hostedBody is the body of an agent at a host of Claude's, where the path names the model.
func hostedBody(a *agent, version string) []byte {
	return []byte(strings.Replace(string(a.body()), `"model":"`+models[plimsoll.Anthropic]+`",`, `"anthropic_version":"`+version+`",`, 1))
}

func TestClaudeAtVertexIsManaged(t *testing.T) {
	t.Parallel()
	const at = "/v1/projects/p/locations/us-east5/publishers/anthropic/models/claude-sonnet-4-5@20250929:"
	for _, stream := range []bool{false, true} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandOff})
		a := b.long(plimsoll.Anthropic, 20)
		a.stream = stream
		action := "rawPredict"
		if stream {
			action = "streamRawPredict"
		}
		got := b.postRaw(at+action, hostedBody(a, "vertex-2023-10-16"), http.Header{transport.HeaderLimit: {"20000"}})
		if got.read(t, plimsoll.Anthropic, stream); got.status != http.StatusOK || !got.done {
			t.Fatalf("stream %v: %d %s", stream, got.status, got.body)
		}
		x := <-b.exchanges
		if x.Model != "claude-sonnet-4-5@20250929" || x.After.Total >= x.Before.Total || x.Stream != stream || x.Endpoint != "messages" {
			t.Errorf("stream %v: %+v", stream, x)
		}
		sent := b.model.Log()[0].Body
		if !bytes.Contains(sent, []byte(`"anthropic_version":"vertex-2023-10-16"`)) || bytes.Contains(sent, []byte(`"model"`)) {
			t.Errorf("stream %v: sent %.200s", stream, sent)
		}
	}
}
