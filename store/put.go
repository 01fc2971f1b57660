package store

import (
	"context"
	"errors"
	"io"

	"github.com/plimsoll/plimsoll"
)

// PutOptions say more about what is stored.
type PutOptions struct {
	// Note says where it is from, for people. The first one stays.
	Note string
	// Kind is KindText or KindSpan; empty means KindText.
	Kind Kind
}

// Ref returns the reference that Put gives the content. It stores nothing.
func (t *Tenant) Ref(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return plimsoll.Ref{}, errors.ErrUnsupported
}

// Put stores content whole, byte for byte, and returns its reference when it is
// committed. Content that is there already counts as used.
func (t *Tenant) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	return plimsoll.Ref{}, errors.ErrUnsupported
}

// PutReader stores what a reader returns, in constant memory, and returns the
// reference when it is committed. Options may be nil.
func (t *Tenant) PutReader(ctx context.Context, r io.Reader, o *PutOptions) (plimsoll.Ref, error) {
	return plimsoll.Ref{}, errors.ErrUnsupported
}

// Content returns what Put was given. What PutReader was given is one text.
func (t *Tenant) Content(ctx context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	return plimsoll.List[plimsoll.Part]{}, errors.ErrUnsupported
}
