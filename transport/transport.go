package transport

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"runtime"
	"sync/atomic"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
	"github.com/plimsoll/plimsoll/transport/internal/history"
	"github.com/plimsoll/plimsoll/transport/internal/limit"
)

// Transport manages the conversations in the requests that it sends. It is safe for
// concurrent use.
type Transport struct {
	options Options
	// secret keeps names of tenants apart where no store does.
	secret  [32]byte
	owners  *lru.Map[string, owner]
	limits  *limit.Limits
	history *history.History
	breaker *breaker.Breaker
	// ledger writes accounts; nil without a store.
	ledger *ledger
	// ambiguity knows messages that every parser reads alike.
	ambiguity ambiguity
	// billed counts the bills for certain counts.
	billed  atomic.Int64
	heavy   heavy
	lacking lacking
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a transport; nil options mean the zero value.
func New(o *Options) (*Transport, error) {
	t := &Transport{}
	if o != nil {
		t.options = *o
	}
	if err := t.options.fill(); err != nil {
		return nil, fmt.Errorf("new transport: %w", err)
	}
	if _, err := rand.Read(t.secret[:]); err != nil {
		return nil, fmt.Errorf("new transport: %w", err)
	}
	t.limits = limit.New(t.options.Store, t.options.Now)
	t.breaker = breaker.New(t.options.Now)
	t.history = history.New(t.breaker)
	t.ambiguity.clear = lru.New[plimsoll.Digest, struct{}](clearLimit, nil)
	t.owners = lru.New[string, owner](ownerLimit, nil)
	t.heavy = make(heavy, runtime.GOMAXPROCS(0))
	if t.options.Store != nil {
		t.ledger = newLedger(func(err error) { t.options.Logger.Warn("the accounts could not be written", "error", err) })
	}
	return t, nil
}

// Close waits until all accounts are written. The transport must not be used after it.
func (t *Transport) Close() error {
	if t.ledger != nil {
		t.ledger.close()
	}
	return nil
}

// RoundTrip sends a request and returns the answer. A request that carries no
// conversation is sent as it is.
func (t *Transport) RoundTrip(req *http.Request) (*http.Response, error) {
	e, ok := recognise(req)
	if !ok {
		return t.pass(req)
	}
	defer req.Body.Close()
	r := t.newTrip(req, e)
	resp, err := r.guarded()
	if err != nil {
		r.end(err)
		return nil, err
	}
	r.announce(resp)
	return resp, nil
}

// pass sends a request that is not managed.
func (t *Transport) pass(req *http.Request) (*http.Response, error) {
	out := req.Clone(req.Context())
	stripControls(out.Header)
	return t.options.Base.RoundTrip(out)
}

// heavy lets as many large conversations be fitted at once as there are processors:
// more would only take memory, and keep each other from the store.
type heavy chan struct{}

const (
	// heavyBody is a body that has to wait for its turn.
	heavyBody = 1 << 20
	// heavyWait is how long it waits: those before it may be waiting for a summary.
	heavyWait = 5 * time.Second
)

// enter waits for a turn, but no longer than heavyWait, and returns what ends the turn.
func (h heavy) enter(ctx context.Context, bytes int) (leave func(), err error) {
	if bytes < heavyBody {
		return func() {}, nil
	}
	timer := time.NewTimer(heavyWait)
	defer timer.Stop()
	select {
	case h <- struct{}{}:
		return func() { <-h }, nil
	case <-timer.C:
		return func() {}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
