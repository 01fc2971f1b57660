package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/serve/dashboard"
	"github.com/plimsoll/plimsoll/internal/serve/proxy"
	"github.com/plimsoll/plimsoll/internal/serve/telemetry/redact"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/transport"
)

// adminToken is the variable with the operator's token.
const adminToken = "PLIMSOLL_ADMIN_TOKEN"

// serving is a proxy with everything that it needs.
type serving struct {
	settings  *config.Config
	store     *store.Store
	transport *transport.Transport
	server    *proxy.Server
	keepers   *keepers
	observers observers
	// oneTenant says that all clients share a tenant: the one that commands read.
	oneTenant bool
	// dashboard is nil if it is not shown.
	dashboard *dashboard.Dashboard
}

// servingOptions are what is not a setting.
type servingOptions struct {
	// root and flags are what the settings were made of.
	root  *cli
	flags []config.Flag
	// observe, if not nil, hears what became of each request.
	observe func(context.Context, transport.Exchange)
	// log gets what operators should know; nil means no log.
	log *slog.Logger
	// private means that the proxy serves one program of one user, whatever the settings
	// say about addresses.
	private bool
}

// newServing opens the store that the settings name and puts a proxy together.
func (p *process) newServing(ctx context.Context, settings *config.Config, o servingOptions) (*serving, error) {
	if o.log == nil {
		o.log = slog.New(slog.DiscardHandler)
	}
	o.log = slog.New(redact.NewHandler(o.log.Handler()))
	s := &serving{settings: settings}
	upstreams, err := upstreamsOf(settings.Settings.Serve)
	if err != nil {
		return nil, err
	}
	where := string(settings.Settings.Store)
	s.store, err = p.openStore(ctx, where)
	if mayComeBack(err) {
		p.warn(fmt.Sprintf("%v; until the store is there, what is cut has no references", err))
		o.log.Warn("the store is away; nothing that is cut can be had back until it is there", "error", err)
		s.store, err = store.Later(func(ctx context.Context) (store.Backend, error) {
			backend, err := p.openBackend(ctx, where)
			if err == nil {
				o.log.Warn("the store is there")
			}
			return backend, err
		}, nil)
	}
	if err != nil {
		return nil, err
	}
	if err := s.assemble(ctx, p, upstreams, o); err != nil {
		return nil, errors.Join(err, s.close())
	}
	return s, nil
}

// mayComeBack reports whether a store that could not be opened may be there later without
// anything to mend here. A path that cannot be opened is a mistake in the settings.
func mayComeBack(err error) bool {
	var path *fs.PathError
	return errors.Is(err, store.ErrUnavailable) && !errors.As(err, &path)
}

func (s *serving) assemble(ctx context.Context, p *process, upstreams proxy.Upstreams, o servingOptions) error {
	set := s.settings.Settings
	s.oneTenant = set.Serve.Tenants == "one" || set.Serve.Tenants == "auto" && (o.private || onlyHere(set.Serve, p.getenv(adminToken)))
	var err error
	if s.keepers, err = newKeepers(p, s.settings, o); err != nil {
		return err
	}
	if err := s.newObservers(ctx, p, o.log, o.observe); err != nil {
		return err
	}
	api, err := s.newControl(p, o.log)
	if err != nil {
		return err
	}
	if _, err := s.keepers.named(""); err != nil {
		return err
	}
	var watch func(context.Context, transport.Event)
	if showsDashboard(set.Serve, p.getenv(adminToken)) {
		s.dashboard = s.newDashboard(ctx, p, upstreams, o)
		watch = s.dashboard.Watch
	}
	s.transport, err = transport.New(&transport.Options{
		Base: proxy.NewTransport(), Keeper: s.keepers.named, Store: s.store, Tenant: s.tenantOf,
		Window: set.Window, Expand: transport.Expand(set.Expand),
		MaxBody: int64(set.Serve.MaxBodyBytes), Observe: s.observers.observe, Watch: watch, Logger: o.log,
	})
	if err != nil {
		return err
	}
	s.server, err = proxy.New(&proxy.Options{
		Transport: s.transport, Upstreams: upstreams, Ready: s.ready, Control: operators(api, s.dashboard), Metrics: s.observers.metrics.Handler(),
		Wrap:       s.observers.traces.Middleware,
		MaxBody:    int64(set.Serve.MaxBodyBytes),
		AdminToken: p.getenv(adminToken), Hosts: set.Serve.Hosts, Origins: set.Serve.Origins, Logger: o.log,
	})
	return err
}

// ready reports whether the store answers. The proxy serves without it, so this is for
// those who choose among several proxies.
func (s *serving) ready(ctx context.Context) error {
	_, err := s.store.Value(ctx, "ready")
	if errors.Is(err, plimsoll.ErrNotFound) {
		return nil
	}
	return err
}

// learned returns what upstreams have said about their models.
func (s *serving) learned() []transport.LearnedLimit { return s.transport.Learned() }

// close ends everything that was opened.
func (s *serving) close() error {
	var err error
	if s.transport != nil {
		err = s.transport.Close()
	}
	if s.dashboard != nil {
		err = errors.Join(err, s.dashboard.Close())
	}
	if s.keepers != nil {
		err = errors.Join(err, s.keepers.close())
	}
	err = errors.Join(err, s.observers.close())
	if s.store != nil {
		err = errors.Join(err, s.store.Close())
	}
	return err
}

// tenantOf says whose a request is.
func (s *serving) tenantOf(r *http.Request) string {
	if s.oneTenant {
		return ""
	}
	return transport.Credential(r)
}

// onlyHere reports whether only this machine can call the proxy. Who names other hosts
// has a gateway in front of it; who sets a token expects others.
func onlyHere(s config.Serve, token string) bool {
	host, _, err := net.SplitHostPort(s.Listen)
	address, noAddress := netip.ParseAddr(host)
	local := host == "localhost" || noAddress == nil && address.Unmap().IsLoopback()
	return err == nil && local && len(s.Hosts) == 0 && token == ""
}

func upstreamsOf(s config.Serve) (proxy.Upstreams, error) {
	var all proxy.Upstreams
	for _, u := range []struct {
		key  string
		text config.Path
		at   **url.URL
	}{
		{"serve.openai", s.Openai, &all.OpenAI},
		{"serve.anthropic", s.Anthropic, &all.Anthropic},
		{"serve.gemini", s.Gemini, &all.Gemini},
	} {
		parsed, err := url.Parse(string(u.text))
		if err != nil || parsed.Host == "" || parsed.Scheme != "http" && parsed.Scheme != "https" {
			return all, &plimsoll.Error{
				Op: "read " + u.key, Code: plimsoll.CodeInvalid, Err: fmt.Errorf("%q is no address: %w", u.text, plimsoll.ErrInvalid),
				Hint: "write it as https://HOST or http://HOST:PORT/v1",
			}
		}
		*u.at = parsed
	}
	return all, nil
}

// keepers are those of the presets, made when they are asked for. They weigh by one
// meter, which learns from bills.
type keepers struct {
	p        *process
	root     *cli
	flags    []config.Flag
	settings *config.Config
	counting token.Options
	meter    *token.Meter
	// calibration is what the meter learns.
	calibration *token.Calibration
	mu          sync.Mutex
	made        map[string]*fit.Keeper
}

func newKeepers(p *process, c *config.Config, o servingOptions) (*keepers, error) {
	counting, err := p.counting(c.Settings)
	if err != nil {
		return nil, err
	}
	calibration := token.NewCalibration(&token.CalibrationOptions{Log: o.log})
	meter := token.NewMeter(&token.MeterOptions{
		Options:     counting,
		Calibration: calibration,
	})
	return &keepers{
		p: p, root: o.root, flags: o.flags, settings: c, counting: counting,
		meter: meter, calibration: calibration, made: map[string]*fit.Keeper{},
	}, nil
}

// named returns the keeper of a preset; the empty name is that of the settings.
func (k *keepers) named(preset string) (*fit.Keeper, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if preset == "" {
		preset = k.settings.Settings.Preset
	}
	if made := k.made[preset]; made != nil {
		return made, nil
	}
	made, err := k.make(preset)
	if err != nil {
		return nil, err
	}
	k.made[preset] = made
	return made, nil
}

func (k *keepers) make(preset string) (*fit.Keeper, error) {
	c := *k.settings
	if preset != c.Settings.Preset {
		// The marks in force are those of another preset.
		c.Settings.Preset, c.Settings.Marks = preset, config.Marks{}
	}
	options, err := k.p.keeperOptions(&c, keeping{serves: true, meter: k.meter})
	if err != nil {
		return nil, err
	}
	return fit.New(options)
}

func (k *keepers) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all error
	for _, made := range k.made {
		all = errors.Join(all, made.Close())
	}
	return all
}
