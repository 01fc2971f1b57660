package faults

import (
	"bytes"
	"compress/gzip"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// edgeCases are those of HTTP and its streams.
var edgeCases = []fault{
	{id: "1", sentence: "a client that leaves in mid-stream cancels the upstream, and nothing leaks", run: leavesInMidStream, held: []string{"internal/serve/proxy TestNothingIsLeftBehindByClientsThatLeave"}},
	{id: "2", sentence: "a client that leaves before the first byte cancels the upstream, streamed or not", run: leavesBeforeTheFirstByte},
	{id: "3", sentence: "an answer that the upstream cuts never looks complete", run: cutNeverLooksComplete, held: []string{"internal/serve/proxy TestACutAnswerIsSeenAsCut"}},
	{id: "4", sentence: "an upstream that stalls in mid-stream is given up after two minutes; a long answer is not", run: stalls, long: true, held: []string{"internal/serve/proxy TestAnUpstreamThatStallsIsGivenUp", "internal/serve/proxy TestAnswersMayTakeLongerThanTheyMayStandStill"}},
	{id: "5", sentence: "events of any shape pass byte for byte: 16 MB, split, CR and LF, comments, rubbish", run: eventShapes},
	{id: "6", sentence: "coded answers pass untouched, also errors and empty ones", run: codedAnswers},
	{id: "7", sentence: "chunks without choices or delta and unknown events pass unchanged", run: oddChunks},
	{id: "8", sentence: "429 and 529 pass untouched with their headers, and the proxy does not retry", run: passesRateLimits},
	{id: "9", sentence: "the proxy sends a request once, whatever becomes of the connection", run: sendsOnce},
	{id: "10", sentence: "50 clients that do not read 200 MB each cost at most 1.3 MB of memory each", run: stalledReaders, long: true, alone: true, held: []string{"internal/serve/proxy TestAPeerThatNeverReadsIsDropped"}},
	{id: "11", sentence: "hop-by-hop headers and ours end here, in both directions; redirects are handed on", run: headerHygiene},
	{id: "12", sentence: "smuggling shapes get a 400 and a closed connection, and nothing second reaches the upstream", run: smuggling, held: []string{"internal/serve/proxy TestNoSecondRequestIsSmuggled"}},
	{id: "13", sentence: "slow headers and slow bodies are given up on every path, and others are served meanwhile", run: slowClients, long: true, held: []string{"internal/serve/proxy TestSlowClientsAreGivenUp", "internal/serve/proxy TestConnectionsOverTheCapWait"}},
	{id: "14", sentence: "on SIGTERM live streams finish, new requests get 503, the exit status is 0; a second one aborts", run: drains},
	{id: "15", sentence: "the client does not notice pooled connections that died; a silent upstream is let go with its client", run: deadConnections},
}

// endless streams events until the client leaves.
func endless(begun *atomic.Int64) hook {
	return func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		begun.Add(1)
		for r.Context().Err() == nil {
			if _, err := io.WriteString(w, chunk("tide ")); err != nil {
				break
			}
			w.(http.Flusher).Flush()
			time.Sleep(time.Millisecond) // a model's pace
		}
		<-r.Context().Done()
		return true
	}
}

func leavesInMidStream(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	p.must(p.post(chat, hello("warm")))
	p.client.CloseIdleConnections()
	var begun atomic.Int64
	u.act(endless(&begun))
	goroutines, n := p.metric("go_goroutines"), 20
	if *all {
		n = 200
	}
	var took time.Duration
	for i := range n {
		ctx, leave := context.WithCancel(t.Context())
		req, _ := http.NewRequestWithContext(ctx, http.MethodPost, p.url+path(plimsoll.OpenAI, true), bytes.NewReader(body(t, plimsoll.OpenAI, talk("leaver", 1), `"stream":true,`)))
		resp, err := p.client.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(resp.Body, make([]byte, 300)); err != nil {
			t.Fatal(err)
		}
		at := time.Now()
		leave()
		resp.Body.Close()
		until(t, "the upstream is cancelled", func() bool { return u.left.Load() == int64(i+1) })
		took = max(took, time.Since(at))
	}
	until(t, "the goroutines are gone", func() bool {
		p.client.CloseIdleConnections()
		return p.metric("go_goroutines") <= goroutines+2
	})
	return fmt.Sprintf("%d left, upstream cancelled after at most %d ms, goroutines back within 2", n, took.Milliseconds())
}

func leavesBeforeTheFirstByte(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	var begun atomic.Int64
	u.act(func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method == http.MethodPost {
			begun.Add(1)
			<-r.Context().Done()
		}
		return r.Method == http.MethodPost
	})
	n := int64(0)
	for _, d := range four {
		for _, stream := range []bool{true, false} {
			more := ""
			if d != plimsoll.Gemini {
				more = fmt.Sprintf(`"stream":%t,`, stream)
			}
			ctx, leave := context.WithCancel(t.Context())
			gone := make(chan answer)
			go func() { gone <- p.do(ctx, http.MethodPost, path(d, stream), body(t, d, talk("early", 1), more)) }()
			n++
			until(t, "the upstream is asked", func() bool { return begun.Load() == n })
			leave()
			<-gone
			until(t, "the upstream is cancelled", func() bool { return u.left.Load() == n })
		}
	}
	return fmt.Sprintf("%d left, all cancelled upstream", n)
}

func cutNeverLooksComplete(t *testing.T) string {
	words := strings.Repeat("the tide turns at the quay and the crane waits for the cargo ", 30)
	u := newUpstream(t, &scripted.Options{Script: func(*scripted.Call) (scripted.Step, bool) {
		return scripted.Step{Text: words, Cut: true, After: 40}, true
	}})
	p := serve(t, u.URL, setup{})
	n := 0
	for _, d := range four {
		for _, stream := range []bool{true, false} {
			more := ""
			if d != plimsoll.Gemini {
				more = fmt.Sprintf(`"stream":%t,`, stream)
			}
			a := p.post(path(d, stream), body(t, d, talk("cut", 1), more))
			n++
			if a.err == nil && a.status < 500 {
				t.Errorf("%s, stream %t: a cut answer looks complete: %v", d, stream, a)
			}
			if end := string(a.body); strings.Contains(end, "[DONE]") || strings.Contains(end, "message_stop") || strings.Contains(end, "response.completed") {
				t.Errorf("%s: an end was made up: %.300s", d, end[max(0, len(end)-300):])
			}
		}
	}
	// The connection ends by a FIN or an RST, in the middle of an event or between two.
	for _, reset := range []bool{true, false} {
		for _, tail := range []string{chunk("whole"), `data: {"id":"c","cho`} {
			u.act(hijack(func(c net.Conn) {
				text := strings.Repeat(chunk("x"), 40) + tail
				fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n", len(text), text)
				if tcp, ok := c.(*net.TCPConn); ok && reset {
					_ = tcp.SetLinger(0)
				}
			}))
			n++
			if a := p.post(chat, body(t, plimsoll.OpenAI, talk("cut", 2), `"stream":true,`)); a.err == nil && a.status < 500 {
				t.Errorf("reset %t: a cut stream looks complete: %v", reset, a)
			}
		}
	}
	return fmt.Sprintf("%d cuts, 0 look complete", n)
}

func stalls(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	u.act(func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunk("then nothing"))
		w.(http.Flusher).Flush()
		<-r.Context().Done()
		return true
	})
	begun := time.Now()
	a := p.post(chat, body(t, plimsoll.OpenAI, talk("stall", 1), `"stream":true,`))
	took := time.Since(begun)
	if a.err == nil || took < 100*time.Second || took > 5*time.Minute {
		t.Errorf("a stalled stream ended after %v: %v", took, a)
	}
	return fmt.Sprintf("ended after %.0f s", took.Seconds())
}

func eventShapes(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	plain := chunk("x") + done
	shapes := map[string][]string{
		"16 MB in one event":  {chunk(strings.Repeat("water ", 16<<20/6)), done},
		"byte by byte":        strings.Split(plain, ""),
		"CR LF":               {strings.ReplaceAll(plain, "\n", "\r\n")},
		"CR alone":            {strings.ReplaceAll(plain, "\n", "\r")},
		"comments":            {": keep alive\n\n", ":\n", plain},
		"data in lines":       {"data: {\"id\":\"c\",\ndata: \"choices\":[]}\n\n", done},
		"rubbish":             {"no field\n\n\x00\xff\xfe\n\ndata: {\n\n", plain},
		"a byte order mark":   {"\ufeff", plain},
		"names, ids, retries": {"id: 7\nretry: 10\nevent: ping\ndata: {}\n\n", plain},
		"no end of line":      {chunk("x"), "data: [DONE]"},
		"no space":            {strings.ReplaceAll(plain, "data: ", "data:")},
	}
	for name, frames := range shapes {
		u.act(streaming(frames...))
		want := strings.Join(frames, "")
		if a := p.post(chat, body(t, plimsoll.OpenAI, talk("shapes", 1), `"stream":true,`)); string(a.body) != want || a.err != nil {
			t.Errorf("%s: %d bytes of %d came: %v", name, len(a.body), len(want), a)
		}
	}
	return fmt.Sprintf("%d shapes", len(shapes))
}

func codedAnswers(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	whole := `{"id":"c","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`
	fault := `{"error":{"message":"slow down","type":"rate_limit_error"}}`
	n := 0
	for _, coding := range []string{"gzip", "zstd"} {
		for _, c := range []struct {
			kind, text string
			status     int
		}{{"text/event-stream", chunk("hi") + done, 200}, {"application/json", whole, 200}, {"application/json", fault, 429}, {"text/event-stream", "", 200}, {"application/json", "", 500}} {
			var b bytes.Buffer
			var z io.WriteCloser = gzip.NewWriter(&b)
			if coding == "zstd" {
				z, _ = zstd.NewWriter(&b)
			}
			_, _ = io.WriteString(z, c.text)
			_ = z.Close()
			if c.text == "" {
				b.Reset()
			}
			u.act(say(c.status, b.String(), "Content-Encoding", coding, "Content-Type", c.kind))
			a := p.post(chat, body(t, plimsoll.OpenAI, talk("coded", 1)), "Accept-Encoding", coding)
			n++
			if a.status != c.status || !bytes.Equal(a.body, b.Bytes()) || b.Len() > 0 && a.header.Get("Content-Encoding") != coding {
				t.Errorf("%s of %s, %d: %q came with %v", coding, c.kind, c.status, a.body, a)
			}
		}
	}
	return fmt.Sprintf("%d coded answers", n)
}

func oddChunks(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	odd := map[plimsoll.Dialect][]string{
		plimsoll.OpenAI: {
			`data: {"id":"c","choices":[],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`, `data: {"id":"c","choices":[{"index":0,"finish_reason":"stop"}]}`,
			`data: {"id":"c","choices":null}`, `data: {"choices":[{"index":3,"delta":{"x":[1,{"y":null}]}}]}`, "event: surprise\ndata: 1e400",
		},
		plimsoll.Anthropic: {"event: surprise\ndata: {\"type\":\"surprise\",\"z\":1}", "event: ping\ndata: {\"type\":\"ping\"}", "event: message_delta\ndata: {\"type\":\"message_delta\",\"delta\":{}}", "event: content_block_delta\ndata: {\"type\":\"content_block_delta\",\"index\":9,\"delta\":{\"type\":\"new_delta\"}}"},
		plimsoll.Responses: {"event: response.surprise\ndata: {\"type\":\"response.surprise\"}", "event: response.output_text.delta\ndata: {\"type\":\"response.output_text.delta\"}"},
		plimsoll.Gemini:    {`data: {"usageMetadata":{"promptTokenCount":4}}`, `data: {"candidates":[{"index":0}]}`, `data: {"promptFeedback":{"blockReason":"OTHER"}}`},
	}
	n := 0
	for d, events := range odd {
		want := strings.Join(events, "\n\n") + "\n\n"
		u.act(streaming(want))
		more := `"stream":true,`
		if d == plimsoll.Gemini {
			more = ""
		}
		n += len(events)
		if a := p.post(path(d, true), body(t, d, talk("odd", 1), more)); string(a.body) != want {
			t.Errorf("%s: %v", d, a)
		}
	}
	return fmt.Sprintf("%d events", n)
}

func passesRateLimits(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	n := 0
	for _, d := range four {
		for _, status := range []int{429, 529, 500, 503} {
			text := fmt.Sprintf(`{"error":{"message":"try again in 7s","type":"overloaded_error","code":%d}}`, status)
			u.forget()
			u.act(say(status, text, "Retry-After", "7", "X-Ratelimit-Remaining-Tokens", "0", "Anthropic-Ratelimit-Requests-Reset", "soon"))
			a := p.post(path(d, false), body(t, d, talk("rate", 1)))
			n++
			if a.status != status || string(a.body) != text || a.header.Get("Retry-After") != "7" || a.header.Get("X-Ratelimit-Remaining-Tokens") != "0" || a.header.Get("Anthropic-Ratelimit-Requests-Reset") != "soon" {
				t.Errorf("%s: %d became %v", d, status, a)
			}
			if calls := len(u.posts()); calls != 1 {
				t.Errorf("%s: %d was asked %d times", d, status, calls)
			}
		}
	}
	return fmt.Sprintf("%d errors, one call each", n)
}

func sendsOnce(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	n := 0
	for name, h := range map[string]hook{
		"closed without a byte": hijack(func(net.Conn) {}),
		"reset without a byte":  hijack(func(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }),
		"half a status line":    hijack(func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 20") }),
		"a header and no body":  hijack(func(c net.Conn) { fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n") }),
		"no HTTP at all":        hijack(func(c net.Conn) { fmt.Fprint(c, "SSH-2.0-OpenSSH_9.2\r\n") }),
	} {
		for i := range 3 {
			u.forget()
			u.act(h)
			a := p.post(chat, hello(fmt.Sprint(name, i)))
			n++
			if a.err == nil && a.status != http.StatusBadGateway {
				t.Errorf("%s: %v", name, a)
			}
			if calls := len(u.posts()); calls != 1 {
				t.Errorf("%s: the upstream was asked %d times", name, calls)
			}
		}
	}
	return fmt.Sprintf("%d broken answers, one call each", n)
}

func stalledReaders(t *testing.T) string {
	const clients, bound = 50, 1.3
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	p.must(p.post(chat, hello("warm")))
	u.act(long(200))
	request := body(t, plimsoll.OpenAI, talk("stalled", 1), `"stream":true,`)
	before, _ := p.memory()
	for range clients {
		c := p.dial()
		_ = c.(*net.TCPConn).SetReadBuffer(4096)
		fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n\r\n%s", chat, len(request), request)
		if _, err := io.ReadFull(c, make([]byte, 1000)); err != nil {
			t.Fatal(err)
		}
	}
	now, last := 0.0, -1.0
	for now != last { // until the buffers are full
		last = now
		time.Sleep(3 * time.Second)
		now, _ = p.memory()
	}
	each := (now - before) / clients
	if each > bound {
		t.Errorf("%.2f MB for each stream, want at most %.1f", each, bound)
	}
	return fmt.Sprintf("%.2f MB each", each)
}

func headerHygiene(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{env: []string{"PLIMSOLL_ADMIN_TOKEN=operator-secret-1234"}})
	request := string(hello("headers"))
	p.raw(fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer sk-client\r\nConnection: close, X-Hop\r\nX-Hop: 1\r\nKeep-Alive: 5\r\nProxy-Authorization: Basic eA==\r\nProxy-Connection: x\r\nTE: gzip\r\nX-Plimsoll-Limit: 5000\r\nX-Plimsoll-Conversation: mine\r\nContent-Length: %d\r\n\r\n%s", chat, len(request), request))
	posts := u.posts()
	if len(posts) != 1 {
		t.Fatalf("%d requests went up", len(posts))
	}
	checks := 0
	for _, name := range []string{"X-Hop", "Keep-Alive", "Proxy-Authorization", "Proxy-Connection", "Te", "X-Plimsoll-Limit", "X-Plimsoll-Conversation", "X-Forwarded-For"} {
		checks++
		if v, ok := posts[0].header[name]; ok {
			t.Errorf("%s: %q went up", name, v)
		}
	}
	for _, where := range []string{"Authorization", "X-Api-Key", "Cookie"} {
		checks++
		if a := p.post(chat, hello("token"), where, "Bearer operator-secret-1234"); a.status != http.StatusUnauthorized {
			t.Errorf("the admin token in %s: %v", where, a)
		}
	}
	for _, r := range u.all() {
		if strings.Contains(fmt.Sprint(r.header), "operator-secret") {
			t.Error("the admin token went up")
		}
	}
	// What comes down.
	answer := `{"id":"c","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}]}`
	// Not "close, X-Private": net/http removes the header then, before the proxy sees it (docs/proxy.md).
	for _, connection := range []string{"X-Private", "keep-alive, x-private"} {
		u.act(say(200, answer, "Content-Type", "application/json", "Connection", connection, "X-Private", "1", "Keep-Alive", "9", "Proxy-Authenticate", "x",
			"X-Plimsoll-Warning", "forged", "X-Plimsoll-Saved", "999999", "x-plimsoll-new", "forged", "X-Request-Id", "7"))
		for _, bypass := range []string{"0", "1"} {
			a := p.must(p.post(chat, hello("down"), "X-Plimsoll-Bypass", bypass))
			checks++
			if a.header.Get("X-Private") != "" || a.header.Get("Keep-Alive") != "" || a.header.Get("Proxy-Authenticate") != "" {
				t.Errorf("Connection: %s: a header of the connection came down: %v", connection, a.header)
			}
			if text := fmt.Sprint(a.header); strings.Contains(text, "forged") || strings.Contains(text, "999999") {
				t.Errorf("bypass %s: a header of ours was forged: %v", bypass, a.header)
			}
			if a.header.Get("X-Request-Id") != "7" {
				t.Error("a header of the upstream's is missing")
			}
		}
	}
	u.act(say(http.StatusFound, "", "Location", u.URL+"/v1/elsewhere"))
	u.forget()
	if a := p.post(chat, hello("redirect")); a.status != http.StatusFound || a.header.Get("Location") != u.URL+"/v1/elsewhere" || len(u.all()) != 1 {
		t.Errorf("a redirect: %v, %d requests", a, len(u.all()))
	}
	return fmt.Sprintf("%d checks", checks+1)
}

func smuggling(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	const smuggled = "GET /v1/evil HTTP/1.1\r\nHost: localhost\r\n\r\n"
	chunked := "2\r\n{}\r\n0\r\n\r\n"
	shapes := map[string]string{
		"a length beside chunks":           "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
		"chunks beside a length":           "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n" + chunked,
		"no length beside chunks":          "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked,
		"two lengths":                      "Content-Length: 2\r\nContent-Length: 45\r\n\r\n{}",
		"a length in a list":               "Content-Length: 2, 45\r\n\r\n{}",
		"a negative length":                "Content-Length: -2\r\n\r\n{}",
		"a length that is too large":       "Content-Length: 18446744073709551618\r\n\r\n{}",
		"two codings":                      "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n" + chunked,
		"an unknown coding":                "Transfer-Encoding: xchunked\r\n\r\n" + chunked,
		"a coding with a tab":              "Transfer-Encoding:\tchunked, identity\r\n\r\n" + chunked,
		"a space before the colon":         "Transfer-Encoding : chunked\r\n\r\n" + chunked,
		"a folded header":                  "X: a\r\n Transfer-Encoding: chunked\r\nContent-Length : 2\r\n\r\n{}",
		"a bare line feed in a chunk":      "Transfer-Encoding: chunked\r\n\r\n2\n{}\r\n0\r\n\r\n",
		"a bare line feed in an extension": "Transfer-Encoding: chunked\r\n\r\n2;x\n{}\r\n0\r\n\r\n",
		"a negative chunk":                 "Transfer-Encoding: chunked\r\n\r\n-2\r\n{}\r\n0\r\n\r\n",
		"a chunk that is too large":        "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}\r\n0\r\n\r\n",
		"a chunk that is no number":        "Transfer-Encoding: chunked\r\n\r\n0x2\r\n{}\r\n0\r\n\r\n",
		"a chunk longer than it says":      "Transfer-Encoding: chunked\r\n\r\n1\r\n{}\r\n0\r\n\r\n",
		"64 KB of extension":               "Transfer-Encoding: chunked\r\n\r\n2;" + strings.Repeat("x", 64<<10) + "\r\n{}\r\n0\r\n\r\n",
		"a carriage return in a header":    "X: a\rContent-Length: 5\r\nContent-Length: 2\rX\r\n\r\n{}",
	}
	n := 0
	for _, target := range []string{chat, "/v1/embeddings"} {
		for name, rest := range shapes {
			n++
			got := p.raw("POST " + target + " HTTP/1.1\r\nHost: localhost\r\n" + rest + smuggled)
			if s := status(got); s != 400 && s != 501 || strings.Count(got, "HTTP/1.1 ") != 1 || !strings.Contains(strings.ToLower(got), "connection: close") {
				t.Errorf("%s to %s: %.300q", name, target, got)
			}
		}
	}
	for name, request := range map[string]string{
		"a tunnel":              "CONNECT evil.example:443 HTTP/1.1\r\nHost: localhost\r\n\r\n" + smuggled,
		"another server":        "GET http://evil.example/v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"10,001 parameters":     "GET /v1/models?" + strings.Repeat("a&", 10_001) + " HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"two hosts":             "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nHost: evil\r\n\r\n",
		"a way up":              "GET /v1/%2e%2E/admin HTTP/1.1\r\nHost: localhost\r\n\r\n",
		"a header without end":  "GET /v1/models HTTP/1.1\r\nHost: localhost\r\nX: " + strings.Repeat("x", 300<<10) + "\r\n\r\n",
		"an upgrade to nothing": "GET /v1/responses HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
	} {
		n++
		got := p.raw(request)
		if s := status(got); s < 400 || s >= 500 || s == 499 {
			t.Errorf("%s: %.300q", name, got)
		}
	}
	for _, r := range u.all() {
		if strings.Contains(r.uri, "evil") || strings.Contains(r.uri, "admin") {
			t.Errorf("the upstream saw %s %s", r.method, r.uri)
		}
	}
	if a := p.post(chat, hello("after")); a.status != 200 {
		t.Errorf("after all of that: %v", a)
	}
	return fmt.Sprintf("%d shapes", n)
}

func slowClients(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	drip := func(head string) func() time.Duration {
		return func() time.Duration {
			c, begun := p.dial(), time.Now()
			_, _ = io.WriteString(c, head)
			stop := make(chan struct{})
			defer close(stop)
			go func() {
				for {
					select {
					case <-stop:
						return
					case <-time.After(time.Second):
						if _, err := io.WriteString(c, "x"); err != nil {
							return
						}
					}
				}
			}()
			_ = c.SetReadDeadline(time.Now().Add(90 * time.Second))
			_, err := io.ReadAll(c)
			if e, ok := err.(net.Error); ok && e.Timeout() {
				return -1
			}
			return time.Since(begun)
		}
	}
	post := func(path string) string {
		return "POST " + path + " HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100000\r\n\r\n{"
	}
	slow := map[string]func() time.Duration{
		"slow header":                drip("POST " + chat + " HTTP/1.1\r\nHost: localhost\r\nX"),
		"slow body":                  drip(post(chat)),
		"slow body, operator's path": drip(post("/plimsoll/v1/count")),
		"slow chunks":                drip("POST " + chat + " HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\nfffff\r\n"),
	}
	var idle []net.Conn
	for range 2000 {
		idle = append(idle, p.dial())
	}
	var mu sync.Mutex
	var figures []string
	var waiting sync.WaitGroup
	for name, do := range slow {
		waiting.Go(func() {
			took := do()
			mu.Lock()
			defer mu.Unlock()
			figures = append(figures, fmt.Sprintf("%s %.0f s", name, took.Seconds()))
			if took < 0 {
				t.Errorf("%s: still held after 90 s", name)
			}
		})
	}
	for range 50 {
		p.must(p.post(chat, hello("meanwhile")))
	}
	waiting.Wait()
	slices.Sort(figures)
	return fmt.Sprintf("%s, beside %d idle connections", strings.Join(figures, ", "), len(idle))
}

func drains(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	var begun atomic.Int64
	release := make(chan struct{})
	hold := func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, chunk("begun"))
		w.(http.Flusher).Flush()
		begun.Add(1)
		select {
		case <-release:
			_, _ = io.WriteString(w, done)
		case <-r.Context().Done():
		}
		return true
	}
	u.act(hold)
	const streams = 50
	var whole atomic.Int64
	var clients sync.WaitGroup
	for i := range streams {
		clients.Go(func() {
			if a := p.post(chat, body(t, plimsoll.OpenAI, talk(fmt.Sprint("drain", i), 1), `"stream":true,`)); a.err == nil && strings.HasSuffix(string(a.body), "[DONE]\n\n") {
				whole.Add(1)
			}
		})
	}
	until(t, "all streams have begun", func() bool { return begun.Load() == streams })
	_ = p.command.Process.Signal(syscall.SIGTERM)
	until(t, "new requests get 503", func() bool {
		got := ""
		if c, err := net.Dial("tcp", p.address); err == nil {
			fmt.Fprint(c, "GET /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n")
			_ = c.SetReadDeadline(time.Now().Add(5 * time.Second))
			b, _ := io.ReadAll(io.LimitReader(c, 12))
			got = string(b)
			c.Close()
		} else {
			return true // it does not listen any more
		}
		return status(got) == http.StatusServiceUnavailable || got == ""
	})
	close(release)
	clients.Wait()
	if <-p.ended; p.err != nil || whole.Load() != streams {
		t.Errorf("%d of %d streams are whole, exit %v", whole.Load(), streams, p.err)
	}
	// The second signal does not wait.
	release = make(chan struct{})
	q := serve(t, u.URL, setup{})
	gone := make(chan answer, 1)
	begun.Store(0)
	go func() { gone <- q.post(chat, body(t, plimsoll.OpenAI, talk("second", 1), `"stream":true,`)) }()
	until(t, "the stream has begun", func() bool { return begun.Load() == 1 })
	_ = q.command.Process.Signal(syscall.SIGTERM)
	until(t, "it drains", func() bool { a := q.get("/readyz"); return a.status != http.StatusOK })
	_ = q.command.Process.Signal(syscall.SIGTERM)
	if a := <-gone; a.err == nil {
		t.Errorf("the aborted stream looks complete: %v", a)
	}
	<-q.ended
	return fmt.Sprintf("%d of %d streams whole, exit status 0", whole.Load(), streams)
}

func deadConnections(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	n := 20
	for i := range n {
		p.must(p.post(chat, hello(fmt.Sprint("alive", i))))
		open := p.metric("process_open_fds")
		u.CloseClientConnections()
		until(t, "the proxy has noticed", func() bool { return p.metric("process_open_fds") < open })
	}
	// An upstream that takes the request and says nothing is let go with its client.
	u.act(func(_ http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method == http.MethodPost {
			<-r.Context().Done()
		}
		return r.Method == http.MethodPost
	})
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan answer)
	u.forget()
	go func() { gone <- p.do(ctx, http.MethodPost, chat, hello("frozen")) }()
	until(t, "the upstream is asked", func() bool { return len(u.posts()) == 1 })
	leave()
	<-gone
	until(t, "it is let go", func() bool { return u.left.Load() >= 1 })
	// Where nothing listens, the client hears so.
	u.CloseClientConnections()
	u.Close()
	if a := p.post(chat, hello("nobody")); a.status != http.StatusBadGateway {
		t.Errorf("no upstream: %v", a)
	}
	return fmt.Sprintf("0 of %d lost", n)
}
