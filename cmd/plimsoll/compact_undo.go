package main

import (
	"context"
	"errors"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/config"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// undo prints the conversation with the archived messages in the place of their
// checkpoint, and lets the store forget that there was one.
func (c *compactCmd) undo(p *process, settings *config.Config, name string, b *body) error {
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
		whole, err := restore(ctx, tenant, b, c.Undo)
		if err != nil {
			return err
		}
		if out, err = b.unwrap(whole.Body()); err != nil {
			return err
		}
		task := taskOf(settings.Settings, &body{request: whole})
		_, err = k.Undo(ctx, task, c.Undo)
		if _, standing := plimsoll.CheckpointSpan(b.request.Conversation(), c.Undo); standing && errors.Is(err, plimsoll.ErrNotFound) {
			err = nil // the store never knew, or has forgotten already
		}
		return err
	})
	if err != nil {
		return withOp("compact "+name, err)
	}
	_, err = p.out.Write(out)
	return err
}

// restore returns the request with the archived messages in it. One that has no such
// checkpoint is whole already.
func restore(ctx context.Context, tenant *store.Tenant, b *body, ref string) (*wire.Request, error) {
	if _, ok := plimsoll.CheckpointSpan(b.request.Conversation(), ref); !ok {
		return b.request, nil
	}
	content, err := tenant.Content(ctx, ref)
	if err != nil {
		return nil, err
	}
	list, err := plimsoll.SpanOf(content)
	if err != nil {
		return nil, err
	}
	edited, err := dialects.Restore(b.request, ref, list)
	if err != nil {
		return nil, err
	}
	return dialects.Codec(b.request.Dialect()).Decode(edited)
}
