// Package traces makes an OpenTelemetry span of every managed request, named and
// described by the conventions for generative AI, and sends it to a collector over
// OTLP. It does so only where the operator names one in the usual variables.
//
// Spans hold figures and names, never content: no messages, no error texts, no
// credentials. A collector that cannot be reached costs nothing: spans are
// sent in batches, aside, and dropped when there are too many. The package keeps its
// provider to itself and sets nothing for the process as a whole.
package traces

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"strings"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry/redact"
)

// scope is the name under which the spans are made.
const scope = "github.com/plimsoll/plimsoll"

// Options configure [Traces].
type Options struct {
	// Env looks up the variables that turn traces on, as os.Getenv does; nil means
	// that Endpoint alone does. The exporter reads its own variables (headers,
	// time-outs, certificates) from the process.
	Env func(name string) string
	// Endpoint is the address that spans are sent to; empty means that of the
	// variables.
	Endpoint string
	// Version of the program.
	Version string
	// Logger hears when spans cannot be sent; may be nil.
	Logger *slog.Logger
}

// Traces makes spans. Nil makes none, so that it can be used where it is not known
// whether there are any. It is safe for concurrent use.
type Traces struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// New returns what makes spans, or nil if the operator wants none.
func New(ctx context.Context, o Options) (*Traces, error) {
	wanted, err := o.wanted()
	if !wanted || err != nil {
		return nil, err
	}
	var client []otlptracehttp.Option
	if o.Endpoint != "" {
		client = append(client, otlptracehttp.WithEndpointURL(o.Endpoint))
	}
	exporter, err := otlptracehttp.New(ctx, client...)
	if err != nil {
		return nil, configError(err)
	}
	about, err := resource.New(
		ctx, resource.WithTelemetrySDK(),
		resource.WithAttributes(attribute.String("service.name", "plimsoll"), attribute.String("service.version", o.Version)),
		resource.WithFromEnv(),
	)
	if err != nil {
		return nil, errors.Join(configError(err), exporter.Shutdown(ctx))
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&quiet{exporter, o.Logger}), sdk.WithResource(about))
	return &Traces{provider, provider.Tracer(scope, trace.WithInstrumentationVersion(o.Version))}, nil
}

// wanted reads the variables that say whether there shall be spans.
func (o Options) wanted() (bool, error) {
	env := o.Env
	if env == nil {
		return o.Endpoint != "", nil
	}
	exporters, protocol := env("OTEL_TRACES_EXPORTER"), env("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL")
	if protocol == "" {
		protocol = env("OTEL_EXPORTER_OTLP_PROTOCOL")
	}
	named := o.Endpoint != "" || env("OTEL_EXPORTER_OTLP_ENDPOINT") != "" || env("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT") != ""
	switch {
	case strings.EqualFold(env("OTEL_SDK_DISABLED"), "true"), exporters == "none", exporters == "" && !named:
		return false, nil
	case exporters != "" && exporters != "otlp":
		return false, configError(fmt.Errorf("OTEL_TRACES_EXPORTER is %.40q, and there is only otlp", exporters))
	case protocol != "" && protocol != "http/protobuf":
		return false, configError(fmt.Errorf("the protocol of OTLP is %.40q, and there is only http/protobuf", protocol))
	}
	return true, nil
}

func configError(err error) error {
	return &plimsoll.Error{
		Op: "send traces", Code: plimsoll.CodeInvalid, Err: err,
		Hint: "set OTEL_EXPORTER_OTLP_ENDPOINT to the address of a collector that takes OTLP over HTTP, such as http://127.0.0.1:4318, or OTEL_TRACES_EXPORTER to none",
	}
}

// Middleware makes the trace that a client is in the one that the spans of its
// requests belong to.
func (t *Traces) Middleware(next http.Handler) http.Handler {
	if t == nil {
		return next
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Header.Get("Traceparent") != "" {
			r = r.WithContext(propagation.TraceContext{}.Extract(r.Context(), propagation.HeaderCarrier(r.Header)))
		}
		next.ServeHTTP(w, r)
	})
}

// Shutdown sends what is left.
func (t *Traces) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// quiet says in our own log what the exporter would tell the whole process.
type quiet struct {
	sdk.SpanExporter
	log *slog.Logger
}

// ExportSpans sends spans. One that fails is not the provider's business.
func (q *quiet) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	if err := q.SpanExporter.ExportSpans(ctx, spans); err != nil {
		q.log.WarnContext(ctx, "spans could not be sent", "spans", len(spans), "error", redact.Text(err.Error()))
	}
	return nil
}
