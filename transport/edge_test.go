package transport_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

const plainAnswer = `{"id":"1","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":3,"completion_tokens":1}}`

func TestAnUpstreamCannotSpeakForPlimsoll(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Plimsoll-Warning", "forged")
		w.Header()["x-plimsoll-evil"] = []string{"forged"}
		w.Header().Set("X-Request-Id", "r1")
		_, _ = io.WriteString(w, plainAnswer)
	}))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{})
	b.server = server
	for _, path := range []string{"/v1/chat/completions", "/v1/embeddings"} {
		got := b.postRaw(path, []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`), nil)
		for name, values := range got.header {
			if strings.Contains(strings.Join(values, ""), "forged") {
				t.Errorf("%s: %s reached the client", path, name)
			}
		}
		if got.header.Get("X-Request-Id") != "r1" {
			t.Errorf("%s: a header of the upstream's own was lost", path)
		}
	}
}

func TestAMalformedAnswerIsNotQuoted(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		`net/http: HTTP/1.x transport connection broken: malformed MIME header: missing colon: "X canary \"canary\" canary"`,
		`malformed MIME header line: canary: "canary"`,
		`net/http: malformed HTTP response "canary"`,
	} {
		b := newBench(t, nil, transport.Options{Base: roundTripper(func(*http.Request) (*http.Response, error) { return nil, errors.New(text) })})
		for _, path := range []string{"/v1/chat/completions", "/v1/embeddings"} {
			_, err := b.client.Post("http://127.0.0.1:1"+path, "application/json", strings.NewReader(`{"messages":[{"role":"user","content":"hi"}]}`))
			if err == nil || strings.Contains(err.Error(), "canary") || !strings.Contains(err.Error(), "malformed") {
				t.Errorf("%s: %v", path, err)
			}
		}
		if x := <-b.exchanges; x.Err == nil || strings.Contains(x.Err.Error(), "canary") {
			t.Errorf("observers get %v", x.Err)
		}
	}
}

func TestAKeyThatAClientSendsAsANameIsNotShown(t *testing.T) {
	t.Parallel()
	const key = "correct-horse-battery-staple" // it has no known form
	b := newBench(t, nil, transport.Options{})
	header := http.Header{"Authorization": {"Bearer " + key}, transport.HeaderConversation: {"chat " + key}}
	b.postRaw("/v1/chat/completions", []byte(`{"model":"`+key+`","messages":[{"role":"user","content":"hi"}]}`), header)
	if x := <-b.exchanges; strings.Contains(x.Model+x.Conversation, "horse") || x.Model == "" || x.Conversation == "" {
		t.Errorf("observers get the model %q and the conversation %q", x.Model, x.Conversation)
	}
	header.Set(transport.HeaderConversation, "0194f8a2-7c1e-7b3a-9d55-0242ac120002")
	b.postRaw("/v1/chat/completions", []byte(`{"model":"gpt-4o-2024-08-06","messages":[{"role":"user","content":"hi"}]}`), header)
	if x := <-b.exchanges; x.Model != "gpt-4o-2024-08-06" || x.Conversation != header.Get(transport.HeaderConversation) {
		t.Errorf("observers get the model %q and the conversation %q", x.Model, x.Conversation)
	}
	header.Set(transport.HeaderPin, "colour="+key)
	b.postRaw("/v1/chat/completions", []byte(`{"model":"m","messages":[{"role":"user","content":"hi"}]}`), header)
	if x := <-b.exchanges; x.Err == nil || strings.Contains(x.Err.Error(), "horse") {
		t.Errorf("observers get %v", x.Err)
	}
}

func TestARequestWithAHugeNameOfAModelIsPassedOnAndNotRemembered(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("m", 513)
	for path, body := range map[string]string{
		"/v1/chat/completions":                              `{"model":"` + name + `","messages":[{"role":"user","content":"hi"}]}`,
		"/v1beta/models/" + name + ":generateContent":       `{"contents":[{"role":"user","parts":[{"text":"hi"}]}]}`,
		"/openai/deployments/" + name + "/chat/completions": `{"messages":[{"role":"user","content":"hi"}]}`,
	} {
		b := newBench(t, nil, transport.Options{Store: newStore(t)})
		got := b.postRaw(path, []byte(body), nil)
		if d := got.header.Get(transport.HeaderDecision); d != "bypass" {
			t.Errorf("%.30s: %d, decision %q", path, got.status, d)
		}
		if x := <-b.exchanges; x.Model != "" {
			t.Errorf("%.30s: observers get the name", path)
		}
	}
}

func TestACostlyPatternOfAPinIsRefused(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{})
	a := b.agent(plimsoll.OpenAI, false)
	a.say("hi")
	a.header = http.Header{transport.HeaderPin: {`match=(?:\pL|\pN|\w){1000}z`}}
	if got := a.ask(); got.status != http.StatusBadRequest || !bytes.Contains(got.body, []byte("too costly")) {
		t.Errorf("%d %s", got.status, got.body)
	}
	a.header = http.Header{transport.HeaderPin: make([]string, 33)}
	for i := range a.header[transport.HeaderPin] {
		a.header[transport.HeaderPin][i] = "role=user"
	}
	if got := a.ask(); got.status != http.StatusBadRequest || !bytes.Contains(got.body, []byte("at most 32 pins")) {
		t.Errorf("%d %s", got.status, got.body)
	}
}

// counting is the body of a request whose server has a budget.
type counting struct {
	io.Reader
	claimed *int64
	most    int64
}

var errBusy = errors.New("there is no memory")

func (c counting) Close() error { return nil }

func (c counting) Grow(size int64) error {
	*c.claimed = size
	if size > c.most {
		return errBusy
	}
	return nil
}

func TestSmallMessagesClaimMoreMemoryThanTheirBytes(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{})
	body := []byte(`{"model":"m","messages":[` + strings.Repeat(`{"role":"user","content":"a"},`, 999) + `{"role":"user","content":"a"}]}`)
	for _, most := range []int64{1 << 30, 100_000} {
		var claimed int64
		req, err := http.NewRequest(http.MethodPost, b.server.URL+"/v1/chat/completions", counting{bytes.NewReader(body), &claimed, most})
		if err != nil {
			t.Fatal(err)
		}
		req.ContentLength = int64(len(body))
		resp, err := b.client.Do(req)
		if enough := most > 100_000; enough != (err == nil) || err != nil && !errors.Is(err, errBusy) {
			t.Fatal(err)
		}
		if err == nil {
			_ = resp.Body.Close()
		}
		if claimed < 1000*1000 {
			t.Errorf("%d bytes were claimed for 1,000 messages", claimed)
		}
	}
	if n := len(b.model.Log()); n != 1 {
		t.Errorf("%d requests were sent", n)
	}
}

func TestA404AboutWhatOneClientNamesChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		what, path, body, answer string
		// missing says that the path is.
		missing bool
	}{
		{"an item", "/v1/responses/compact", `{"model":"gpt-4o","input":[{"type":"item_reference","id":"rs_77"},{"role":"user","content":"hi"}]}`, `{"error":{"message":"Item with id 'rs_77' not found.","type":"invalid_request_error","param":"input"}}`, false},
		{"a response", "/v1/responses/compact", `{"model":"gpt-4o","previous_response_id":"resp_9","input":"hi"}`, `{"error":{"message":"Previous response with id 'resp_9' not found."}}`, false},
		{"a file", "/v1/messages/count_tokens", `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":[{"type":"document","source":{"type":"file","file_id":"file_12"}}]}]}`, `{"type":"error","error":{"type":"not_found_error","message":"File file_12 not found"}}`, false},
		{"the path", "/v1/messages/count_tokens", `{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"hi"}]}`, `{"detail":"Not Found"}`, true},
		{"the path with its name", "/v1/responses/compact", `{"model":"gpt-4o","input":"hi"}`, `{"error":{"message":"Invalid URL (POST /v1/responses/compact)","type":"invalid_request_error"}}`, true},
	} {
		asked := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			asked++
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusNotFound)
			_, _ = io.WriteString(w, c.answer)
		}))
		t.Cleanup(server.Close)
		b := newBench(t, nil, transport.Options{Store: newStore(t)})
		b.server = server
		send := func(key string) int {
			return b.postRaw(c.path, []byte(c.body), http.Header{"Authorization": {"Bearer " + key}}).status
		}
		want := http.StatusNotFound
		if c.missing {
			want = http.StatusOK
		}
		if first, again, other := send("a"), send("a"), send("b"); first != want || again != want || other != want {
			t.Errorf("%s: %d, %d, and %d for another client", c.what, first, again, other)
		}
		wantAsked := 3
		if c.missing {
			wantAsked = 2 // once for each client
		}
		if asked != wantAsked {
			t.Errorf("%s: the upstream was asked %d times", c.what, asked)
		}
	}
}

func TestAnAnswerWithMoreCallsThanThereIsRoomForEndsNormally(t *testing.T) {
	t.Parallel()
	for _, stream := range []bool{false, true} {
		for _, calls := range []int{100, 500} {
			look := scripted.Step{Text: "I look."}
			for i := range calls {
				look.Calls = append(look.Calls, plimsoll.ToolCall{ID: fmt.Sprint("c", i), Name: "tool_output_cache", Arguments: `{"ref_id":"nope"}`})
			}
			b := newBench(t, &scripted.Options{Script: scripted.Steps(look, scripted.Say("There is nothing."), scripted.Say("And again."))},
				transport.Options{Store: newStore(t), Expand: transport.ExpandAlways, Window: 20_000})
			a := b.agent(plimsoll.OpenAI, stream)
			a.say("hi")
			got := a.ask()
			if got.status != http.StatusOK || !bytes.Contains(got.body, []byte("I look.")) || bytes.Contains(got.body, []byte("tool_output_cache")) {
				t.Errorf("%d calls, stream %t: %d %.300s", calls, stream, got.status, got.body)
			}
			if done := bytes.Contains(got.body, []byte("There is nothing.")); done != (calls == 100) {
				t.Errorf("%d calls, stream %t: the model was asked again: %t", calls, stream, done)
			}
			if again := a.ask(); again.status != http.StatusOK {
				t.Errorf("%d calls, stream %t: the next request: %d %.300s", calls, stream, again.status, again.body)
			}
		}
	}
}
