package main

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/config"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
)

// undo prints the conversation with the archived messages instead of their
// checkpoint, and lets the store forget that there was one.
func (c *compactCmd) undo(p *process, settings *config.Config, name string, b *conversationFile) error {
	if settings.Settings.Store == "" {
		return &plimsoll.Error{
			Op: "compact " + name, Code: plimsoll.CodeInvalid, Err: errors.New("--undo needs the store that has the messages"),
			Hint: "name it with --store, PLIMSOLL_STORE or the setting store",
		}
	}
	var out []byte
	err := p.withStore(settings, c.Tenant, p.openExisting, func(ctx context.Context, tenant *store.Tenant) error {
		k, err := p.keeper(settings, keepingOf(tenant))
		if err != nil {
			return err
		}
		client := preset.Client{Model: settings.Settings.Model, Archive: tenant, Memory: tenant.Memory()}
		whole, err := preset.Undo(ctx, k, b.request, client, c.Undo)
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
