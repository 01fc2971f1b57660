package transport

import (
	"context"
	"log/slog"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/token"
)

// Expand says how a model gets back what was taken out of its conversation.
type Expand string

// The ways.
const (
	// ExpandAuto offers the tools from the first cut on.
	ExpandAuto Expand = "auto"
	// ExpandAlways offers them from the first request on.
	ExpandAlways Expand = "always"
	// ExpandOff never offers them. An MCP server can offer them instead.
	ExpandOff Expand = "off"
)

// Options configure a [Transport]. The zero value manages with preset auto, by what is
// known of each model, and keeps nothing of what it takes out.
type Options struct {
	// Base sends requests; nil means [http.DefaultTransport].
	Base http.RoundTripper
	// Keeper returns the keeper for a preset, by name; the empty name is the usual one.
	// Nil means preset auto and no other.
	Keeper func(preset string) (*fit.Keeper, error)
	// Store keeps what is cut, and what was decided; nil means that only this process
	// remembers what it decided, within bounds.
	Store *store.Store
	// Tenant names who sends a request; nil means [Credential]. What one tenant stored
	// no other can see.
	Tenant func(*http.Request) string
	// Window is that of every model, in tokens; 0 means that of the keeper.
	Window int
	// Expand says whether tools are offered; empty means [ExpandAuto]. Without a store
	// there are none.
	Expand Expand
	// Rounds is how often in one answer the model may call these tools; 0 means 8.
	Rounds int
	// Official reports whether an address is the provider's own, which does itself what
	// its API promises; nil means the addresses of the three providers.
	Official func(host string) bool
	// MaxBody is how many bytes a request may have, decoded; 0 means 64 MiB.
	MaxBody int64
	// Observe, if not nil, gets what became of each managed request, before its
	// answer has been read to the end. It must not block.
	Observe func(context.Context, Exchange)
	// Watch, if not nil, gets each managed request when it has ended, with what was cut.
	// It must not block, and keep nothing of the plan.
	Watch func(context.Context, Event)
	// Logger gets what operators should know, without content; nil means no log.
	Logger *slog.Logger
	// Now is the clock; nil means the system's.
	Now func() time.Time
}

const (
	defaultRounds  = 8
	defaultMaxBody = 64 << 20
)

func (o *Options) fill() error {
	if o.Base == nil {
		o.Base = http.DefaultTransport
	}
	if o.Keeper == nil {
		if err := o.fillKeeper(); err != nil {
			return err
		}
	}
	if o.Tenant == nil {
		o.Tenant = Credential
	}
	if o.Expand == "" {
		o.Expand = ExpandAuto
	}
	if o.Rounds == 0 {
		o.Rounds = defaultRounds
	}
	if o.MaxBody == 0 {
		o.MaxBody = defaultMaxBody
	}
	if o.Official == nil {
		o.Official = official
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	return nil
}

// fillKeeper makes a keeper of preset auto, with a meter that learns from bills.
func (o *Options) fillKeeper() error {
	meter := token.NewMeter(&token.MeterOptions{Calibration: token.NewCalibration(nil)})
	options, err := preset.Auto(&preset.Options{Meter: meter, Limit: KnownLimit(nil)})
	if err != nil {
		return err
	}
	keeper, err := fit.New(options)
	if err != nil {
		return err
	}
	o.Keeper = func(name string) (*fit.Keeper, error) {
		if name != "" && name != preset.NameAuto {
			return nil, unknownPreset()
		}
		return keeper, nil
	}
	return nil
}
