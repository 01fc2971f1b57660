package store

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/plimsoll/plimsoll"
)

// Check reads everything and returns what is broken, one finding each: what the
// backend finds in its files, then every object whose content is not what was
// stored. It marks those, so that storing the same content again repairs them.
func (s *Store) Check(ctx context.Context) ([]string, error) {
	findings, err := s.now().check(ctx)
	return findings, fault("check the store", err)
}

func (s *Store) check(ctx context.Context) ([]string, error) {
	findings, err := s.backend.Check(ctx)
	if err != nil {
		return findings, err
	}
	tenants, err := s.backend.Tenants(ctx)
	if err != nil {
		return findings, err
	}
	for _, id := range tenants {
		found, err := s.tenant(id).check(ctx)
		findings = append(findings, found...)
		if err != nil {
			return findings, err
		}
	}
	return findings, nil
}

func (t *Tenant) check(ctx context.Context) (findings []string, err error) {
	for after := ""; ; {
		page, err := t.store.backend.Objects(ctx, t.id, after, pageObjects)
		if errors.Is(err, plimsoll.ErrNotFound) {
			return findings, fmt.Errorf("objects are being deleted: %w", ErrUnavailable)
		}
		if err != nil || len(page) == 0 {
			return findings, err
		}
		for _, o := range page {
			switch err := t.noted(ctx, o.ID, t.verify(ctx, o)); {
			case errors.Is(err, ErrCorrupt):
				findings = append(findings, fmt.Sprintf("object %s: %v", o.ID, err))
			case err != nil && !errors.Is(err, plimsoll.ErrNotFound):
				return findings, err
			}
			after = o.ID
		}
	}
}

// verify reads an object and compares it with its name.
func (t *Tenant) verify(ctx context.Context, o Object) error {
	if err := t.sound(ctx, o); err != nil {
		return err
	}
	return t.copy(ctx, io.Discard, o)
}

// copy writes all that is stored of an object and verifies that it is what the
// reference stands for.
func (t *Tenant) copy(ctx context.Context, to io.Writer, o Object) error {
	c := t.newCursor(ctx, o, o.Stored)
	defer c.close()
	c.eager = true
	if err := c.seek(0); err != nil {
		return err
	}
	h := t.key.namer(o.Kind)
	for {
		b, err := c.next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		h.Write(b.Data)
		if _, err := to.Write(b.Data); err != nil {
			return err
		}
	}
	if named(h) != o.ID {
		return fmt.Errorf("content is not what the reference stands for: %w", ErrCorrupt)
	}
	return nil
}
