package main

import (
	"errors"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/model"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// chatKeepers are those of the methods, made when they are asked for. They weigh by one
// meter, which learns from bills.
type chatKeepers struct {
	p        *process
	settings *config.Config
	registry *model.Registry
	meter    *token.Meter
	mu       sync.Mutex
	made     map[string]*fit.Keeper
}

func newChatKeepers(p *process, settings *config.Config) (*chatKeepers, error) {
	shared, err := newKeepers(p, settings, servingOptions{})
	if err != nil {
		return nil, err
	}
	return &chatKeepers{p: p, settings: settings, registry: shared.counting.Registry, meter: shared.meter, made: map[string]*fit.Keeper{}}, nil
}

// of returns the keeper of a method; the empty one is that of the settings.
func (k *chatKeepers) of(method string) (*fit.Keeper, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if made := k.made[method]; made != nil {
		return made, nil
	}
	c := *k.settings
	if method != "" {
		c.Settings.Method = method
	}
	options, err := k.p.keeperOptions(&c, keeping{chats: true, meter: k.meter})
	if err != nil {
		return nil, err
	}
	options.Limits = assuming(options.Limits)
	made, err := fit.New(options)
	if err != nil {
		return nil, err
	}
	k.made[method] = made
	return made, nil
}

// counter says how the texts of a model are counted.
func (k *chatKeepers) counter(name string) (plimsoll.CounterInfo, error) {
	counter, err := k.meter.Counter(name)
	return counter.Info(), err
}

// countsExactly reports whether the preset counts as exactly as it can: others have
// rules of their own.
func (k *chatKeepers) countsExactly() bool {
	name := k.settings.Settings.Preset
	return name == preset.NameAuto || name == preset.NameAgent
}

// assuming takes a safe limit for unknown models: a server that cuts a
// conversation without a word would be worse.
func assuming(known func(plimsoll.Conversation) (plimsoll.Line, error)) func(plimsoll.Conversation) (plimsoll.Line, error) {
	return func(c plimsoll.Conversation) (plimsoll.Line, error) {
		line, err := known(c)
		if errors.Is(err, plimsoll.ErrUnknownModel) {
			return plimsoll.Line{Window: model.SafeLimit, Reserve: fit.ReserveFor(model.SafeLimit, c.MaxOutput, true)}, nil
		}
		return line, err
	}
}

// assumed returns the limit of a model of which nothing is known; 0 for others.
func (k *chatKeepers) assumed(name string) int {
	limits := &model.Limits{Registry: k.registry, Env: k.p.getenv}
	if k.settings.Limit(limits, name).Source == model.SourceDefault {
		return model.SafeLimit
	}
	return 0
}

func (k *chatKeepers) close() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	var all error
	for _, made := range k.made {
		all = errors.Join(all, made.Close())
	}
	return all
}
