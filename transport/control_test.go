package transport_test

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
)

// long is an agent that has read much and is about to ask again.
func (b *bench) long(d plimsoll.Dialect, steps int) *agent {
	a := b.agent(d, false)
	a.say("read all files")
	for i := range steps {
		id := "call_" + strconv.Itoa(i)
		a.history = append(a.history, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read", Arguments: `{"path":"file` + strconv.Itoa(i) + `"}`}))
		a.answerCalls(func(plimsoll.ToolCall) string { return output(i) })
	}
	return a
}

func TestHeadersOfOursNeverGoUpstreamAndTheAnswerSaysWhatWasDone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	a := b.long(plimsoll.OpenAI, 8)
	a.header = http.Header{"X-Plimsoll-Limit": {"9000"}, "x-plimsoll-anything": {"secret"}, "X-Request-Id": {"r1"}}
	got := a.ask()
	sent := b.model.Log()[0]
	for name := range sent.Header {
		if strings.HasPrefix(strings.ToLower(name), "x-plimsoll") {
			t.Errorf("%s went upstream", name)
		}
	}
	if sent.Header.Get("X-Request-Id") != "r1" {
		t.Error("a header of the client's was lost")
	}
	if got.header.Get(transport.HeaderDecision) != "cut" && got.header.Get(transport.HeaderDecision) != "compact" {
		t.Errorf("decision %q", got.header.Get(transport.HeaderDecision))
	}
	load, _ := strconv.Atoi(got.header.Get(transport.HeaderLoad))
	limit, _ := strconv.Atoi(got.header.Get(transport.HeaderLimit))
	saved, _ := strconv.Atoi(got.header.Get(transport.HeaderSaved))
	if load == 0 || load > limit || limit > 9000 || saved < 1000 {
		t.Errorf("load %d, limit %d, saved %d", load, limit, saved)
	}
	if again := a.post(a.dialect, false, a.last, a.header); again.header.Get(transport.HeaderDecision) != "recall" {
		t.Errorf("the same request again: %q", again.header.Get(transport.HeaderDecision))
	}
}

func TestABypassedRequestIsLeftAlone(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 5000})
	a := b.long(plimsoll.Anthropic, 8)
	a.header = http.Header{transport.HeaderBypass: {"1"}}
	got := a.ask()
	if sent := b.model.Log()[0]; !bytes.Equal(sent.Body, a.last) {
		t.Error("the body changed")
	}
	if d := got.header.Get(transport.HeaderDecision); d != "bypass" {
		t.Errorf("decision %q", d)
	}
}

func TestADryRunSendsNothing(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 9000})
	a := b.long(plimsoll.Gemini, 8)
	a.header = http.Header{transport.HeaderDryRun: {"true"}}
	got := b.postRaw(path(a.dialect, false), a.body(), a.header)
	var plan plimsoll.Plan
	if err := json.Unmarshal(got.body, &plan); err != nil {
		t.Fatalf("%v: %s", err, got.body)
	}
	if len(b.model.Log()) != 0 {
		t.Error("something was sent")
	}
	if plan.Before.Total <= plan.After.Total || len(plan.Edits) == 0 {
		t.Errorf("plan %s", got.body)
	}
}

func TestAPinnedMessageSurvives(t *testing.T) {
	t.Parallel()
	for pin, want := range map[string]bool{"": false, "match=MARK-0000": true} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 9000})
		a := b.long(plimsoll.OpenAI, 8)
		if pin != "" {
			a.header = http.Header{transport.HeaderPin: {pin}}
		}
		a.ask()
		if got := bytes.Contains(b.model.Log()[0].Body, []byte("step 0 line 60:")); got != want {
			t.Errorf("pin %q: the first output is there: %v", pin, got)
		}
	}
}

func TestWrongControlsAreExplainedInTheApisOwnForm(t *testing.T) {
	t.Parallel()
	for name, value := range map[string]string{
		transport.HeaderLimit: "many", transport.HeaderPin: "colour=red", transport.HeaderPreset: "nosuch",
	} {
		b := newBench(t, nil, transport.Options{})
		a := b.agent(plimsoll.Anthropic, false)
		a.say("hi")
		a.header = http.Header{name: {value}}
		got := a.ask()
		if got.status != http.StatusBadRequest || !bytes.Contains(got.body, []byte(`"type":"error"`)) || !bytes.Contains(got.body, []byte(value)) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if len(b.model.Log()) != 0 {
			t.Errorf("%s: something was sent", name)
		}
	}
}

func TestConversationsWithNamesOfTheirOwnDoNotShareDecisions(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Store: newStore(t)})
	a := b.long(plimsoll.OpenAI, 8)
	a.header = http.Header{transport.HeaderConversation: {"one"}, transport.HeaderLimit: {"9000"}}
	a.ask()
	for name, recalled := range map[string]bool{"one": true, "two": false} {
		got := a.post(a.dialect, false, a.last, http.Header{transport.HeaderConversation: {name}, transport.HeaderLimit: {"9000"}})
		if d := got.header.Get(transport.HeaderDecision); d == "recall" != recalled || d == "pass" {
			t.Errorf("conversation %s: %q", name, d)
		}
	}
}

func TestACompressedBodyIsPassedOnAsItIsUnlessItIsCut(t *testing.T) {
	t.Parallel()
	for window, cut := range map[int]bool{0: false, 9000: true} {
		b := newBench(t, nil, transport.Options{Store: newStore(t), Window: window})
		a := b.long(plimsoll.Responses, 8)
		plain := a.body()
		var packed bytes.Buffer
		z := gzip.NewWriter(&packed)
		_, _ = z.Write(plain)
		_ = z.Close()
		got := a.post(a.dialect, false, packed.Bytes(), http.Header{"Content-Encoding": {"gzip"}})
		if got.status != http.StatusOK {
			t.Fatalf("%d %s", got.status, got.body)
		}
		sent := b.model.Log()[0]
		if encoding := sent.Header.Get("Content-Encoding"); (encoding == "gzip") == cut {
			t.Errorf("window %d: content coding %q", window, encoding)
		}
		if same := bytes.Equal(sent.Body, plain); same == cut {
			t.Errorf("window %d: the same body: %v", window, same)
		}
	}
}

func TestABodyThatCannotBeTakenIsRefusedInTheApisOwnForm(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{MaxBody: 10_000})
	var bomb bytes.Buffer
	z := gzip.NewWriter(&bomb)
	_, _ = z.Write(make([]byte, 1<<20))
	_ = z.Close()
	for name, c := range map[string]struct {
		body   []byte
		coding string
		status int
	}{
		"too large":       {make([]byte, 10_001), "", http.StatusRequestEntityTooLarge},
		"a bomb":          {bomb.Bytes(), "gzip", http.StatusRequestEntityTooLarge},
		"an odd coding":   {[]byte("{}"), "rot13", http.StatusUnsupportedMediaType},
		"a broken coding": {[]byte("{}"), "gzip", http.StatusBadRequest},
	} {
		header := http.Header{}
		if c.coding != "" {
			header.Set("Content-Encoding", c.coding)
		}
		got := b.post(plimsoll.OpenAI, false, c.body, header)
		if got.status != c.status || !bytes.Contains(got.body, []byte(`{"error":{`)) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
	}
	if len(b.model.Log()) != 0 {
		t.Error("something was sent")
	}
}

func TestWhatIsNotUnderstoodGoesOnAsItCame(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{Window: 100})
	for _, body := range []string{"", "no JSON", `{"messages":"?"}`, `[1,2]`, "\xff\xfe"} {
		got := b.post(plimsoll.OpenAI, false, []byte(body), nil)
		log := b.model.Log()
		if last := log[len(log)-1]; string(last.Body) != body || got.status != last.Status {
			t.Errorf("%q arrived as %q, status %d of %d", body, last.Body, got.status, last.Status)
		}
	}
}

func TestF04_F05_WhatCannotFitIsRefusedWithNumbersAndNothingIsSent(t *testing.T) {
	t.Parallel()
	eachDialect(t, func(t *testing.T, d plimsoll.Dialect, stream bool) {
		b := newBench(t, &scripted.Options{}, transport.Options{Store: newStore(t), Window: 2000})
		a := b.agent(d, stream)
		a.say(strings.Repeat("many words ", 3000))
		got := a.ask()
		if got.status != http.StatusBadRequest || len(b.model.Log()) != 0 {
			t.Fatalf("status %d, %d requests were sent", got.status, len(b.model.Log()))
		}
		o, ok := wire.FindOverflow(got.status, got.body)
		if !ok || o.Limit != 1875 && o.Limit != 1500 || o.Tokens < 6000 {
			t.Errorf("%+v in %s", o, got.body)
		}
		if got.header.Get(transport.HeaderDecision) != "refuse" {
			t.Errorf("decision %q", got.header.Get(transport.HeaderDecision))
		}
	})
}
