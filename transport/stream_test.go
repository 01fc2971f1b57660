package transport_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
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

func TestEventsAreHandedOnAsTheyComeWhetherToolsAreOfferedOrNot(t *testing.T) {
	t.Parallel()
	for _, expand := range []transport.Expand{transport.ExpandOff, transport.ExpandAlways} {
		release := make(chan struct{})
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			w.Header().Set("Content-Type", "text/event-stream")
			first, rest, _ := strings.Cut(chatStream, "\n\n")
			_, _ = io.WriteString(w, first+"\n\n")
			w.(http.Flusher).Flush()
			<-release
			_, _ = io.WriteString(w, rest)
		}))
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: expand})
		a := b.agent(plimsoll.OpenAI, true)
		a.say("hi")
		req, err := http.NewRequestWithContext(t.Context(), http.MethodPost, server.URL+"/v1/chat/completions", bytes.NewReader(a.body()))
		if err != nil {
			t.Fatal(err)
		}
		resp, err := b.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		came := make(chan string, 1)
		go func() {
			p := make([]byte, 4096)
			n, _ := resp.Body.Read(p)
			came <- string(p[:n])
		}()
		select {
		case first := <-came:
			if !strings.Contains(first, `"content":"a"`) {
				t.Errorf("expand %s: %q came first", expand, first)
			}
		case <-time.After(5 * time.Second):
			t.Errorf("expand %s: the first event is held back", expand)
		}
		close(release)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		server.Close()
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
