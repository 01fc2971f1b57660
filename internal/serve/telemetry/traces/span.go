package traces

import (
	"cmp"
	"context"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/trace"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry/redact"
	"github.com/plimsoll/plimsoll/transport"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// The names of the conventions for generative AI, of which those that we do not use
// are left out. They are not stable, so they stand here and nowhere else.
const (
	genOperation    = "gen_ai.operation.name"
	genProvider     = "gen_ai.provider.name"
	genConversation = "gen_ai.conversation.id"
	genModel        = "gen_ai.request.model"
	genStream       = "gen_ai.request.stream"
	genAnswered     = "gen_ai.response.model"
	genFirstChunk   = "gen_ai.response.time_to_first_chunk"
	genInput        = "gen_ai.usage.input_tokens"
	genOutput       = "gen_ai.usage.output_tokens"
	genCacheRead    = "gen_ai.usage.cache_read.input_tokens"
	genCacheWrite   = "gen_ai.usage.cache_creation.input_tokens"
	genReasoning    = "gen_ai.usage.reasoning.output_tokens"

	serverAddress = "server.address"
	httpStatus    = "http.response.status_code"
	errorType     = "error.type"
)

// Observe makes the span of a request. The context may hold the span that it belongs
// to.
func (t *Traces) Observe(ctx context.Context, x transport.Exchange) {
	if t == nil {
		return
	}
	api := dialects.Codec(cmp.Or(x.Dialect, plimsoll.OpenAI)).Traits()
	name := api.Operation
	if model := shown(x.Model); model != "" {
		name += " " + model
	}
	// A client that went away must not take its span along.
	_, span := t.tracer.Start(
		context.WithoutCancel(ctx), name, trace.WithTimestamp(x.Start), trace.WithSpanKind(trace.SpanKindClient),
		trace.WithAttributes(request(x, api)...),
	)
	span.SetAttributes(managed(x)...)
	if x.Billed {
		span.SetAttributes(usage(x.Usage)...)
	}
	if kind := failure(x); kind != "" {
		span.SetAttributes(attribute.String(errorType, kind))
		span.SetStatus(codes.Error, "")
	}
	span.End(trace.WithTimestamp(x.End))
}

// request is what the conventions say of a model call.
func request(x transport.Exchange, api wire.Traits) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String(genOperation, api.Operation), attribute.String(genProvider, api.Provider), attribute.Bool(genStream, x.Stream),
	}
	for _, text := range []struct{ name, value string }{
		{genModel, x.Model}, {genAnswered, x.Answered}, {genConversation, x.Conversation}, {serverAddress, x.Upstream},
	} {
		if value := shown(text.value); value != "" {
			all = append(all, attribute.String(text.name, value))
		}
	}
	if x.Status > 0 {
		all = append(all, attribute.Int(httpStatus, x.Status))
	}
	if x.Stream && x.First.After(x.Start) {
		all = append(all, attribute.Float64(genFirstChunk, x.First.Sub(x.Start).Seconds()))
	}
	return all
}

// managed is what we did.
func managed(x transport.Exchange) []attribute.KeyValue {
	all := []attribute.KeyValue{
		attribute.String("plimsoll.decision", string(x.Decision)),
		attribute.String("plimsoll.dialect", string(x.Dialect)),
		attribute.String("plimsoll.endpoint", shown(x.Endpoint)),
		attribute.String("plimsoll.tenant", shown(x.Tenant)),
		attribute.Int("plimsoll.load.before", x.Before.Total),
		attribute.Int("plimsoll.load.after", x.After.Total),
		attribute.Bool("plimsoll.load.exact", x.After.Exact),
		attribute.Int("plimsoll.edits", x.Edits),
		attribute.Int("plimsoll.edits.new", x.New),
		attribute.Int("plimsoll.rounds", x.Rounds),
		attribute.Bool("plimsoll.rescued", x.Rescued),
		attribute.Int("plimsoll.body.received_bytes", x.Bytes),
		attribute.Int("plimsoll.body.sent_bytes", x.Sent),
		attribute.Float64("plimsoll.manage_seconds", x.Manage.Seconds()),
	}
	if x.Line.Window < report.Unbounded {
		all = append(all, attribute.Int("plimsoll.limit", x.Line.Limit()))
	}
	var rungs []string
	for _, r := range x.Rungs {
		if r.Edits > 0 && r.Undone == "" {
			rungs = append(rungs, r.Rung)
		}
	}
	if rungs != nil {
		all = append(all, attribute.StringSlice("plimsoll.rungs", rungs))
	}
	if x.Warning != "" {
		all = append(all, attribute.String("plimsoll.warning", telemetry.WarningKind(x.Warning)))
	}
	return all
}

func usage(u plimsoll.Usage) []attribute.KeyValue {
	return []attribute.KeyValue{
		attribute.Int(genInput, u.Prompt()), attribute.Int(genOutput, u.Output), attribute.Int(genCacheRead, u.CacheRead),
		attribute.Int(genCacheWrite, u.CacheCreation), attribute.Int(genReasoning, u.Reasoning),
	}
}

// failure says in a word why there was no good answer; empty if there was one.
func failure(x transport.Exchange) string {
	switch {
	case x.Err != nil:
		return telemetry.Reason(x.Err)
	case x.Status >= 400:
		return strconv.Itoa(x.Status)
	}
	return ""
}

// longest is how many bytes of a name are shown.
const longest = 200

// shown is a name that a client or an upstream chose, fit to be shown.
func shown(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	if len(text) > longest {
		cut := longest
		for !utf8.RuneStart(text[cut]) {
			cut--
		}
		text = text[:cut]
	}
	return redact.Text(text)
}
