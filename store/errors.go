package store

import (
	"context"
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Sentinels to test for with errors.Is.
var (
	// ErrGone: the reference is unknown, expired or another tenant's; there is no
	// way to tell which. It is a [plimsoll.ErrNotFound].
	ErrGone = fmt.Errorf("gone: %w", plimsoll.ErrNotFound)
	// ErrUnavailable: the store cannot be reached or is full; it may be better
	// later.
	ErrUnavailable = errors.New("store is unavailable")
	// ErrCorrupt: what is stored is not what was stored. The rest is usable.
	ErrCorrupt = errors.New("stored content is damaged")
	// ErrMissingChunk: an extent names a chunk that is not there (any more).
	ErrMissingChunk = errors.New("chunk is missing")
)

// fault says what was being done when a backend failed, and what to do about it.
func fault(op string, err error) error {
	if err == nil {
		return nil
	}
	e := &plimsoll.Error{Op: op, Err: err}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, plimsoll.ErrNotFound):
		e.Code, e.Err = plimsoll.CodeNotFound, ErrGone
		e.Hint = "it was deleted, expired, or never was; run again what made it"
	case errors.Is(err, ErrCorrupt):
		e.Hint = "store it again from its source, which repairs it; the rest of the store is not affected"
	case errors.Is(err, ErrUnavailable):
		e.Code = plimsoll.CodeUnavailable
		if plimsoll.HintOf(err) == "" {
			e.Hint = "try again"
		}
	}
	return e
}
