package store

import (
	"errors"
	"fmt"

	"github.com/plimsoll/plimsoll"
)

// Sentinels to test for with errors.Is.
var (
	// ErrGone: the reference is unknown, expired or somebody else's; there is no
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
