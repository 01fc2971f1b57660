package faults

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/pgtest"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// furtherCases came to the list later: what one client does to others, and memory.
var furtherCases = []fault{
	{id: "E1", sentence: "200 large requests at once before a slow upstream: at most 300 MB more, each gets 200 or a 503 with Retry-After", run: overloaded, long: true, alone: true},
	{id: "E2", sentence: "an upstream that always reports a full context is called at most twice", run: rescuesOnce},
	{id: "E3", sentence: "an upstream that fails gets as many calls as there are requests", run: noRetryStorm},
	{id: "E4", sentence: "a websocket is refused with 426, and HTTP goes on", run: refusesWebsockets},
	{id: "E5", sentence: "after 2,000 aborts in five phases goroutines come back within 10, descriptors within 20, memory within 100 MB", run: aborts, long: true, alone: true},
	{id: "E6", sentence: "a costly pattern of a pin is refused, or costs less than 1 s of CPU for 200 KB", run: costlyPins, long: true},
	{id: "E7", sentence: "40 model names of 8 MB leave less than 200 MB behind, and are in the log in short", run: hugeNames, long: true, alone: true},
	{id: "E8", sentence: "an error that repeats a client's words teaches no limit to another tenant", run: poisonedLimit, held: []string{"transport TestWordsOfTheClientThatAnErrorQuotesTeachNoLimit"}},
	{id: "E9", sentence: "SIGTERM with a dashboard open ends the proxy at once, with status 0", run: endsBesideADashboard},
	{id: "E10", sentence: "ten bodies of 28 MB to the operator's API take at most 300 MB at a budget of 64 MB", run: operatorMemory, long: true, alone: true},
	{id: "E11", sentence: "an upstream's stream of 200 MB or an answer that decodes to 300 MB takes at most 150 MB", run: upstreamBombs, long: true, alone: true},
	{id: "E12", sentence: "a body of tiny messages takes no more memory than it claims from the budget, and 1 s of CPU per MB", run: tinyMessages, long: true, alone: true},
	{id: "E13", sentence: "a 404 that one client's request meets does not change the service for others", run: oneClients404},
	{id: "E14", sentence: "a search that takes long does not take the store from other tenants", run: longSearch, long: true, held: []string{"transport/internal/breaker TestOnlyAFailureOfTheStoreOpensTheBreaker"}},
	{id: "E15", sentence: "PostgreSQL: a NUL in a model's name does not take the store from other tenants", run: badRow, long: true},
	{id: "E16", sentence: "half requests, pipelining, HTTP/1.0, HEAD, Expect and odd methods are answered in order or closed", run: oddRequests},
	{id: "E17", sentence: "a client that leaves while the model reads what was cut cancels that call too", run: leavesInAHiddenRound},
	{id: "E18", sentence: "an upstream with a wrong certificate is refused, and nothing is sent to it", run: wrongCertificate},
	{id: "E19", sentence: "24 coded bodies of 59 KB that decode to 60 MB take at most 600 MB at a budget of 128 MB", run: codedBodies, long: true, alone: true, held: []string{"internal/serve/proxy TestCodedBodiesStayWithinTheBudgetWhateverTheyBecome"}},
	{id: "E20", sentence: "the tools that the proxy adds have only members that the schema of each API has", run: addedTools},
}

// hooked answers posts by a function, all else by the model.
func hooked(f func(w http.ResponseWriter, r *http.Request, body []byte)) hook {
	return func(w http.ResponseWriter, r *http.Request, body []byte) bool {
		if r.Method == http.MethodPost {
			f(w, r, body)
		}
		return r.Method == http.MethodPost
	}
}

const answered = `{"id":"c","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"hi"},"finish_reason":"stop"}],"usage":{"prompt_tokens":9,"completion_tokens":1,"total_tokens":10}}`

// tenants keeps clients apart by their credentials.
const tenants = "serve: {tenants: credential}\n"

func overloaded(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	u.act(hooked(func(w http.ResponseWriter, r *http.Request, _ []byte) {
		time.Sleep(2 * time.Second)
		say(200, answered)(w, r, nil)
	}))
	request := body(t, plimsoll.OpenAI, work("load", 10, 200))
	var served, busy, other atomic.Int64
	more := p.grown(func() {
		var clients sync.WaitGroup
		for range 200 {
			clients.Go(func() {
				switch a := p.post(chat, request); {
				case a.status == 200 && a.err == nil:
					served.Add(1)
				case a.status == 503 && a.header.Get("Retry-After") != "":
					busy.Add(1)
				default:
					other.Add(1)
				}
			})
		}
		clients.Wait()
	})
	if other.Load() > 0 || more > 300 {
		t.Errorf("%d served, %d told to come again, %d others, %.0f MB more", served.Load(), busy.Load(), other.Load(), more)
	}
	return fmt.Sprintf("200 × %d KB: %d served, %d × 503, %.0f MB more", len(request)>>10, served.Load(), busy.Load(), more)
}

func rescuesOnce(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	most := 0
	for name, h := range map[string]hook{
		"with figures":    say(400, `{"error":{"message":"This model's maximum context length is 4000 tokens. However, your messages resulted in 5000 tokens.","type":"invalid_request_error","code":"context_length_exceeded"}}`),
		"without figures": say(400, `{"error":{"message":"context is full","code":"context_length_exceeded"}}`),
		"absurd figures":  say(400, `{"error":{"message":"This model's maximum context length is 0 tokens. However, your messages resulted in 99999999999999999999 tokens.","code":"context_length_exceeded"}}`),
		"413":             say(413, ``),
		"500":             say(500, `{"error":{"message":"context length exceeded"}}`),
		"in the stream":   streaming("data: {\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"maximum context length is 4000 tokens\"}}\n\n"),
	} {
		u.forget()
		u.act(h)
		a := p.post(chat, body(t, plimsoll.OpenAI, work(name, 8, 60), fmt.Sprintf(`"stream":%t,`, name == "in the stream")))
		calls := len(u.posts())
		most = max(most, calls)
		if calls < 1 || calls > 2 || a.status == 200 && name != "in the stream" {
			t.Errorf("%s: %d calls, %v", name, calls, a)
		}
	}
	// A model that calls our tools 200 times in one answer is stopped.
	v := newUpstream(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		ids := refs(c.Request.Body())
		if len(ids) == 0 {
			return scripted.Step{}, false
		}
		var step scripted.Step
		for range 200 {
			step.Calls = append(step.Calls, plimsoll.ToolCall{Name: "tool_output_cache", Arguments: fmt.Sprintf(`{"ref_id":%q}`, ids[0])})
		}
		return step, true
	}})
	q := serve(t, v.URL, setup{flags: []string{"--limit", "6000"}})
	q.post(chat, body(t, plimsoll.OpenAI, work("many", 12, 80)))
	if calls := len(v.posts()); calls > 10 {
		t.Errorf("a model that goes on reading was called %d times", calls)
	}
	return fmt.Sprintf("at most %d calls; %d with a model that goes on reading", most, len(v.posts()))
}

func noRetryStorm(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	p.must(p.post(chat, hello("first"))) // the questions about the server are over
	u.forget()
	u.act(say(503, `{"error":{"message":"overloaded"}}`))
	const n = 60
	var clients sync.WaitGroup
	for i := range n {
		clients.Go(func() { p.post(chat, hello(fmt.Sprint("storm", i))) })
	}
	clients.Wait()
	if calls := len(u.posts()); calls != n {
		t.Errorf("%d requests made %d calls", n, calls)
	}
	return fmt.Sprintf("%d requests, %d calls", n, len(u.posts()))
}

func refusesWebsockets(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	for _, target := range []string{"/v1/responses", "/v1/chat/completions", "/v1/realtime"} {
		got := p.raw("GET " + target + " HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n")
		if status(got) != http.StatusUpgradeRequired {
			t.Errorf("%s: %.200q", target, got)
		}
	}
	if n := len(u.all()); n > 0 {
		t.Errorf("%d requests went up", n)
	}
	p.must(p.post("/v1/responses", body(t, plimsoll.Responses, talk("http", 1))))
	return "3 refused, HTTP served"
}

func aborts(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{flags: []string{"--limit", "4000"}})
	request := body(t, plimsoll.OpenAI, work("abort", 8, 60), `"stream":true,`)
	p.must(p.post(chat, request))
	var begun atomic.Int64
	u.act(endless(&begun))
	round := func(n int) {
		var clients sync.WaitGroup
		for w := range 20 {
			clients.Go(func() {
				for i := range n / 20 {
					switch (w + i) % 5 {
					case 0: // in the header
						c := p.dial()
						fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: loc", chat)
						c.Close()
					case 1: // in the body
						c := p.dial()
						fmt.Fprintf(c, "POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: 90000\r\n\r\n%s", chat, request[:500])
						c.Close()
					case 2: // before the answer
						ctx, leave := context.WithTimeout(t.Context(), time.Duration(i%7)*time.Millisecond)
						p.do(ctx, http.MethodPost, chat, request)
						leave()
					default: // in the stream
						ctx, leave := context.WithTimeout(t.Context(), time.Duration(20+i%30)*time.Millisecond)
						p.do(ctx, http.MethodPost, chat, request)
						leave()
					}
				}
			})
		}
		clients.Wait()
		p.client.CloseIdleConnections()
	}
	round(400)
	settle := func() (goroutines, files float64) {
		time.Sleep(time.Second)
		return p.metric("go_goroutines"), p.metric("process_open_fds")
	}
	g0, f0 := settle()
	m0, _ := p.memory()
	round(2000)
	until(t, "goroutines and descriptors are back", func() bool {
		g, f := settle()
		return g <= g0+10 && f <= f0+20
	})
	g, f := settle()
	m, _ := p.memory()
	if m > m0+100 {
		t.Errorf("memory went from %.0f to %.0f MB", m0, m)
	}
	return fmt.Sprintf("goroutines %.0f -> %.0f, descriptors %.0f -> %.0f, memory %.0f -> %.0f MB", g0, g, f0, f, m0, m)
}

func costlyPins(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	request := hello(strings.Repeat("w", 200_000))
	plain := p.cpu()
	p.post(chat, request, "X-Plimsoll-Limit", "100000")
	plain = p.cpu() - plain
	var figures []string
	for name, pattern := range map[string]string{
		"classes":      `(?:\pL|\pN|\w){1000}z`,
		"alternatives": strings.Repeat("(?:ww|w?w|w)", 80) + "z",
		"nested":       `((?:w{1,30}){1,30})z`,
	} {
		before := p.cpu()
		a := p.post(chat, request, "X-Plimsoll-Limit", "100000", "X-Plimsoll-Pin", "match="+pattern)
		took := p.cpu() - before - plain
		figures = append(figures, fmt.Sprintf("%s %d in %.2f s", name, a.status, took))
		if took > 1 {
			t.Errorf("%s: %.1f s of CPU, status %d", name, took, a.status)
		}
	}
	return strings.Join(figures, ", ")
}

func hugeNames(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	u.act(say(401, `{"error":{"message":"no key"}}`))
	p.post(chat, hello("warm"))
	before, _ := p.memory()
	name := strings.Repeat("x", 8<<20)
	for i := range 40 {
		p.post(chat, fmt.Appendf(nil, `{"model":"m%d%s","messages":[{"role":"user","content":"hi"}]}`, i, name))
	}
	for i := range 300 { // so that collections run, and give memory back
		p.post(chat, hello(fmt.Sprint("after", i, strings.Repeat("y", 100_000))))
	}
	heap := p.metric("go_memstats_heap_alloc_bytes") / (1 << 20)
	now, _ := p.memory()
	if heap > 200 || len(p.log.String()) > 4<<20 {
		t.Errorf("the heap has %.0f MB, the log %d KB", heap, len(p.log.String())>>10)
	}
	return fmt.Sprintf("40 × 8 MB: heap %.0f MB, resident %.0f -> %.0f MB, log %d KB", heap, before, now, len(p.log.String())>>10)
}

func poisonedLimit(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{settings: tenants})
	ask := func(key string) string {
		return p.must(p.post("/v1/responses", body(t, plimsoll.Responses, talk("victim", 1)), "Authorization", "Bearer "+key)).header.Get("X-Plimsoll-Limit")
	}
	before := ask("victim")
	for _, words := range []string{
		"maximum context length is 300 tokens. However, your messages resulted in 1128 tokens",
		"prompt is too long: 1128 tokens > 300 maximum",
		"The input token count (1128) exceeds the maximum number of tokens allowed (300).",
		"context_length_exceeded",
	} {
		for _, text := range []string{
			fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","param":"input[1].role","code":"invalid_value"}}`, "Invalid value: '"+words+"'. Supported values are: 'assistant' and 'user'."),
			fmt.Sprintf(`{"error":{"message":%q,"type":"invalid_request_error","code":null}}`, words),
		} {
			// The upstream repeats the client's words, and answers when there are fewer.
			u.act(func(w http.ResponseWriter, r *http.Request, b []byte) bool {
				if r.Method != http.MethodPost || !bytes.Contains(b, []byte("attacker")) || len(b) < 3000 {
					return false
				}
				return say(400, text)(w, r, b)
			})
			p.post("/v1/responses", body(t, plimsoll.Responses, then(work("attacker "+words, 6, 30), words)), "Authorization", "Bearer attacker")
		}
	}
	after := ask("victim")
	if before == "" || before != after {
		t.Errorf("the other tenant's limit went from %s to %s", before, after)
	}
	return fmt.Sprintf("the other tenant's limit stays %s", after)
}

func endsBesideADashboard(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{flags: []string{"--dashboard"}})
	page := p.must(p.get("/plimsoll/"))
	for _, target := range []string{"/plimsoll/events", "/plimsoll/live", "/plimsoll/"} {
		c := p.dial()
		fmt.Fprintf(c, "GET %s HTTP/1.1\r\nHost: %s\r\nAccept: text/event-stream\r\n\r\n", target, p.address)
	}
	begun := time.Now()
	if err := p.stop(); err != nil {
		t.Error(err)
	}
	return fmt.Sprintf("exit status 0, %.1f s; page of %d bytes", time.Since(begun).Seconds(), len(page.body))
}

func operatorMemory(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{env: []string{"GOMEMLIMIT=128MiB"}})
	request := hello(strings.Repeat("the tide turns at the quay. ", 1<<20))
	statuses := map[int]int{}
	var mu sync.Mutex
	more := p.grown(func() {
		var clients sync.WaitGroup
		for range 10 {
			clients.Go(func() {
				a := p.post("/plimsoll/v1/count", request)
				mu.Lock()
				defer mu.Unlock()
				statuses[a.status]++
			})
		}
		clients.Wait()
	})
	if more > 300 || statuses[200] == 0 || statuses[200]+statuses[503] != 10 {
		t.Errorf("%.0f MB more, statuses %v", more, statuses)
	}
	return fmt.Sprintf("10 × %d MB: %.0f MB more, statuses %v", len(request)>>20, more, statuses)
}

func upstreamBombs(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{flags: []string{"--limit", "6000"}})
	plain := body(t, plimsoll.OpenAI, talk("bomb", 1), `"stream":true,`)
	woven := body(t, plimsoll.OpenAI, work("bomb", 12, 80), `"stream":true,`) // is cut, so that our tools are offered
	p.must(p.post(chat, plain))
	if a := p.must(p.post(chat, woven)); a.decision() == "pass" {
		t.Fatal("nothing was cut")
	}
	coded := zipped("", chunk(strings.Repeat("water ", 1000)), done, 300<<20)
	codedWhole := zipped(`{"id":"c","object":"chat.completion","model":"gpt-4o","choices":[{"index":0,"message":{"role":"assistant","content":"`, "water ", `"},"finish_reason":"stop"}]}`, 300<<20)
	one := func(w http.ResponseWriter, r *http.Request, _ []byte) bool {
		if r.Method != http.MethodPost {
			return false
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"")
		block := strings.Repeat("water ", 10_000)
		for range 200 << 20 / len(block) {
			if _, err := io.WriteString(w, block); err != nil {
				return true
			}
		}
		_, _ = io.WriteString(w, "\"}}]}\n\n"+done)
		return true
	}
	var figures []string
	for _, c := range []struct {
		name string
		h    hook
	}{
		{"stream of 200 MB", long(200)},
		{"one event of 200 MB", one},
		{"gzip stream of 300 MB", say(200, string(coded), "Content-Encoding", "gzip", "Content-Type", "text/event-stream")},
		{"gzip answer of 300 MB", say(200, string(codedWhole), "Content-Encoding", "gzip")},
	} {
		for name, request := range map[string][]byte{"passed": plain, "woven": woven} {
			u.act(c.h)
			more := p.grown(func() { p.drain(request) })
			figures = append(figures, fmt.Sprintf("%s, %s +%.0f MB", c.name, name, more))
			if more > 150 {
				t.Errorf("%s, %s: %.0f MB more", c.name, name, more)
			}
		}
	}
	return strings.Join(figures, "; ")
}

// drain sends a request and throws its answer away as it comes.
func (p *proxy) drain(request []byte) {
	p.t.Helper()
	req, err := http.NewRequestWithContext(p.t.Context(), http.MethodPost, p.url+chat, bytes.NewReader(request))
	if err != nil {
		p.t.Fatal(err)
	}
	req.Header.Set("Accept-Encoding", "gzip")
	resp, err := p.client.Do(req)
	if err != nil {
		p.t.Error(err)
		return
	}
	defer resp.Body.Close()
	_, _ = io.Copy(io.Discard, resp.Body) // a bomb may be cut
}

func tinyMessages(t *testing.T) string {
	u := newUpstream(t, nil)
	var figures []string
	for name, is := range map[string]struct {
		text     string
		elements int // messages and parts
	}{
		"tiny messages": {`{"role":"user","content":"a"}`, 2},
		"alternating":   {`{"role":"user","content":"a"},{"role":"assistant","content":"b"}`, 4},
		"many parts":    {`{"role":"user","content":[{"type":"text","text":"a"},{"type":"text","text":"b"}]}`, 3},
	} {
		element := is.text
		n := (4 << 20) / len(element)
		request := []byte(`{"model":"gpt-4o","messages":[` + strings.Repeat(element+",", n) + `{"role":"user","content":"end"}]}`)
		for _, limit := range []string{"1000000", "50000"} {
			p := serve(t, u.URL, setup{})
			p.post(chat, []byte(`{"model":"gpt-4o","messages":[`+strings.Repeat(element+",", n/10)+`{"role":"user","content":"warm"}]}`), "X-Plimsoll-Limit", "5000")
			cpu, status := p.cpu(), 0
			more := p.grown(func() { status = p.post(chat, request, "X-Plimsoll-Limit", limit).status })
			cpu = p.cpu() - cpu
			mb := float64(len(request)) / (1 << 20)
			claimed := 3*mb + float64(n*is.elements)*1536/(1<<20) // docs/proxy.md, "Bounds"
			figures = append(figures, fmt.Sprintf("%s, limit %s: %d ×%.0f of ×%.0f %.2f s/MB", name, limit, status, more/mb, claimed/mb, cpu/mb))
			if more > claimed || cpu/mb > 1 {
				t.Errorf("%s, limit %s: %d, %.0f MB for a body of %.1f that claims %.0f, %.2f s of CPU per MB", name, limit, status, more, mb, claimed, cpu/mb)
			}
			p.kill()
		}
	}
	return strings.Join(figures, "; ")
}

func oneClients404(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{settings: tenants})
	u.act(func(w http.ResponseWriter, r *http.Request, b []byte) bool {
		switch {
		case r.Method != http.MethodPost:
			return false
		case bytes.Contains(b, []byte("attacker")):
			return say(404, `{"error":{"message":"Item with id 'msg_1' not found.","type":"invalid_request_error","code":null}}`)(w, r, b)
		case strings.HasSuffix(r.URL.Path, "/count_tokens"):
			return say(200, `{"input_tokens":424242}`)(w, r, b)
		case strings.HasSuffix(r.URL.Path, "/compact"):
			return say(200, `{"id":"upstreams-own","object":"response.compaction","output":[]}`)(w, r, b)
		}
		return false
	})
	for _, key := range []string{"Bearer attacker", "Bearer victim"} { // also for those who come with the same key
		p.post("/v1/responses/compact", []byte(`{"model":"gpt-4o","input":[{"type":"item_reference","id":"msg_1"},{"role":"user","content":"attacker"}]}`), "Authorization", key)
		p.post("/v1/messages/count_tokens", []byte(`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"attacker"}]}`), "Authorization", key)
	}
	if a := p.post("/v1/responses/compact", []byte(`{"model":"gpt-4o","input":[{"role":"user","content":"hi"}]}`), "Authorization", "Bearer other"); !bytes.Contains(a.body, []byte("upstreams-own")) {
		t.Errorf("compact is not the upstream's any more: %v", a)
	}
	if a := p.post("/v1/messages/count_tokens", []byte(`{"model":"claude-sonnet-4-5","messages":[{"role":"user","content":"hi"}]}`), "Authorization", "Bearer other"); !bytes.Contains(a.body, []byte("424242")) {
		t.Errorf("count_tokens is not the upstream's any more: %v", a)
	}
	return "both paths stay the upstream's"
}

func longSearch(t *testing.T) string {
	pattern := strings.Repeat("[^x]*", 100) + "y"
	u := newUpstream(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		ids := refs(c.Request.Body())
		if !strings.Contains(string(c.Request.Body()), "attacker") || len(ids) == 0 || len(c.Results()) > 0 && c.Results()[0].Name != "read_file" {
			return scripted.Step{}, false
		}
		arguments, _ := json.Marshal(map[string]any{"ref_id": ids[0], "pattern": pattern, "regex": true})
		var step scripted.Step
		for range 8 {
			step.Calls = append(step.Calls, plimsoll.ToolCall{Name: "tool_output_cache_grep", Arguments: string(arguments)})
		}
		return step, true
	}})
	p := serve(t, u.URL, setup{settings: tenants, flags: []string{"--limit", "20000"}})
	c := work("attacker", 2, 20)
	c.Messages = plimsoll.ListOf(append(c.Messages.Slice()[:1],
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: "call_0", Name: "read_file", Arguments: `{"path":"line"}`}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: "call_0", Name: "read_file", Content: textOf(strings.Repeat("w", 6<<20))}))...)
	begun := time.Now()
	finished := make(chan answer, 1)
	go func() { finished <- p.post(chat, body(t, plimsoll.OpenAI, c), "Authorization", "Bearer attacker") }()
	cut, without, took := 0, 0, time.Duration(0)
	for i := 0; took == 0 || time.Since(begun) < took+6*time.Second; i++ {
		a := p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("victim", i), 6, 400)), "Authorization", "Bearer victim")
		cut++
		if a.status != 200 || a.decision() == "pass" || strings.Contains(a.header.Get("X-Plimsoll-Warning"), "store") {
			without++
		}
		select {
		case <-finished:
			took = time.Since(begun)
		case <-time.After(200 * time.Millisecond):
		}
	}
	if without > 0 {
		t.Errorf("%d of %d requests of another tenant had no store", without, cut)
	}
	return fmt.Sprintf("search %.1f s; %d requests of another tenant, %d without the store", took.Seconds(), cut, without)
}

func badRow(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{store: pgtest.Database(t), settings: tenants, flags: []string{"--limit", "20000"}})
	u.act(hooked(say200))
	a := p.post(chat, []byte(`{"model":"gpt-4o\u0000","messages":[{"role":"user","content":"hi"}]}`), "Authorization", "Bearer attacker")
	without, n := 0, 0
	for begun := time.Now(); time.Since(begun) < 20*time.Second; n++ {
		b := p.must(p.post(chat, body(t, plimsoll.OpenAI, work(fmt.Sprint("victim", n), 6, 400)), "Authorization", "Bearer victim"))
		if b.decision() == "pass" {
			t.Fatal("nothing was cut")
		}
		posts := u.posts()
		if len(refs(posts[len(posts)-1].body)) == 0 {
			without++
		}
		time.Sleep(100 * time.Millisecond)
	}
	if without > 0 {
		t.Errorf("%d of %d requests of another tenant have no references", without, n)
	}
	return fmt.Sprintf("poison answered %d; then %d of %d without references", a.status, without, n)
}

func say200(w http.ResponseWriter, r *http.Request, b []byte) { say(200, answered)(w, r, b) }

func oddRequests(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{})
	request := string(hello("odd"))
	post := fmt.Sprintf("POST %s HTTP/1.1\r\nHost: localhost\r\nContent-Length: %d\r\n", chat, len(request))
	for _, c := range []struct {
		name, text string
		answers    int
		status     []int
	}{
		{"three in a row", post + "\r\n" + request + post + "\r\n" + request + post + "\r\n" + request, 3, []int{200}},
		{"HTTP/1.0", strings.Replace(post, "HTTP/1.1", "HTTP/1.0", 1) + "\r\n" + request, 1, []int{200}},
		{"HTTP/0.9", "GET /v1/models\r\n\r\n", 1, []int{400}},
		{"HTTP/2.0 by name", strings.Replace(post, "HTTP/1.1", "HTTP/2.0", 1) + "\r\n" + request, 1, []int{400, 505}},
		{"HEAD", "HEAD /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 1, []int{200, 404, 405}},
		{"Expect", post + "Expect: 100-continue\r\n\r\n" + request, 1, []int{100, 200}},
		{"another Expect", post + "Expect: coffee\r\n\r\n" + request, 1, []int{417}},
		{"an odd method", "BREW /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 1, []int{200, 404, 405, 501}},
		{"an empty method", " /v1/models HTTP/1.1\r\nHost: localhost\r\n\r\n", 1, []int{400}},
		{"a method of 64 KB", strings.Repeat("A", 64<<10) + " /v1/models HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n", 1, []int{200, 400, 404, 405, 414, 431, 501}},
		{"an empty body", strings.Replace(post, fmt.Sprint(len(request)), "0", 1) + "\r\n", 1, []int{400}},
	} {
		got := p.raw(c.text)
		found := false
		for _, want := range c.status {
			found = found || status(strings.Replace(got, "HTTP/1.0", "HTTP/1.1", 1)) == want
		}
		if n := strings.Count(got, "HTTP/1.1 ") + strings.Count(got, "HTTP/1.0 "); !found || n < c.answers {
			t.Errorf("%s: %d answers, %.200q", c.name, n, got)
		}
	}
	half := p.dial()
	fmt.Fprintf(half, "%s\r\n%s", post, request[:10])
	half.Close()
	p.must(p.post(chat, hello("after")))
	return "12 forms"
}

func leavesInAHiddenRound(t *testing.T) string {
	reading := make(chan struct{}, 100)
	u := newUpstream(t, &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		if r := c.Results(); len(r) > 0 && r[0].Name == "tool_output_cache" {
			reading <- struct{}{}
			return scripted.Step{Text: "late", Delay: patience}, true
		}
		if ids := refs(c.Request.Body()); len(ids) > 0 {
			return scripted.Use("tool_output_cache", fmt.Sprintf(`{"ref_id":%q}`, ids[0])), true
		}
		return scripted.Step{}, false
	}})
	p := serve(t, u.URL, setup{flags: []string{"--limit", "6000"}})
	n := int64(0)
	for _, d := range four {
		for _, stream := range []bool{false, true} {
			more := ""
			if d != plimsoll.Gemini {
				more = fmt.Sprintf(`"stream":%t,`, stream)
			}
			ctx, leave := context.WithCancel(t.Context())
			gone := make(chan answer)
			go func() {
				gone <- p.do(ctx, http.MethodPost, path(d, stream), body(t, d, work(fmt.Sprint("hidden", n), 12, 80), more))
			}()
			select {
			case <-reading:
			case a := <-gone:
				leave()
				t.Fatalf("%s: the model did not read: %v", d, a)
			}
			leave()
			<-gone
			n++
			until(t, "the hidden call is cancelled", func() bool { return u.left.Load() >= n })
		}
	}
	return fmt.Sprintf("%d hidden calls cancelled", n)
}

func wrongCertificate(t *testing.T) string {
	var asked atomic.Int64
	u := httptest.NewUnstartedServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked.Add(1) }))
	u.Config.ErrorLog = log.New(io.Discard, "", 0)
	u.StartTLS()
	defer u.Close()
	p := serve(t, u.URL, setup{})
	if a := p.post(chat, hello("secret")); a.status != http.StatusBadGateway || asked.Load() > 0 {
		t.Errorf("%v, %d requests arrived", a, asked.Load())
	}
	return "502, 0 requests arrived"
}

func codedBodies(t *testing.T) string {
	u := newUpstream(t, nil)
	u.act(hooked(func(w http.ResponseWriter, r *http.Request, _ []byte) {
		time.Sleep(time.Second)
		say(200, answered)(w, r, nil)
	}))
	p := serve(t, u.URL, setup{env: []string{"GOMEMLIMIT=256MiB"}})
	coded := zipped(`{"model":"gpt-4o","messages":[{"role":"user","content":"`, "    ", `"}]}`, 60<<20)
	statuses := map[int]int{}
	var mu sync.Mutex
	more := p.grown(func() {
		var clients sync.WaitGroup
		for range 24 {
			clients.Go(func() {
				a := p.post(chat, coded, "Content-Encoding", "gzip", "X-Plimsoll-Limit", "100000000")
				mu.Lock()
				defer mu.Unlock()
				statuses[a.status]++
			})
		}
		clients.Wait()
	})
	if more > 600 || statuses[200]+statuses[503] != 24 {
		t.Errorf("%.0f MB more, statuses %v", more, statuses)
	}
	if a := p.post(chat, coded, "Content-Encoding", "gzip", "X-Plimsoll-Limit", "100000000"); a.status != 200 {
		t.Errorf("one that is alone: %v", a)
	}
	return fmt.Sprintf("24 × %d KB: %.0f MB more, statuses %v", len(coded)>>10, more, statuses)
}

func addedTools(t *testing.T) string {
	u := newUpstream(t, nil)
	p := serve(t, u.URL, setup{flags: []string{"--limit", "6000"}})
	added := 0
	for _, d := range four {
		for _, stream := range []bool{false, true} {
			more := ""
			if d != plimsoll.Gemini {
				more = fmt.Sprintf(`"stream":%t,`, stream)
			}
			a := p.post(path(d, stream), body(t, d, work(fmt.Sprint("tools", stream), 12, 80), more))
			posts := u.posts()
			sent := posts[len(posts)-1].body
			if a.status != 200 || !bytes.Contains(sent, []byte("tool_output_cache")) {
				t.Errorf("%s: %v", d, a)
				continue
			}
			added++
			for _, schema := range schemasIn(sent) {
				for _, name := range schema.unknown(d) {
					t.Errorf("%s: a tool has the member %q", d, name)
				}
			}
		}
	}
	if r := u.refused(); len(r) > 0 {
		t.Errorf("refused: %v", r)
	}
	return fmt.Sprintf("%d requests with our tools, 0 members unknown", added)
}

// schemaOf is the declaration of one tool, as it was sent.
type schemaOf map[string]any

// schemasIn finds the declarations of our tools.
func schemasIn(body []byte) []schemaOf {
	var found []schemaOf
	var walk func(any)
	walk = func(v any) {
		switch v := v.(type) {
		case []any:
			for _, e := range v {
				walk(e)
			}
		case map[string]any:
			if name, _ := v["name"].(string); strings.HasPrefix(name, "tool_output_cache") {
				found = append(found, v)
				return
			}
			for _, e := range v {
				walk(e)
			}
		}
	}
	var root map[string]any
	_ = json.Unmarshal(body, &root)
	walk(root["tools"])
	return found
}

// unknown returns the members that the API's own definition of a tool does not have.
func (s schemaOf) unknown(d plimsoll.Dialect) []string {
	known := map[plimsoll.Dialect]string{
		plimsoll.OpenAI: " name description parameters strict ", plimsoll.Responses: " type name description parameters strict ",
		plimsoll.Anthropic: " type name description input_schema cache_control strict ", plimsoll.Gemini: " name description parameters parametersJsonSchema behavior response responseJsonSchema ",
	}[d]
	var odd []string
	for name := range s {
		if !strings.Contains(known, " "+name+" ") {
			odd = append(odd, name)
		}
	}
	if parameters, ok := s["parameters"].(map[string]any); ok && d == plimsoll.Gemini {
		if _, ok := parameters["additionalProperties"]; ok {
			odd = append(odd, "parameters.additionalProperties")
		}
	}
	return odd
}
