package transport_test

import (
	"bytes"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/transport"
)

const (
	openingEvents = "event: response.created\ndata: {\"type\":\"response.created\",\"sequence_number\":0,\"response\":{\"id\":\"resp_%\",\"status\":\"in_progress\",\"output\":[]}}\n\n" +
		"event: response.in_progress\ndata: {\"type\":\"response.in_progress\",\"sequence_number\":1,\"response\":{\"id\":\"resp_%\",\"status\":\"in_progress\",\"output\":[]}}\n\n"
	fullEvents = "event: error\ndata: {\"type\":\"error\",\"sequence_number\":2,\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\"}\n\n" +
		"event: response.failed\ndata: {\"type\":\"response.failed\",\"sequence_number\":3,\"response\":{\"id\":\"resp_%\",\"status\":\"failed\",\"error\":{\"code\":\"context_length_exceeded\",\"message\":\"Your input exceeds the context window of this model.\"},\"output\":[]}}\n\n"
	saidEvents = "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":2,\"output_index\":0,\"item\":{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"all is well\",\"annotations\":[]}]}}\n\n" +
		"event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":3,\"response\":{\"id\":\"resp_%\",\"model\":\"gpt-5\",\"status\":\"completed\",\"output\":[{\"type\":\"message\",\"id\":\"msg_1\",\"role\":\"assistant\",\"status\":\"completed\",\"content\":[{\"type\":\"output_text\",\"text\":\"all is well\",\"annotations\":[]}]}],\"usage\":{\"input_tokens\":9,\"output_tokens\":2,\"total_tokens\":11}}}\n\n"
)

// fullAbove answers requests of more bytes than that by an overflow inside the stream.
func fullAbove(t *testing.T, most int) (*httptest.Server, *atomic.Int32) {
	t.Helper()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		id := string(rune('a' + asked.Add(1) - 1))
		if bytes.Contains(body, []byte(`"previous_response_id"`)) {
			http.Error(w, "no such answer", http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		events := openingEvents + saidEvents
		if len(body) > most {
			events = openingEvents + fullEvents
		}
		for _, event := range strings.SplitAfter(strings.ReplaceAll(events, "%", id), "\n\n") {
			_, _ = io.WriteString(w, event)
			w.(http.Flusher).Flush()
		}
	}))
	t.Cleanup(server.Close)
	return server, &asked
}

func TestF10_AnOverflowInsideAStreamIsRescuedWithoutHoldingTheStreamBack(t *testing.T) {
	t.Parallel()
	for _, expand := range []transport.Expand{transport.ExpandOff, transport.ExpandAlways} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Expand: expand})
		var asked *atomic.Int32
		b.server, asked = fullAbove(t, 60_000)
		a := b.long(plimsoll.Responses, 20)
		a.stream = true
		got := a.ask()
		if asked.Load() != 2 || !got.done || got.said.Message.Text() != "all is well" || got.said.Error != nil {
			t.Fatalf("expand %s: asked %d times, %+v:\n%s", expand, asked.Load(), got.said, got.body)
		}
		if n := bytes.Count(got.body, []byte("event: response.created")); n != 1 || bytes.Contains(got.body, []byte("context_length_exceeded")) {
			t.Errorf("expand %s: the client sees %d beginnings:\n%s", expand, n, got.body)
		}
		if bytes.Contains(got.body, []byte("resp_b")) || bytes.Count(got.body, []byte("resp_a")) != 3 {
			t.Errorf("expand %s: the answer changes its name:\n%s", expand, got.body)
		}
		next := b.post(plimsoll.Responses, true, []byte(`{"model":"gpt-4o","stream":true,"previous_response_id":"resp_a","input":"more"}`), nil)
		if next.status != http.StatusOK || next.said.Message.Text() != "all is well" {
			t.Errorf("expand %s: the answer cannot be named: %d %s", expand, next.status, next.body)
		}
		if x := <-b.exchanges; !x.Rescued || x.After.Total >= x.Before.Total {
			t.Errorf("expand %s: rescued %v, %d of %d tokens", expand, x.Rescued, x.After.Total, x.Before.Total)
		}
	}
}

func TestToolsThatCameWithARescueAreAnswered(t *testing.T) {
	t.Parallel()
	var asked atomic.Int32
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		n := asked.Add(1)
		events := openingEvents + saidEvents
		switch {
		case len(body) > 60_000:
			events = openingEvents + fullEvents
		case n == 2:
			events = openingEvents + "event: response.output_item.done\ndata: {\"type\":\"response.output_item.done\",\"sequence_number\":2,\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"tool_output_cache\",\"arguments\":\"{\\\"ref_id\\\":\\\"x\\\"}\",\"status\":\"completed\"}}\n\n" +
				"event: response.completed\ndata: {\"type\":\"response.completed\",\"sequence_number\":3,\"response\":{\"id\":\"resp_%\",\"model\":\"gpt-5\",\"status\":\"completed\",\"output\":[{\"type\":\"function_call\",\"id\":\"fc_1\",\"call_id\":\"call_1\",\"name\":\"tool_output_cache\",\"arguments\":\"{\\\"ref_id\\\":\\\"x\\\"}\",\"status\":\"completed\"}],\"usage\":{\"input_tokens\":9,\"output_tokens\":2,\"total_tokens\":11}}}\n\n"
		}
		_, _ = io.WriteString(w, strings.ReplaceAll(events, "%", string(rune('a'+n-1))))
	}))
	t.Cleanup(server.Close)
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	b.server = server
	a := b.long(plimsoll.Responses, 20)
	a.stream = true
	got := a.ask()
	if asked.Load() != 3 || !got.done || got.said.Message.Text() != "all is well" || bytes.Contains(got.body, []byte("tool_output_cache")) {
		t.Fatalf("asked %d times:\n%s", asked.Load(), got.body)
	}
	if bytes.Contains(got.body, []byte("resp_b")) || bytes.Contains(got.body, []byte("resp_c")) || bytes.Count(got.body, []byte("response.created")) != 2 {
		t.Errorf("the client sees\n%s", got.body)
	}
	if x := <-b.exchanges; x.Usage.Input != 18 || x.Rounds != 1 {
		t.Errorf("usage %+v, rounds %d", x.Usage, x.Rounds)
	}
}

func TestF10_AnOverflowInsideAStreamThatStaysIsTheClientsToHear(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	var asked *atomic.Int32
	b.server, asked = fullAbove(t, 100)
	a := b.long(plimsoll.Responses, 20)
	a.stream = true
	got := a.ask()
	if asked.Load() != 2 || got.said.Error == nil || !got.said.Error.Overflows() || bytes.Count(got.body, []byte("event: response.failed")) != 1 {
		t.Errorf("asked %d times:\n%s", asked.Load(), got.body)
	}
	small := b.agent(plimsoll.Responses, true)
	small.say("hi")
	raw := small.ask()
	if want := strings.ReplaceAll(openingEvents+fullEvents, "%", "c"); string(raw.body) != want {
		t.Errorf("an overflow that nothing can be done about changed:\n%s", raw.body)
	}
}
