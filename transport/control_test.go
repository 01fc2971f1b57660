package transport_test

import (
	"bytes"
	"compress/gzip"
	"compress/zlib"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/zstd"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
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
		transport.HeaderLimit: "0", transport.HeaderWindow: "many", transport.HeaderPin: "colour=red", transport.HeaderPreset: "nosuch",
		transport.HeaderConversation: strings.Repeat("x", 513),
	} {
		b := newBench(t, nil, transport.Options{})
		a := b.agent(plimsoll.Anthropic, false)
		a.say("hi")
		a.header = http.Header{name: {value}}
		got := a.ask()
		if got.status != http.StatusBadRequest || !bytes.Contains(got.body, []byte(`"type":"error"`)) || !bytes.Contains(got.body, []byte(name)) {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		if name == transport.HeaderLimit && !bytes.Contains(got.body, []byte("above zero; leave the header out")) {
			t.Errorf("%s: it does not say what to do: %s", name, got.body)
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

// codings are those that clients may send bodies in.
var codings = []string{"gzip", "deflate", "br", "zstd"}

// packed returns a body in a content coding.
func packed(t *testing.T, coding string, body []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	var w io.WriteCloser
	switch coding {
	case "gzip":
		w = gzip.NewWriter(&b)
	case "deflate":
		w = zlib.NewWriter(&b)
	case "br":
		w = brotli.NewWriter(&b)
	case "zstd":
		z, err := zstd.NewWriter(&b)
		if err != nil {
			t.Fatal(err)
		}
		w = z
	}
	if _, err := w.Write(body); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestACompressedBodyIsPassedOnAsItIsUnlessItIsCut(t *testing.T) {
	t.Parallel()
	for _, coding := range codings {
		for window, cut := range map[int]bool{0: false, 9000: true} {
			var raw []byte
			b := newBench(t, nil, transport.Options{Store: newStore(t), Window: window, Base: sees(&raw)})
			a := b.long(plimsoll.Responses, 8)
			plain := a.body()
			body := packed(t, coding, plain)
			got := a.post(a.dialect, false, body, http.Header{"Content-Encoding": {coding}})
			if got.status != http.StatusOK {
				t.Fatalf("%s: %d %s", coding, got.status, got.body)
			}
			sent := b.model.Log()[0]
			if encoding := sent.Header.Get("Content-Encoding"); (encoding == coding) == cut {
				t.Errorf("%s, window %d: content coding %q", coding, window, encoding)
			}
			if same := bytes.Equal(raw, body); same == cut {
				t.Errorf("%s, window %d: the same bytes: %v", coding, window, same)
			}
			if same := bytes.Equal(sent.Body, plain); same == cut {
				t.Errorf("%s, window %d: the same body: %v", coding, window, same)
			}
		}
	}
}

// sees keeps the body of the last request.
func sees(body *[]byte) http.RoundTripper {
	return roundTripper(func(r *http.Request) (*http.Response, error) {
		all, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		*body = all
		r.Body = io.NopCloser(bytes.NewReader(all))
		return http.DefaultTransport.RoundTrip(r)
	})
}

type roundTripper func(*http.Request) (*http.Response, error)

func (f roundTripper) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func TestARequestWithTooManyMessagesIsRefusedNotForwarded(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{})
	const message = `{"role":"user","content":"x"}`
	got := b.post(plimsoll.OpenAI, false, []byte(`{"messages":[`+strings.Repeat(message+",", wire.MaxItems)+message+`]}`), nil)
	if got.status != http.StatusRequestEntityTooLarge || !bytes.Contains(got.body, []byte("more than 200,000 messages")) {
		t.Errorf("%d %s", got.status, got.body)
	}
	if len(b.model.Log()) != 0 {
		t.Error("the request was sent")
	}
}

func TestABodyThatCannotBeTakenIsRefusedInTheApisOwnForm(t *testing.T) {
	t.Parallel()
	b := newBench(t, nil, transport.Options{MaxBody: 10_000})
	type body struct {
		body   []byte
		coding string
		status int
	}
	bodies := map[string]body{
		"too large":        {make([]byte, 10_001), "", http.StatusRequestEntityTooLarge},
		"an odd coding":    {[]byte("{}"), "rot13", http.StatusUnsupportedMediaType},
		"a bomb in a bomb": {packed(t, "gzip", packed(t, "zstd", make([]byte, 1<<20))), "zstd, gzip", http.StatusRequestEntityTooLarge},
	}
	for _, coding := range codings {
		bodies["a bomb in "+coding] = body{packed(t, coding, make([]byte, 1<<20)), coding, http.StatusRequestEntityTooLarge}
		bodies["broken "+coding] = body{[]byte("{}"), coding, http.StatusBadRequest}
		whole := packed(t, coding, []byte(strings.Repeat("x", 1000)))
		bodies["half of "+coding] = body{whole[:len(whole)/2], coding, http.StatusBadRequest}
	}
	for name, c := range bodies {
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

func TestNestingWithoutEndHarmsNobody(t *testing.T) {
	t.Parallel()
	const deep = 5_000_000
	for name, hole := range map[string]string{
		"lists":   strings.Repeat("[", deep) + strings.Repeat("]", deep),
		"objects": strings.Repeat(`{"a":`, deep) + "1" + strings.Repeat("}", deep),
		"open":    strings.Repeat("[", deep),
	} {
		u := newUpstream(t, func(int, string) (int, string) { return http.StatusBadRequest, `{"error":{"message":"too deep"}}` })
		b := newBench(t, nil, transport.Options{Store: newStore(t), Window: 1000})
		b.server = u.Server
		body := `{"model":"gpt-4o","messages":[{"role":"user","content":"hi","x":` + hole + `}]}`
		got := b.postRaw("/v1/chat/completions", []byte(body), nil)
		if got.status != http.StatusBadRequest || string(got.body) != `{"error":{"message":"too deep"}}` || len(u.bodies) != 1 || u.bodies[0] != body {
			t.Errorf("%s: %d %.200s, asked %d times", name, got.status, got.body, len(u.bodies))
		}
		if got.header.Get(transport.HeaderWarning) == "" {
			t.Errorf("%s: it is not told that this is not managed", name)
		}
	}
}

func TestADryRunLeavesNothingBehind(t *testing.T) {
	t.Parallel()
	shared := newStore(t)
	b := newBench(t, nil, transport.Options{Store: shared, Window: 9000, Tenant: func(*http.Request) string { return "somebody" }})
	a := b.long(plimsoll.OpenAI, 8)
	body := a.body()
	for range 2 {
		got := b.postRaw(path(a.dialect, false), body, http.Header{transport.HeaderDryRun: {"1"}})
		if got.status != http.StatusOK || got.header.Get(transport.HeaderDecision) != "dry-run" || bytes.Contains(got.body, []byte(`"replayed":true`)) {
			t.Fatalf("%d %v", got.status, got.header)
		}
	}
	if stats, err := shared.Tenant("somebody").Stats(t.Context()); err != nil || stats.Objects != 0 {
		t.Errorf("%+v, %v", stats, err)
	}
	if err := b.transport.Close(); err != nil {
		t.Fatal(err)
	}
	if all, err := shared.Tenant("somebody").Accounts(t.Context(), "", 10); err != nil || len(all) != 0 {
		t.Errorf("%d accounts, %v", len(all), err)
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

func TestAReserveThatIsSetHoldsForAWindowThatIsSet(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		preset  string
		reserve *int
		want    int
	}{
		{preset.NameAuto, nil, 46_875},
		{preset.NameAuto, new(0), 50_000},
		{preset.NameAuto, new(1234), 48_766},
		{preset.NameAgent, new(0), 50_000},
		{preset.NameMultichat, nil, 50_000},
		{preset.NameGemini, nil, 50_000},
		{preset.NameCookbook, nil, 50_000},
		{preset.NameCookbook, new(1234), 48_766},
	} {
		options, err := preset.Named(tt.preset, &preset.Options{Reserve: tt.reserve})
		if err != nil {
			t.Fatal(err)
		}
		keeper, err := fit.New(options)
		if err != nil {
			t.Fatal(err)
		}
		choose := func(string) (*fit.Keeper, error) { return keeper, nil }
		for name, by := range map[string]struct {
			window int
			header http.Header
		}{"the operator": {50_000, nil}, "the client": {0, http.Header{transport.HeaderWindow: {"50000"}}}} {
			a := newBench(t, nil, transport.Options{Window: by.window, Keeper: choose}).agent(plimsoll.OpenAI, false)
			a.header = by.header
			a.say("hello")
			if got := a.ask().header.Get(transport.HeaderLimit); got != strconv.Itoa(tt.want) {
				t.Errorf("%s: in the window of %s the limit is %s, want %d", tt.preset, name, got, tt.want)
			}
		}
		a := newBench(t, nil, transport.Options{Window: 20_000, Keeper: choose}).agent(plimsoll.OpenAI, false)
		a.header = http.Header{transport.HeaderLimit: {"50000"}}
		a.say("hello")
		if got := a.ask().header.Get(transport.HeaderLimit); got != "50000" {
			t.Errorf("%s: the client names a limit of 50000, and it is %s", tt.preset, got)
		}
	}
}

func TestG04_ANamedLimitLeavesRoomForTheSnapshotOfPresetGemini(t *testing.T) {
	t.Parallel()
	options, err := preset.Gemini(nil)
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := fit.New(options)
	if err != nil {
		t.Fatal(err)
	}
	choose := func(string) (*fit.Keeper, error) { return keeper, nil }
	for name, by := range map[string]struct {
		window int
		header http.Header
	}{"by the operator": {2000, nil}, "by the client": {0, http.Header{transport.HeaderLimit: {"2000"}}}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := newBench(t, nil, transport.Options{Window: by.window, Keeper: choose, Store: newStore(t), Expand: transport.ExpandOff})
			a := b.agent(plimsoll.Gemini, false)
			a.header = by.header
			for i := range 200 {
				a.say(fmt.Sprintf("And how deep is the water at quay %d of the harbour?", i))
				got := a.ask()
				switch d := got.header.Get(transport.HeaderDecision); {
				case got.status == http.StatusOK && d == "pass":
				case d == "compact":
					return
				default:
					t.Fatalf("request %d: status %d, decision %q before any snapshot", i, got.status, d)
				}
			}
			t.Fatal("nothing was cut")
		})
	}
}

// TestNoPresetSendsWhatTheModelRefuses puts presets that count by estimates of their own
// in front of a model that counts for itself.
func TestNoPresetSendsWhatTheModelRefuses(t *testing.T) {
	t.Parallel()
	const window = 2000
	for _, name := range []string{preset.NameMultichat, preset.NameCookbook, preset.NameGemini} {
		for d := range models {
			t.Run(name+" "+string(d), func(t *testing.T) {
				t.Parallel()
				options, err := preset.Named(name, nil)
				if err != nil {
					t.Fatal(err)
				}
				keeper, err := fit.New(options)
				if err != nil {
					t.Fatal(err)
				}
				choose := func(string) (*fit.Keeper, error) { return keeper, nil }
				b := newBench(t, &scripted.Options{Window: window}, transport.Options{Window: window, Keeper: choose, Store: newStore(t)})
				a := b.agent(d, false)
				cut := 0
				for turn := range 30 {
					a.say(fmt.Sprintf("read file %d", turn))
					for i := range 3 {
						id := fmt.Sprintf("call_%d_%d", turn, i)
						a.history = append(a.history, plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read", Arguments: `{"path":"quay.txt"}`}))
						a.answerCalls(func(plimsoll.ToolCall) string { return "The quay is deep enough." })
					}
					got := a.ask()
					if got.status != http.StatusOK {
						t.Fatalf("turn %d: %d %s", turn, got.status, got.body)
					}
					if got.header.Get(transport.HeaderDecision) != "pass" {
						cut++
					}
				}
				if overflows, violations := b.upstreamFaults(); overflows+violations > 0 || cut == 0 {
					t.Errorf("the model refused %d requests as too long and %d as invalid; %d were cut", overflows, violations, cut)
				}
			})
		}
	}
}
