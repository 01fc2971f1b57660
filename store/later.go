package store

import (
	"context"
	"crypto/rand"
	"fmt"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
)

// opening is a backend that is not there yet.
type opening struct {
	store atomic.Pointer[Store]
	stop  context.CancelFunc
	ended chan struct{}
}

// openPause is the time between two tries to open a backend.
const openPause = time.Second

// Later returns a store whose backend is away now. It calls open until that succeeds or the
// store is closed. Until then every operation returns [ErrUnavailable]. A tenant that was
// taken before stays without content: take it again.
func Later(open func(context.Context) (Backend, error), o *Options) (*Store, error) {
	s := &Store{backend: absent{}}
	if o != nil {
		s.options = *o
	}
	if err := s.options.setDefaults(); err != nil {
		return nil, err
	}
	var err error
	if s.codec, err = newCodec(); err != nil {
		return nil, fault("open store", err)
	}
	rand.Read(s.secret[:]) // keeps tenants apart meanwhile
	ctx, stop := context.WithCancel(context.Background())
	s.opening = &opening{stop: stop, ended: make(chan struct{})}
	go func() {
		defer close(s.opening.ended)
		for ctx.Err() == nil {
			if b, err := open(ctx); err == nil {
				opened, err := New(ctx, b, &s.options)
				if err == nil {
					s.opening.store.Store(opened)
					return
				}
				_ = b.Close() // nothing was written
			}
			select {
			case <-time.After(openPause):
			case <-ctx.Done():
			}
		}
	}()
	return s, nil
}

// now returns the store with its backend, as soon as that is there.
func (s *Store) now() *Store {
	if s.opening != nil {
		if opened := s.opening.store.Load(); opened != nil {
			return opened
		}
	}
	return s
}

// close ends the tries, and closes the backend if it is there.
func (o *opening) close() error {
	o.stop()
	<-o.ended
	if opened := o.store.Load(); opened != nil {
		return opened.Close()
	}
	return nil
}

// absent is a backend that is not there.
type absent struct{}

var _ Backend = absent{}

var errAbsent = fmt.Errorf("%w: it could not be opened yet", ErrUnavailable)

func (absent) Secret(context.Context) ([32]byte, error) { return [32]byte{}, errAbsent }

func (absent) Write(context.Context, TenantID, []Chunk, *Object, []Extent) error { return errAbsent }

func (absent) HasChunks(context.Context, TenantID, []ChunkID) ([]bool, error) { return nil, errAbsent }

func (absent) Object(context.Context, TenantID, string) (Object, error) { return Object{}, errAbsent }

func (absent) ExtentsAt(context.Context, TenantID, string, int64, int) ([]Extent, error) {
	return nil, errAbsent
}

func (absent) ExtentsAtLine(context.Context, TenantID, string, int64, int) ([]Extent, error) {
	return nil, errAbsent
}

func (absent) Chunk(context.Context, TenantID, ChunkID) (Chunk, error)    { return Chunk{}, errAbsent }
func (absent) Touch(context.Context, TenantID, []string, time.Time) error { return errAbsent }
func (absent) Objects(context.Context, TenantID, string, int) ([]Object, error) {
	return nil, errAbsent
}
func (absent) MarkDamaged(context.Context, TenantID, string, []ChunkID) error { return errAbsent }
func (absent) Delete(context.Context, TenantID, []string) (int, error)        { return 0, errAbsent }

func (absent) Tenants(context.Context) ([]TenantID, error)           { return nil, errAbsent }
func (absent) PutDecision(context.Context, TenantID, Decision) error { return errAbsent }
func (absent) FindDecision(context.Context, TenantID, []plimsoll.Digest) (Decision, error) {
	return Decision{}, errAbsent
}

func (absent) DeleteDecisions(context.Context, TenantID, []plimsoll.Digest) (int, error) {
	return 0, errAbsent
}
func (absent) AddAccount(context.Context, TenantID, ...account.Account) error { return errAbsent }
func (absent) Accounts(context.Context, TenantID, string, int) ([]account.Account, error) {
	return nil, errAbsent
}
func (absent) PutValue(context.Context, string, []byte) error { return errAbsent }
func (absent) Value(context.Context, string) ([]byte, error)  { return nil, errAbsent }
func (absent) Lease(context.Context, string, string, time.Duration) (bool, error) {
	return false, errAbsent
}
func (absent) Release(context.Context, string, string) error            { return errAbsent }
func (absent) Expired(context.Context, time.Time, int) ([]Owned, error) { return nil, errAbsent }

func (absent) Oldest(context.Context, int) ([]Owned, error) { return nil, errAbsent }

func (absent) Unreferenced(context.Context, time.Time, int) ([]Owned, error) { return nil, errAbsent }
func (absent) Evict(context.Context, []Owned) (int, error)                   { return 0, errAbsent }
func (absent) ExpiredDecisions(context.Context, time.Time) (int, error)      { return 0, errAbsent }
func (absent) ExpireDecisions(context.Context, time.Time) (int, error)       { return 0, errAbsent }
func (absent) Sweep(context.Context, time.Time) (Swept, error)               { return Swept{}, errAbsent }
func (absent) Erase(context.Context) error                                   { return errAbsent }
func (absent) Purge(context.Context, *TenantID, string) (Purged, error)      { return Purged{}, errAbsent }

func (absent) Stats(context.Context, *TenantID) (Stats, error) { return Stats{}, errAbsent }

func (absent) Check(context.Context) ([]string, error) { return nil, errAbsent }
func (absent) Close() error                            { return nil }
