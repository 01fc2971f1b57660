package transport

import (
	"crypto/rand"
	"fmt"
	"net/http"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/lru"
	"github.com/plimsoll/plimsoll/internal/modelserver"
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
	limits  *limit.Learner
	servers *modelserver.Asker
	history *history.History
	breaker *breaker.Breaker
	// accounts writes the accounts; nil without a store.
	accounts *accountWriter
	// unambiguous are messages that every parser reads alike.
	unambiguous *lru.Map[plimsoll.Digest, struct{}]
	unsupported unsupported
	aws         awsKeys
}

var _ http.RoundTripper = (*Transport)(nil)

// New returns a transport; nil options mean the zero value.
func New(o *Options) (*Transport, error) {
	t := &Transport{aws: awsFromEnvironment()}
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
	t.servers = modelserver.New(t.options.Base, t.options.Now)
	t.breaker = breaker.New(t.options.Now)
	t.history = history.New(t.breaker)
	t.unsupported.since = lru.New[string, time.Time](maxUnsupported, nil)
	t.unambiguous = lru.New[plimsoll.Digest, struct{}](maxUnambiguous, nil)
	if t.options.Store != nil {
		t.accounts = newAccountWriter(t.breaker, func(err error) { t.options.Logger.Warn("what was billed could not be written", "error", err) })
	}
	return t, nil
}

// Close waits until all accounts are written. The transport must not be used after it.
func (t *Transport) Close() error {
	if t.accounts != nil {
		t.accounts.close()
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
	resp, err := t.options.Base.RoundTrip(out)
	return stripped(resp), quiet(err)
}
