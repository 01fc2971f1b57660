package main

import (
	"errors"
	"sync"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/config"
	"github.com/plimsoll/plimsoll/token"
)

// chatKeepers are those of the methods, made when they are asked for. They weigh by one
// meter, which learns from bills.
type chatKeepers struct {
	p        *process
	settings *config.Config
	meter    *token.Meter
	mu       sync.Mutex
	made     map[string]*plimsoll.Keeper
}

func newChatKeepers(p *process, settings *config.Config) (*chatKeepers, error) {
	shared, err := newKeepers(p, settings, servingOptions{})
	if err != nil {
		return nil, err
	}
	return &chatKeepers{p: p, settings: settings, meter: shared.meter, made: map[string]*plimsoll.Keeper{}}, nil
}

// of returns the keeper of a method; the empty one is that of the settings.
func (k *chatKeepers) of(method string) (*plimsoll.Keeper, error) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if made := k.made[method]; made != nil {
		return made, nil
	}
	c := *k.settings
	if method != "" {
		c.Settings.Method = method
	}
	options, err := k.p.keeperOptions(&c, keeping{meter: k.meter})
	if err != nil {
		return nil, err
	}
	// The chat goes on while a summary is made.
	options.Marks.Soft = c.Settings.Marks.Soft
	made, err := plimsoll.New(options)
	if err != nil {
		return nil, err
	}
	k.made[method] = made
	return made, nil
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
