package traces_test

import (
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry/traces"
	"github.com/plimsoll/plimsoll/transport"
)

// sink is a collector.
type sink struct {
	mu     sync.Mutex
	raw    []byte
	spans  []*otlp.ResourceSpans
	status int
}

func newSink(t *testing.T) (*sink, string) {
	t.Helper()
	s := &sink{status: http.StatusOK}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var in io.Reader = r.Body
		if r.Header.Get("Content-Encoding") == "gzip" {
			var err error
			if in, err = gzip.NewReader(r.Body); err != nil {
				t.Error(err)
			}
		}
		data, err := io.ReadAll(in)
		var got collector.ExportTraceServiceRequest
		if err = errors.Join(err, proto.Unmarshal(data, &got)); err != nil || r.URL.Path != "/v1/traces" || r.Header.Get("Content-Type") != "application/x-protobuf" {
			t.Errorf("%s %s: %v", r.URL.Path, r.Header.Get("Content-Type"), err)
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.raw = append(s.raw, data...)
		s.spans = append(s.spans, got.GetResourceSpans()...)
		w.WriteHeader(s.status)
	}))
	t.Cleanup(server.Close)
	return s, server.URL + "/v1/traces"
}

func newTraces(t *testing.T, endpoint string) *traces.Traces {
	t.Helper()
	tr, err := traces.New(t.Context(), traces.Options{Endpoint: endpoint, Version: "v1"})
	if err != nil {
		t.Fatal(err)
	}
	return tr
}

// only returns the one span that was sent.
func (s *sink) only(t *testing.T, tr *traces.Traces) *otlp.Span {
	t.Helper()
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.spans) != 1 || len(s.spans[0].GetScopeSpans()) != 1 || len(s.spans[0].GetScopeSpans()[0].GetSpans()) != 1 {
		t.Fatalf("%v", s.spans)
	}
	return s.spans[0].GetScopeSpans()[0].GetSpans()[0]
}

// attributesOf are those of a span, as text.
func attributesOf(all []*common.KeyValue) map[string]string {
	out := map[string]string{}
	for _, a := range all {
		switch v := a.GetValue().GetValue().(type) {
		case *common.AnyValue_StringValue:
			out[a.GetKey()] = v.StringValue
		case *common.AnyValue_IntValue:
			out[a.GetKey()] = fmt.Sprint(v.IntValue)
		case *common.AnyValue_BoolValue:
			out[a.GetKey()] = fmt.Sprint(v.BoolValue)
		case *common.AnyValue_DoubleValue:
			out[a.GetKey()] = fmt.Sprint(v.DoubleValue)
		case *common.AnyValue_ArrayValue:
			for _, e := range v.ArrayValue.GetValues() {
				out[a.GetKey()] += e.GetStringValue() + " "
			}
		}
	}
	return out
}

var start = time.Date(2026, 11, 15, 12, 0, 0, 0, time.UTC)

func exchange() transport.Exchange {
	return transport.Exchange{
		Start: start, First: start.Add(250 * time.Millisecond), End: start.Add(3 * time.Second), Dialect: plimsoll.Anthropic, Endpoint: "messages",
		Upstream: "api.anthropic.com", Model: "claude-sonnet-4-5", Answered: "claude-sonnet-4-5-20250929", Tenant: "0011", Conversation: "c0ffee", Stream: true,
		Status: 200, Bytes: 900, Sent: 300, Before: plimsoll.Load{Total: 190_000}, After: plimsoll.Load{Total: 50_000, Exact: true},
		Line: plimsoll.Line{Window: 200_000, Reserve: 8_000}, Decision: transport.Cut, Edits: 9, New: 4,
		Rungs: []plimsoll.RungReport{{Rung: "clear", Edits: 4}, {Rung: "slide"}}, Warning: "the store could not be asked", Rounds: 2, Rescued: true,
		Usage: plimsoll.Usage{Input: 100, CacheRead: 40_000, CacheCreation: 900, Output: 70, Reasoning: 20}, Billed: true, Manage: 4 * time.Millisecond,
	}
}

func TestASpanSaysWhatTheConventionsAskFor(t *testing.T) {
	t.Parallel()
	s, endpoint := newSink(t)
	tr := newTraces(t, endpoint)
	tr.Observe(t.Context(), exchange())
	span := s.only(t, tr)
	want := map[string]string{
		"gen_ai.operation.name": "chat", "gen_ai.provider.name": "anthropic", "gen_ai.request.model": "claude-sonnet-4-5",
		"gen_ai.response.model": "claude-sonnet-4-5-20250929", "gen_ai.conversation.id": "c0ffee", "gen_ai.request.stream": "true",
		"gen_ai.response.time_to_first_chunk": "0.25", "gen_ai.usage.input_tokens": "41000", "gen_ai.usage.output_tokens": "70",
		"gen_ai.usage.cache_read.input_tokens": "40000", "gen_ai.usage.cache_creation.input_tokens": "900", "gen_ai.usage.reasoning.output_tokens": "20",
		"server.address": "api.anthropic.com", "http.response.status_code": "200",
		"plimsoll.decision": "cut", "plimsoll.dialect": "anthropic", "plimsoll.endpoint": "messages", "plimsoll.tenant": "0011",
		"plimsoll.load.before": "190000", "plimsoll.load.after": "50000", "plimsoll.load.exact": "true", "plimsoll.limit": "192000",
		"plimsoll.edits": "9", "plimsoll.edits.new": "4", "plimsoll.rounds": "2", "plimsoll.rescued": "true", "plimsoll.rungs": "clear ",
		"plimsoll.body.received_bytes": "900", "plimsoll.body.sent_bytes": "300", "plimsoll.manage_seconds": "0.004", "plimsoll.warning": "store",
	}
	if diff := cmp.Diff(want, attributesOf(span.GetAttributes())); diff != "" {
		t.Error(diff)
	}
	if span.GetName() != "chat claude-sonnet-4-5" || span.GetKind() != otlp.Span_SPAN_KIND_CLIENT || len(span.GetParentSpanId()) != 0 {
		t.Errorf("%v", span)
	}
	if got := time.Duration(span.GetEndTimeUnixNano() - span.GetStartTimeUnixNano()); got != 3*time.Second || span.GetStatus().GetCode() != otlp.Status_STATUS_CODE_UNSET {
		t.Errorf("took %v, %v", got, span.GetStatus())
	}
	about := attributesOf(s.spans[0].GetResource().GetAttributes())
	if about["service.name"] != "plimsoll" || about["service.version"] != "v1" {
		t.Errorf("%v", about)
	}
}

func TestTheTraceOfTheClientGoesOn(t *testing.T) {
	t.Parallel()
	for name, header := range map[string]string{
		"a trace":   "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
		"no trace":  "",
		"no sense":  "00-zz",
		"unsampled": "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-00",
	} {
		s, endpoint := newSink(t)
		tr := newTraces(t, endpoint)
		h := tr.Middleware(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
			ctx, cancel := context.WithCancel(r.Context())
			cancel() // the client went away
			tr.Observe(ctx, exchange())
		}))
		r := httptest.NewRequest("POST", "/v1/messages", nil)
		if header != "" {
			r.Header.Set("traceparent", header)
		}
		h.ServeHTTP(httptest.NewRecorder(), r)
		if name == "unsampled" {
			if err := tr.Shutdown(t.Context()); err != nil || len(s.spans) != 0 {
				t.Errorf("%s: %v, %v", name, s.spans, err)
			}
			continue
		}
		span := s.only(t, tr)
		id, parent := fmt.Sprintf("%x", span.GetTraceId()), fmt.Sprintf("%x", span.GetParentSpanId())
		if joined := id == "4bf92f3577b34da6a3ce929d0e0e4736" && parent == "00f067aa0ba902b7"; joined != (name == "a trace") {
			t.Errorf("%s: trace %s, parent %s", name, id, parent)
		}
	}
}

func TestFailuresAreSaidInAWord(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name   string
		change func(*transport.Exchange)
		want   string
	}{
		{"the upstream refused", func(x *transport.Exchange) { x.Status = 429 }, "429"},
		{"the client went away", func(x *transport.Exchange) { x.Err = context.Canceled }, "cancelled"},
		{"the upstream hung up", func(x *transport.Exchange) { x.Err = io.ErrUnexpectedEOF }, "upstream"},
	} {
		s, endpoint := newSink(t)
		tr := newTraces(t, endpoint)
		x := exchange()
		tt.change(&x)
		tr.Observe(t.Context(), x)
		span := s.only(t, tr)
		if got := attributesOf(span.GetAttributes())["error.type"]; got != tt.want || span.GetStatus().GetCode() != otlp.Status_STATUS_CODE_ERROR || span.GetStatus().GetMessage() != "" {
			t.Errorf("%s: %q, %v", tt.name, got, span.GetStatus())
		}
	}
}

func TestNoContentAndNoSecretsAreInSpans(t *testing.T) {
	t.Parallel()
	const canary = "sk-canary-0123456789abcdef"
	s, endpoint := newSink(t)
	tr := newTraces(t, endpoint)
	x := exchange()
	x.Err, x.Warning = errors.New("refused: "+canary), "the store could not be used: "+canary
	x.Model, x.Answered, x.Upstream, x.Conversation, x.Endpoint, x.Tenant = canary, canary, "https://u:"+canary+"@h", canary, canary, canary
	x.Rungs = []plimsoll.RungReport{{Rung: "clear", Edits: 1, Undone: canary}}
	tr.Observe(t.Context(), x)
	x.Model = "\xff" + strings.Repeat("岸", 500)
	tr.Observe(t.Context(), x)
	if err := tr.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
	if len(s.raw) == 0 || bytes.Contains(s.raw, []byte("canary")) {
		t.Errorf("%q", s.raw)
	}
}

func TestTheVariablesTurnTracesOn(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		name string
		env  map[string]string
		on   bool
		want string
	}{
		{"nothing is set", nil, false, ""},
		{"an endpoint", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://127.0.0.1:4318"}, true, ""},
		{"an endpoint for traces", map[string]string{"OTEL_EXPORTER_OTLP_TRACES_ENDPOINT": "http://127.0.0.1:4318/v1/traces"}, true, ""},
		{"the exporter alone", map[string]string{"OTEL_TRACES_EXPORTER": "otlp"}, true, ""},
		{"no exporter", map[string]string{"OTEL_TRACES_EXPORTER": "none", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, false, ""},
		{"all turned off", map[string]string{"OTEL_SDK_DISABLED": "true", "OTEL_EXPORTER_OTLP_ENDPOINT": "http://x"}, false, ""},
		{"another exporter", map[string]string{"OTEL_TRACES_EXPORTER": "zipkin"}, false, "only otlp"},
		{"another protocol", map[string]string{"OTEL_EXPORTER_OTLP_ENDPOINT": "http://x", "OTEL_EXPORTER_OTLP_PROTOCOL": "grpc"}, false, "only http/protobuf"},
	} {
		tr, err := traces.New(t.Context(), traces.Options{Env: func(name string) string { return tt.env[name] }})
		if (tr != nil) != tt.on || (err != nil) != (tt.want != "") || err != nil && (!strings.Contains(err.Error(), tt.want) || plimsoll.HintOf(err) == "") {
			t.Errorf("%s: %v, %v", tt.name, tr, err)
		}
		if err := tr.Shutdown(t.Context()); err != nil {
			t.Errorf("%s: %v", tt.name, err)
		}
	}
}

func TestWithoutTracesNothingHappens(t *testing.T) {
	t.Parallel()
	var none *traces.Traces
	none.Observe(t.Context(), exchange())
	called := false
	none.Middleware(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { called = true })).ServeHTTP(nil, nil)
	if err := none.Shutdown(t.Context()); err != nil || !called {
		t.Errorf("%v, %v", err, called)
	}
}

func TestACollectorThatRefusesIsLogged(t *testing.T) {
	t.Parallel()
	s, endpoint := newSink(t)
	s.status = http.StatusBadRequest
	var log bytes.Buffer
	tr, err := traces.New(t.Context(), traces.Options{Endpoint: endpoint, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		t.Fatal(err)
	}
	tr.Observe(t.Context(), exchange())
	if err := tr.Shutdown(t.Context()); err != nil || !strings.Contains(log.String(), "spans could not be sent") {
		t.Errorf("%v, %s", err, &log)
	}
}
