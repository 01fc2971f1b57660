package store

import (
	"context"
	"fmt"
	"time"

	"github.com/plimsoll/plimsoll"
)

// Options configure a [Store].
type Options struct {
	// Now is the clock; nil means time.Now.
	Now func() time.Time
	// ChunkSize is how long chunks are on average, in bytes: a power of two between
	// 64 and 1 MiB; 0 means 256 KiB. No chunk is shorter than a quarter of it, but
	// the last of a text, or longer than four times.
	ChunkSize int
	// TouchEvery is how old an object's last use may be before reading it counts as
	// a new one, so that reading does not write each time; 0 means 5 minutes.
	TouchEvery time.Duration
}

// Store keeps content for tenants. It is safe for concurrent use.
type Store struct {
	backend Backend
	options Options
	secret  [32]byte
	codec   *codec
	// opening is nil if the backend was there from the start.
	opening *opening
}

// New returns a store on a backend, which it closes when it is closed. Options may
// be nil.
func New(ctx context.Context, b Backend, o *Options) (*Store, error) {
	s := &Store{backend: b}
	if o != nil {
		s.options = *o
	}
	if err := s.options.setDefaults(); err != nil {
		return nil, err
	}
	var err error
	if s.codec, err = newCodec(); err != nil {
		return nil, fmt.Errorf("open store: %w", err)
	}
	if s.secret, err = b.Secret(ctx); err != nil {
		return nil, fault("open store", err)
	}
	return s, nil
}

func (o *Options) setDefaults() error {
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.ChunkSize == 0 {
		o.ChunkSize = 256 << 10
	}
	if o.TouchEvery == 0 {
		o.TouchEvery = 5 * time.Minute
	}
	if n := o.ChunkSize; n < 64 || n > 1<<20 || n&(n-1) != 0 {
		return &plimsoll.Error{
			Op: "open store", Err: fmt.Errorf("chunk size %d: %w", n, plimsoll.ErrInvalid),
			Hint: "want a power of two between 64 and 1048576",
		}
	}
	return nil
}

// Tenant returns a tenant's part of the store. The name may be any text, such as a
// credential; only its keyed hash leaves the process.
func (s *Store) Tenant(name string) *Tenant {
	s = s.now()
	return s.tenant(tenantID(s.secret, name))
}

func (s *Store) tenant(id TenantID) *Tenant {
	return &Tenant{store: s, id: id, key: tenantKey(s.secret, id)}
}

// Tenants returns the parts of all tenants that have content or accounts.
func (s *Store) Tenants(ctx context.Context) ([]*Tenant, error) {
	s = s.now()
	ids, err := s.backend.Tenants(ctx)
	if err != nil {
		return nil, fault("list tenants", err)
	}
	all := make([]*Tenant, len(ids))
	for i, id := range ids {
		all[i] = s.tenant(id)
	}
	return all, nil
}

// Stats counts what all tenants have stored.
func (s *Store) Stats(ctx context.Context) (Stats, error) {
	stats, err := s.now().backend.Stats(ctx, nil)
	return stats, fault("count the store", err)
}

// PutValue keeps a small value under a name, for all tenants.
func (s *Store) PutValue(ctx context.Context, name string, value []byte) error {
	return fault("keep value "+name, s.now().backend.PutValue(ctx, plain(name), value))
}

// Value returns the value that was kept under a name.
func (s *Store) Value(ctx context.Context, name string) ([]byte, error) {
	value, err := s.now().backend.Value(ctx, plain(name))
	return value, fault("read value "+name, err)
}

// Close closes the backend. Nothing may be called afterwards.
func (s *Store) Close() error {
	s.codec.close()
	if s.opening != nil {
		return s.opening.close()
	}
	return fault("close store", s.backend.Close())
}
