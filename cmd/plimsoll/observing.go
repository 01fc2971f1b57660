package main

import (
	"context"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/embedding"
	"github.com/plimsoll/plimsoll/internal/report"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry/traces"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/transport"
)

// observers hear what becomes of requests.
type observers struct {
	metrics *telemetry.Metrics
	traces  *traces.Traces
	others  []func(context.Context, transport.Exchange)
}

// observers makes those that the environment asks for.
func (s *serving) newObservers(ctx context.Context, p *process, log *slog.Logger, also func(context.Context, transport.Exchange)) error {
	info, _ := debug.ReadBuildInfo()
	version := buildOf(info).Version
	s.observers.metrics = telemetry.New(&telemetry.Options{
		Models: s.keepers.counting.Registry, Version: version, Runtime: true,
		StoreUp: func() bool {
			ctx, cancel := context.WithTimeout(context.Background(), time.Second)
			defer cancel()
			return s.ready(ctx) == nil
		},
		InFlight: func() int { return s.server.Load().Requests },
		Queued:   func() int { return s.server.Load().Waiting },
		Account:  s.keepers.total,
	})
	var err error
	s.observers.traces, err = traces.New(ctx, traces.Options{Env: p.getenv, Version: version, Logger: log})
	s.observers.others = []func(context.Context, transport.Exchange){logged(log)}
	if also != nil {
		s.observers.others = append(s.observers.others, also)
	}
	return err
}

// observe tells all of them.
func (o *observers) observe(ctx context.Context, x transport.Exchange) {
	o.metrics.Observe(x)
	o.traces.Observe(ctx, x)
	for _, tell := range o.others {
		tell(ctx, x)
	}
}

// close sends what has not been sent yet.
func (o *observers) close() error {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	return o.traces.Shutdown(ctx)
}

// newControl makes the API beside the proxy.
func (s *serving) newControl(p *process, log *slog.Logger) (http.Handler, error) {
	set := s.settings.Settings
	admin := p.getenv(adminToken)
	return api.New(&api.Options{
		Keeper: s.keepers.asked,
		Scales: report.NewScales(s.keepers.counting, p.getenv, report.Words{
			Asked: "request", Given: "body", Unknown: "give its limit with limit",
		}),
		Tenant:  func(r *http.Request) *store.Tenant { return s.store.Tenant(s.tenantOf(withoutToken(r, admin))) },
		MaxBody: int64(set.Serve.MaxBodyBytes), Logger: log, BufferFactor: set.BufferFactor,
		Embeddings: func(r *http.Request) *embedding.Endpoint {
			key, _ := strings.CutPrefix(withoutToken(r, admin).Header.Get("Authorization"), "Bearer ")
			return &embedding.Endpoint{URL: strings.TrimSuffix(string(set.Serve.Openai), "/") + "/embeddings", APIKey: key}
		},
	})
}

// withoutToken is a request without the operator's token, which names no tenant.
func withoutToken(r *http.Request, token string) *http.Request {
	_, password, _ := r.BasicAuth()
	if token == "" || r.Header.Get("Authorization") != "Bearer "+token && password != token {
		return r
	}
	r = r.Clone(r.Context())
	r.Header.Del("Authorization")
	return r
}

// asked makes a keeper for what a request of the API asks for; that of the settings if
// it asks for nothing, so that what is undone there is undone in the proxy.
func (k *keepers) asked(s api.Settings) (*fit.Keeper, error) {
	if s.Method == "" && s.Reserve == nil && s.Low == nil && len(s.Rungs)+len(s.Pins) == 0 && !s.Dry {
		return k.named(s.Preset)
	}
	flags := []config.Flag{
		{Key: "preset", Name: "preset", Value: s.Preset},
		{Key: "method", Name: "method", Value: s.Method},
		{Key: "reserve", Name: "reserve", Value: s.Reserve},
		{Key: "marks.low", Name: "low", Value: s.Low},
		{Key: "pins", Name: "pins", Value: s.Pins},
	}
	// The first of two flags wins: the request's before the server's.
	c, err := k.p.loadSettings(k.root, slices.Concat(flags, k.flags))
	if err != nil {
		return nil, err
	}
	options, err := k.p.keeperOptions(c, keeping{serves: true, dry: s.Dry, meter: k.meter, rungs: s.Rungs})
	if err != nil {
		return nil, err
	}
	options.Marks.Soft = 0 // no request waits for what such a keeper would prepare
	return fit.New(options)
}

// total is what all keepers have seen.
func (k *keepers) total() account.Account {
	k.mu.Lock()
	defer k.mu.Unlock()
	var sum account.Account
	for _, made := range k.made {
		sum = sum.Add(made.Total())
	}
	return sum
}
