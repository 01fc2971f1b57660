package main

import (
	"context"
	"net/http"
	"runtime/debug"
	"strings"

	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry/redact"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
)

// showsDashboard reports whether the operator is to have the dashboard: if asked for, or
// where a token keeps everybody else out.
func showsDashboard(s config.Serve, token string) bool {
	return s.Dashboard == "on" || s.Dashboard == "auto" && token != ""
}

// newDashboard makes the pages for the operator. They end with the context, so that
// an open page does not keep the process from ending.
func (s *serving) newDashboard(ctx context.Context, p *process, upstreams proxy.Upstreams, o servingOptions) *dashboard.Dashboard {
	limits := &model.Limits{Registry: s.keepers.counting.Registry, Env: p.getenv, Gemini: s.settings.Settings.Preset == preset.NameGemini}
	d := dashboard.New(&dashboard.Options{
		Store: s.store, Models: s.keepers.counting.Registry, Logger: o.log,
		Limit:   func(name string) model.Limit { return s.settings.Limit(limits, name) },
		Learned: s.learned, Drift: s.keepers.calibration.Drift, Account: s.keepers.total, Ready: s.ready,
		Flights: func() (requests, waiting int) {
			load := s.server.Load()
			return load.Requests, load.Waiting
		},
		Setup: s.setup(p, upstreams, o),
	})
	context.AfterFunc(ctx, func() { _ = d.Close() }) // it never fails
	return d
}

// setup says what the process runs with.
func (s *serving) setup(p *process, upstreams proxy.Upstreams, o servingOptions) dashboard.Setup {
	info, _ := debug.ReadBuildInfo()
	set := s.settings.Settings
	where := string(set.Store)
	if where == "" {
		where = "the user's own"
	}
	is := dashboard.Setup{
		Version: buildOf(info).Version, Store: redact.Text(where), Summaries: redact.Text(set.Compaction.Summarizer),
		Upstreams: []dashboard.Upstream{
			{API: "openai", Address: upstreams.OpenAI.Redacted()},
			{API: "anthropic", Address: upstreams.Anthropic.Redacted()},
			{API: "gemini", Address: upstreams.Gemini.Redacted()},
		},
	}
	for _, v := range s.settings.Values {
		is.Settings = append(is.Settings, dashboard.Setting{
			Key: v.Key, Value: redact.Text(v.String()), Origin: v.Origin.String(), Default: v.Origin.Kind == config.FromDefault, Help: v.Help,
		})
	}
	for _, problem := range s.settings.Problems {
		is.Problems = append(is.Problems, redact.Text(problem.Error()))
	}
	return is
}

// operators is what the operator is answered below /plimsoll/.
func operators(control http.Handler, pages *dashboard.Dashboard) http.Handler {
	if pages == nil {
		return control
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, api.Root) {
			control.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	})
}
