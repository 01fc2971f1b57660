package transport_test

import (
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"hash/crc32"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/sse"
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

const (
	bedrockModel  = "us.anthropic.claude-sonnet-4-5-20250929-v1:0"
	bedrockSigned = "AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE/20261116/us-east-1/bedrock/aws4_request, SignedHeaders=host;x-amz-date, Signature=0"
)

// bedrock is a server that answers all requests behind the first few alike. It keeps the
// last one.
type bedrock struct {
	kind, answer string
	first        []string
	header       http.Header
	body         []byte
}

// ServeHTTP answers.
func (s *bedrock) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.header = r.Header.Clone()
	s.body, _ = io.ReadAll(r.Body)
	w.Header().Set("Content-Type", s.kind)
	answer := s.answer
	if len(s.first) > 0 {
		answer, s.first = s.first[0], s.first[1:]
	}
	_, _ = io.WriteString(w, answer)
}

// bedrockNow is the clock of a bench before Bedrock.
var bedrockNow = time.Date(2026, 11, 16, 12, 0, 0, 0, time.UTC)

// newBedrock returns a bench before a server like Bedrock's, whose operator has a key.
func newBedrock(t *testing.T, s *bedrock, key string) *bench {
	t.Helper()
	t.Setenv("AWS_ACCESS_KEY_ID", key)
	t.Setenv("AWS_SECRET_ACCESS_KEY", "secret")
	t.Setenv("AWS_SESSION_TOKEN", "")
	b := newBench(t, nil, transport.Options{Store: newStore(t), Now: func() time.Time { return bedrockNow }})
	b.server = httptest.NewServer(s)
	t.Cleanup(b.server.Close)
	return b
}

// signed returns the headers of a request that a client signed, with a limit.
func (b *bench) signed(path string, body []byte, secret string, at time.Time) http.Header {
	b.t.Helper()
	req := httptest.NewRequest(http.MethodPost, b.server.URL+path, nil)
	transport.SignForBedrock(req, body, "AKIDEXAMPLE", secret, at)
	req.Header.Set(transport.HeaderLimit, "20000")
	return req.Header
}

func TestClaudeAtBedrockIsManagedIfTheRequestCanBeSent(t *testing.T) {
	const path = "/model/" + bedrockModel + "/invoke"
	bearer := func(*bench, []byte) http.Header {
		return http.Header{transport.HeaderLimit: {"20000"}, "Authorization": {"Bearer token"}}
	}
	signed := func(secret string, at time.Time) func(*bench, []byte) http.Header {
		return func(b *bench, body []byte) http.Header { return b.signed(path, body, secret, at) }
	}
	for _, tt := range []struct {
		name, key, version string
		header             func(b *bench, body []byte) http.Header
		managed, again     bool
	}{
		{"a bearer token needs no signature", "", "bedrock-2023-05-31", bearer, true, false},
		{"the operator's signature is made again", "AKIDEXAMPLE", "bedrock-2023-05-31", signed("secret", bedrockNow.Add(-time.Minute)), true, true},
		{"another signature is not replaced", "AKIDOTHER", "bedrock-2023-05-31", signed("secret", bedrockNow), false, false},
		{"without keys nothing can be signed", "", "bedrock-2023-05-31", signed("secret", bedrockNow), false, false},
		{"the id of the operator's key is not enough", "AKIDEXAMPLE", "bedrock-2023-05-31", signed("guessed", bedrockNow), false, false},
		{"an old signature is not replaced", "AKIDEXAMPLE", "bedrock-2023-05-31", signed("secret", bedrockNow.Add(-time.Hour)), false, false},
		{"a signature of another body is not replaced", "AKIDEXAMPLE", "bedrock-2023-05-31", func(b *bench, body []byte) http.Header {
			return b.signed(path, append(body, '\n'), "secret", bedrockNow)
		}, false, false},
		{"a body without Anthropic's version is another model's", "", "", bearer, false, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &bedrock{kind: "application/json", answer: `{"type":"message","role":"assistant","content":[{"type":"text","text":"ok"}],"stop_reason":"end_turn","usage":{"input_tokens":7,"output_tokens":2}}`}
			b := newBedrock(t, s, tt.key)
			body := hostedBody(b.long(plimsoll.Anthropic, 20), tt.version)
			if tt.version == "" {
				body = bytes.Replace(body, []byte(`"anthropic_version":"",`), nil, 1)
			}
			header := tt.header(b, body)
			got := b.postRaw(path, body, header)
			x := <-b.exchanges
			if got.status != http.StatusOK || string(got.body) != s.answer {
				t.Errorf("%d %s", got.status, got.body)
			}
			if managed := len(s.body) < len(body); managed != tt.managed || managed != (x.Warning == "") || managed != (x.Usage.Input == 7) || managed != (x.Model == bedrockModel) {
				t.Errorf("managed is %v: %+v", managed, x)
			}
			if again := s.header.Get("Authorization") != header.Get("Authorization"); again != tt.again {
				t.Errorf("sent with %s", s.header.Get("Authorization"))
			}
		})
	}
}

func TestARequestThatBypassesIsSignedAgainOnlyWithTheSecret(t *testing.T) {
	for secret, want := range map[string]bool{"secret": true, "guessed": false} {
		s := &bedrock{kind: "application/json", answer: `{}`}
		b := newBedrock(t, s, "AKIDEXAMPLE")
		const path = "/model/" + bedrockModel + "/invoke"
		header := b.signed(path, []byte(`{}`), secret, bedrockNow.Add(-time.Minute))
		header.Set(transport.HeaderBypass, "true")
		b.postRaw(path, []byte(`{}`), header)
		if again := s.header.Get("Authorization") != header.Get("Authorization"); again != want {
			t.Errorf("with %s, sent with %s", secret, s.header.Get("Authorization"))
		}
	}
}

func TestARequestToConverseMayAskForAMillionTokens(t *testing.T) {
	for fields, want := range map[string]int{`{}`: 200_000, `{"anthropic_beta":["context-1m-2025-08-07"]}`: 1_000_000} {
		s := &bedrock{kind: "application/json", answer: `{"output":{"message":{"role":"assistant","content":[]}},"usage":{"inputTokens":7,"outputTokens":2,"totalTokens":9}}`}
		b := newBedrock(t, s, "")
		got := limitOf(t, b.postRaw("/model/"+bedrockModel+"/converse", []byte(`{"additionalModelRequestFields":`+fields+`,"messages":[{"role":"user","content":[{"text":"hi"}]}]}`), nil))
		if got > want || got < want*3/4 {
			t.Errorf("with %s the limit is %d, want about %d", fields, got, want)
		}
	}
}

func TestASignedStreamOfConverseIsManagedAndBilled(t *testing.T) {
	var stream []byte
	for _, e := range [][2]string{
		{"messageStart", `{"role":"assistant"}`},
		{"contentBlockDelta", `{"contentBlockIndex":0,"delta":{"text":"yes"}}`},
		{"contentBlockStop", `{"contentBlockIndex":0}`},
		{"messageStop", `{"stopReason":"end_turn"}`},
		{"metadata", `{"usage":{"inputTokens":70,"outputTokens":9,"totalTokens":109,"cacheReadInputTokens":30}}`},
	} {
		stream = append(stream, framed("\x0b:event-type\x07\x00"+string(rune(len(e[0])))+e[0]+"\r:message-type\x07\x00\x05event", e[1])...)
	}
	s := &bedrock{kind: "application/vnd.amazon.eventstream", answer: string(stream)}
	b := newBedrock(t, s, "AKIDEXAMPLE")
	body := b.long(plimsoll.Converse, 20).body()
	const path = "/model/" + bedrockModel + "/converse-stream"
	header := b.signed(path, body, "secret", bedrockNow.Add(-time.Minute))
	got := b.postRaw(path, body, header)
	x := <-b.exchanges
	if string(got.body) != s.answer || len(s.body) >= len(body) || x.Model != bedrockModel || !x.Stream || x.Endpoint != "converse" {
		t.Errorf("%d bytes sent of %d: %+v", len(s.body), len(body), x)
	}
	if want := (plimsoll.Usage{Input: 70, CacheRead: 30, Output: 9}); x.Usage != want || s.header.Get("Authorization") == header.Get("Authorization") {
		t.Errorf("billed %+v, sent with %s", x.Usage, s.header.Get("Authorization"))
	}
}

func TestABodyForBedrockMayAskForAMillionTokens(t *testing.T) {
	for beta, want := range map[string]int{"": 200_000, `"anthropic_beta":["context-1m-2025-08-07"],`: 1_000_000} {
		s := &bedrock{kind: "application/json", answer: `{"type":"message","role":"assistant","content":[],"usage":{"input_tokens":7,"output_tokens":2}}`}
		b := newBedrock(t, s, "")
		got := limitOf(t, b.postRaw("/model/"+bedrockModel+"/invoke", []byte(`{`+beta+`"anthropic_version":"bedrock-2023-05-31","max_tokens":9,"messages":[{"role":"user","content":"hi"}]}`), nil))
		if got > want || got < want*3/4 {
			t.Errorf("with %s the limit is %d, want about %d", beta, got, want)
		}
	}
}

// frame is an event in Amazon's framing.
func frame(event string) string {
	payload, _ := json.Marshal(map[string]string{"bytes": base64.StdEncoding.EncodeToString([]byte(event)), "p": "abcdef"})
	return framed("\x0b:event-type\x07\x00\x05chunk\r:content-type\x07\x00\x10application/json\r:message-type\x07\x00\x05event", string(payload))
}

func framed(headers, payload string) string {
	out := binary.BigEndian.AppendUint32(nil, uint32(16+len(headers)+len(payload)))
	out = binary.BigEndian.AppendUint32(out, uint32(len(headers)))
	out = binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out))
	out = append(append(out, headers...), payload...)
	return string(binary.BigEndian.AppendUint32(out, crc32.ChecksumIEEE(out)))
}

func TestAStreamOfBedrockPassesAndIsBilled(t *testing.T) {
	answer := frame(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"model":"claude-sonnet-4-5","usage":{"input_tokens":70,"cache_read_input_tokens":30,"output_tokens":1}}}`) +
		frame(`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`) +
		frame(`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"yes"}}`) +
		frame(`{"type":"content_block_stop","index":0}`) +
		frame(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`) +
		frame(`{"type":"message_stop","amazon-bedrock-invocationMetrics":{"inputTokenCount":70,"outputTokenCount":9}}`)
	for _, tt := range []struct {
		name, answer string
		billed       bool
	}{
		{"whole frames", answer, true},
		{"frames that are none", strings.Repeat("x", 100), false},
		{"a frame that breaks off", answer[:40], false},
		{"a frame with a wrong checksum", answer[:8] + "none" + answer[12:], false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := &bedrock{kind: "application/vnd.amazon.eventstream", answer: tt.answer}
			b := newBedrock(t, s, "AKIDEXAMPLE")
			body := hostedBody(b.long(plimsoll.Anthropic, 20), "bedrock-2023-05-31")
			const path = "/model/" + bedrockModel + "/invoke-with-response-stream"
			got := b.postRaw(path, body, b.signed(path, body, "secret", bedrockNow))
			x := <-b.exchanges
			if got.status != http.StatusOK || string(got.body) != tt.answer || len(s.body) >= len(body) || !x.Stream {
				t.Fatalf("%d, %d bytes sent: %+v", got.status, len(s.body), x)
			}
			if !bytes.Contains(s.body, []byte("tool_output_cache")) {
				t.Error("the model is not offered our tools")
			}
			want := plimsoll.Usage{}
			if tt.billed {
				want = plimsoll.Usage{Input: 70, CacheRead: 30, Output: 9}
			}
			if x.Usage != want || x.Billed != tt.billed {
				t.Errorf("billed %v %+v, want %+v", x.Billed, x.Usage, want)
			}
		})
	}
}

// eventsIn are the data of the events of a stream of Bedrock. All of it must be chunks.
func eventsIn(t *testing.T, stream []byte) (events []string) {
	t.Helper()
	s := sse.Frames.Splitter(func(e sse.Event, err error) {
		if err != nil || !e.HasData() || !bytes.Contains(e.Raw, []byte("chunk")) {
			t.Errorf("%q is no chunk: %v", e.Raw, err)
		}
		events = append(events, string(e.Data))
	}, nil)
	_, _ = s.Write(stream)
	_ = s.Close()
	return events
}

func TestCallsOfOurToolsInAStreamOfBedrockAreAnswered(t *testing.T) {
	const (
		start = `{"type":"message_start","message":{"id":"msg_%d","type":"message","role":"assistant","content":[],"usage":{"input_tokens":70,"output_tokens":1}}}`
		text  = `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":"%s"}}`
		ended = `{"type":"message_delta","delta":{"stop_reason":"%s"},"usage":{"output_tokens":9}}`
	)
	open := frame(fmt.Sprintf(start, 0)) + frame(fmt.Sprintf(text, "let me see")) + frame(`{"type":"content_block_stop","index":0}`)
	s := &bedrock{
		kind: "application/vnd.amazon.eventstream",
		first: []string{open +
			frame(`{"type":"content_block_start","index":1,"content_block":{"type":"tool_use","id":"hid","name":"tool_output_cache","input":{"ref_id":"x"}}}`) +
			frame(`{"type":"content_block_stop","index":1}`) + frame(fmt.Sprintf(ended, "tool_use")) + frame(`{"type":"message_stop"}`)},
		answer: frame(fmt.Sprintf(start, 1)) + frame(fmt.Sprintf(text, "found")) + frame(`{"type":"content_block_stop","index":0}`) +
			frame(fmt.Sprintf(ended, "end_turn")) + frame(`{"type":"message_stop"}`),
	}
	b := newBedrock(t, s, "AKIDEXAMPLE")
	body := hostedBody(b.long(plimsoll.Anthropic, 20), "bedrock-2023-05-31")
	const path = "/model/" + bedrockModel + "/invoke-with-response-stream"
	got := b.postRaw(path, body, b.signed(path, body, "secret", bedrockNow))
	x := <-b.exchanges
	if !strings.HasPrefix(string(got.body), open) {
		t.Error("the frames before the call did not pass unchanged")
	}
	want := []string{
		fmt.Sprintf(start, 0), fmt.Sprintf(text, "let me see"), `{"type":"content_block_stop","index":0}`,
		strings.Replace(fmt.Sprintf(text, "found"), `"index":0`, `"index":1`, 1), `{"type":"content_block_stop","index":1}`,
		`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":18,"input_tokens":70}}`, `{"type":"message_stop"}`,
	}
	if diff := cmp.Diff(want, eventsIn(t, got.body)); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
	if x.Rounds != 1 || x.Usage.Output != 18 || !bytes.Contains(s.body, []byte(`"tool_use_id":"hid"`)) {
		t.Errorf("%d rounds, billed %+v", x.Rounds, x.Usage)
	}
}

func TestAStreamOfBedrockThatBeginsWithAnOverflowIsRescued(t *testing.T) {
	answer := frame(`{"type":"message_start","message":{"id":"msg_1","type":"message","role":"assistant","content":[],"usage":{"input_tokens":70,"output_tokens":1}}}`) +
		frame(`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":9}}`) + frame(`{"type":"message_stop"}`)
	for _, tt := range []struct {
		name, message string
		rescued       bool
	}{
		{"the context is full", "Input is too long for requested model.", true},
		{"something else", "Your account is not authorized.", false},
	} {
		refusal := framed("\x0f:exception-type\x07\x00\x13validationException\r:content-type\x07\x00\x10application/json\r:message-type\x07\x00\x09exception", `{"message":"`+tt.message+`"}`)
		s := &bedrock{kind: "application/vnd.amazon.eventstream", first: []string{refusal}, answer: answer}
		b := newBedrock(t, s, "")
		body := hostedBody(b.long(plimsoll.Anthropic, 20), "bedrock-2023-05-31")
		got := b.postRaw("/model/"+bedrockModel+"/invoke-with-response-stream", body, http.Header{"Authorization": {"Bearer token"}})
		x := <-b.exchanges
		want := refusal
		if tt.rescued {
			want = answer
		}
		if string(got.body) != want || x.Rescued != tt.rescued {
			t.Errorf("%s: rescued %v, %q", tt.name, x.Rescued, got.body)
		}
	}
}
