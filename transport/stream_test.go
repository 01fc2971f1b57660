package transport_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
)

const chatStream = "data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"a\"}}]}\n\n" +
	": a comment\r\n\r\n" +
	"data: {\"id\":\"c\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"b\"},\"finish_reason\":\"stop\"}],\"unknown\":1e2}\r\n\r\n" +
	"event: x\ndata: 1\ndata: 2\n\n" +
	"data: {\"id\":\"c\",\"choices\":[],\"usage\":{\"prompt_tokens\":11,\"completion_tokens\":2,\"total_tokens\":13}}\n\n" +
	"data: [DONE]\n\n"

// coded returns a stream in a content coding, flushed behind every event.
func coded(t *testing.T, coding string) []byte {
	t.Helper()
	var b bytes.Buffer
	var w interface {
		io.WriteCloser
		Flush() error
	}
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "zstd":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	default:
		return []byte(chatStream)
	}
	for _, event := range strings.SplitAfter(chatStream, "\n\n") {
		_, _ = io.WriteString(w, event)
		_ = w.Flush()
	}
	_ = w.Close()
	return b.Bytes()
}

func TestAStreamInAnyCodingPassesByteForByteAndIsReadOnTheSide(t *testing.T) {
	t.Parallel()
	for _, coding := range []string{"", "gzip", "zstd"} {
		want := coded(t, coding)
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/event-stream")
			if coding != "" {
				w.Header().Set("Content-Encoding", coding)
			}
			for i := range want {
				_, _ = w.Write(want[i : i+1])
				w.(http.Flusher).Flush()
			}
		}))
		b := newBench(t, nil, transport.Options{Store: newStore(t)})
		b.server = server
		got := b.postRaw("/v1/chat/completions", []byte(`{"model":"gpt-4o","stream":true,"messages":[{"role":"user","content":"hi"}]}`), http.Header{"Accept-Encoding": {"gzip, zstd"}})
		server.Close()
		if !bytes.Equal(got.body, want) || got.header.Get("Content-Encoding") != coding {
			t.Errorf("coding %q: the stream changed", coding)
		}
		x := <-b.exchanges
		if !x.Billed || x.Usage.Input != 11 || x.Usage.Output != 2 {
			t.Errorf("coding %q: usage %+v", coding, x.Usage)
		}
	}
}

// slowly is an upstream that sends the first part of an answer, and the rest when it is
// told to.
func slowly(t *testing.T, kind, first, rest string) (server *httptest.Server, release func()) {
	t.Helper()
	ready := make(chan struct{})
	release = sync.OnceFunc(func() { close(ready) })
	server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", kind)
		_, _ = io.WriteString(w, first)
		w.(http.Flusher).Flush()
		<-ready
		_, _ = io.WriteString(w, rest)
	}))
	t.Cleanup(server.Close)
	t.Cleanup(release)
	return server, release
}

// firstly returns what comes of an answer at first, while the upstream has not sent
// everything, and what comes in all.
func (b *bench) firstly(address string, body []byte, release func()) (first, all string) {
	b.t.Helper()
	req, err := http.NewRequestWithContext(b.t.Context(), http.MethodPost, address, bytes.NewReader(body))
	if err != nil {
		b.t.Fatal(err)
	}
	resp, err := b.client.Do(req)
	if err != nil {
		b.t.Fatal(err)
	}
	defer resp.Body.Close()
	came := make(chan string, 1)
	go func() {
		p := make([]byte, 64<<10)
		n, _ := resp.Body.Read(p)
		for n == 1 { // a bracket
			more, err := resp.Body.Read(p[n:])
			if n += more; err != nil {
				break
			}
		}
		came <- string(p[:n])
	}()
	select {
	case first = <-came:
	case <-time.After(time.Minute):
		release()
		<-came
	}
	release()
	rest, err := io.ReadAll(resp.Body)
	if err != nil {
		b.t.Fatal(err)
	}
	return first, first + string(rest)
}

func TestEventsAreHandedOnAsTheyComeWhetherToolsAreOfferedOrNot(t *testing.T) {
	t.Parallel()
	first, rest, _ := strings.Cut(chatStream, "\n\n")
	for _, expand := range []transport.Expand{transport.ExpandOff, transport.ExpandAlways} {
		server, release := slowly(t, "text/event-stream", first+"\n\n", rest)
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: expand})
		a := b.agent(plimsoll.OpenAI, true)
		a.say("hi")
		if first, _ := b.firstly(server.URL+"/v1/chat/completions", a.body(), release); !strings.Contains(first, `"content":"a"`) {
			t.Errorf("expand %s: %q came first", expand, first)
		}
	}
}

func TestPiecesOfAListAreHandedOnAsTheyComeWhetherToolsAreOfferedOrNot(t *testing.T) {
	t.Parallel()
	const (
		first = `[{"candidates":[{"content":{"role":"model","parts":[{"text":"a"}]},"index":0}]}`
		rest  = "\n,\r\n" + `{"candidates":[{"content":{"role":"model","parts":[{"text":"b"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":11,"candidatesTokenCount":2,"totalTokenCount":13}}` + "\n]\n"
	)
	for _, expand := range []transport.Expand{transport.ExpandOff, transport.ExpandAlways} {
		server, release := slowly(t, "application/json; charset=UTF-8", first, rest)
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: expand})
		a := b.agent(plimsoll.Gemini, true)
		a.say("hi")
		came, all := b.firstly(server.URL+"/v1beta/models/gemini-2.5-flash:streamGenerateContent", a.body(), release)
		if !strings.Contains(came, `"text":"a"`) {
			t.Errorf("expand %s: %q came first", expand, came)
		}
		if all != first+rest {
			t.Errorf("expand %s: the client gets %q", expand, all)
		}
		if x := <-b.exchanges; !x.Billed || x.Usage.Input != 11 || x.Usage.Output != 2 {
			t.Errorf("expand %s: usage %+v", expand, x.Usage)
		}
	}
}

func TestTheModelReadsWhatWasCutInTheMiddleOfAList(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "application/json")
		if asked.Add(1) == 1 {
			_, _ = io.WriteString(w, `[{"candidates":[{"content":{"role":"model","parts":[{"text":"let me look"}]},"index":0}]},`+
				`{"candidates":[{"content":{"role":"model","parts":[{"functionCall":{"name":"tool_output_cache","args":{"ref_id":"x"}}}]},"finishReason":"STOP","index":0}]}]`)
			return
		}
		_, _ = io.WriteString(w, `[{"candidates":[{"content":{"role":"model","parts":[{"text":"found"}]},"finishReason":"STOP","index":0}]}]`)
	}))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways})
	b.server = server
	a := b.agent(plimsoll.Gemini, true)
	a.say("hi")
	got := b.postRaw("/v1beta/models/gemini-2.5-flash:streamGenerateContent", a.body(), nil)
	var pieces []json.RawMessage
	if err := json.Unmarshal(got.body, &pieces); err != nil || len(pieces) != 2 || bytes.Contains(got.body, []byte("tool_output_cache")) || asked.Load() != 2 {
		t.Errorf("asked %d times, %v: %s", asked.Load(), err, got.body)
	}
}

func TestAModelThatDoesNotStopReadingIsStopped(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		script := func(c *scripted.Call) (scripted.Step, bool) {
			return scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":"nosuch%d"}`, c.N)), true
		}
		b := newBench(t, &scripted.Options{Script: script}, transport.Options{Store: newStore(t), Expand: transport.ExpandAlways, Rounds: 3})
		a := b.agent(d, stream)
		a.say("hi")
		got := a.ask()
		if got.status != http.StatusOK || !got.done {
			t.Fatalf("status %d, done %v: %s", got.status, got.done, got.body)
		}
		if n := len(b.model.Log()); n != 4 {
			t.Errorf("the model was asked %d times, want 4", n)
		}
		if bytes.Contains(got.body, []byte("tool_output_cache")) {
			t.Errorf("the client sees the calls: %s", got.body)
		}
		a.say("and now?")
		if got := a.ask(); got.status != http.StatusOK {
			t.Errorf("the next request: %d %s", got.status, got.body)
		}
		if _, wrong := b.upstreamFaults(); wrong > 0 {
			t.Errorf("%d violations", wrong)
		}
	})
}
