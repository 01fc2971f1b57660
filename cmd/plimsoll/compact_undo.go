package main

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/internal/serve/api"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/wire"
)

// undo prints the conversation with the archived messages in the place of their
// checkpoint, and lets the store forget that there was one.
func (c *compactCmd) undo(p *process, settings *config.Config, name string, b *conversationFile) error {
	if settings.Settings.Store == "" {
		return &plimsoll.Error{
			Op: "compact " + name, Code: plimsoll.CodeInvalid, Err: errors.New("--undo needs the store that has the messages"),
			Hint: "name it with --store, PLIMSOLL_STORE or the setting store",
		}
	}
	var out []byte
	err := p.withStore(settings, c.Tenant, func(ctx context.Context, tenant *store.Tenant) error {
		k, err := p.keeper(settings, keepingOf(tenant))
		if err != nil {
			return err
		}
		whole, err := api.Undo(ctx, k, tenant, b.request, c.Undo, func(whole *wire.Request) fit.Task {
			return api.Task(whole, settings.Settings.Model)
		})
		if err == nil {
			out, err = b.unwrap(whole.Body())
		}
		return err
	})
	if err != nil {
		return withOp("compact "+name, err)
	}
	_, err = p.out.Write(out)
	return err
}
