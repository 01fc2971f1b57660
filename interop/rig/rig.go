package rig

import (
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"slices"
	"strconv"
	"testing"

	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/transport"
)

// Way is what stands between the client and the upstream.
type Way string

// The ways.
const (
	// Direct: nothing but the tap.
	Direct Way = "direct"
	// Limited: plimsoll serve with the window as its limit.
	Limited Way = "limit"
	// Learned: plimsoll serve that is not told the window.
	Learned Way = "learned"
	// InProcess: no server, but the client's own transport.
	InProcess Way = "transport"
	// Untold: the same, without being told the window.
	Untold Way = "transport untold"
)

// Options configure a [Rig].
type Options struct {
	// Window of the upstream in tokens; 0 means any.
	Window int
	// Script of the upstream.
	Script scripted.Script
	// Flags of plimsoll serve beside what the way needs.
	Flags []string
}

// Rig is one set-up, for one client.
type Rig struct {
	// URL is where the client is to send its requests, without a path.
	URL string
	// Client is the one to send them with; for [InProcess] no other will do.
	Client *http.Client
	// Upstream logs what reached it.
	Upstream *scripted.Model
	thinking *thinking
	tap      *tap
	// kept is the file of the store.
	kept string
}

// New starts a rig, which ends with the test.
func New(t testing.TB, way Way, o *Options) *Rig {
	t.Helper()
	r := &Rig{
		Upstream: scripted.New(&scripted.Options{Script: o.Script, Window: o.Window, Remember: 5000}),
		kept:     filepath.Join(t.TempDir(), "store.db"),
	}
	r.thinking = newThinking(r.Upstream)
	upstream := httptest.NewServer(r.thinking)
	t.Cleanup(upstream.Close)
	to := upstream.URL
	switch way {
	case Limited:
		to = serve(t, to, r.kept, append([]string{"--window", strconv.Itoa(o.Window)}, o.Flags...)...)
	case Learned:
		to = serve(t, to, r.kept, o.Flags...)
	}
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	r.tap = newTap(target)
	if way == InProcess || way == Untold {
		window := o.Window
		if way == Untold {
			window = 0
		}
		r.URL, r.Client = to, &http.Client{Transport: &recorder{tap: r.tap, next: r.managed(t, window)}}
		return r
	}
	front := httptest.NewServer(r.tap)
	t.Cleanup(front.Close)
	r.URL, r.Client = front.URL, front.Client()
	return r
}

// managed is a transport that keeps conversations under the window, with a store of
// its own.
func (r *Rig) managed(t testing.TB, window int) *transport.Transport {
	t.Helper()
	kept := r.open(t)
	tr, err := transport.New(&transport.Options{Store: kept, Window: window, Base: &http.Transport{}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(tr.Close(), kept.Close()); err != nil {
			t.Error(err)
		}
	})
	return tr
}

// open opens the store, beside others who have it open.
func (r *Rig) open(t testing.TB) *store.Store {
	t.Helper()
	backend, err := sqlite.Open(t.Context(), r.kept, nil)
	if err != nil {
		t.Fatal(err)
	}
	s, err := store.New(t.Context(), backend, nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// Passages returns what the client sent and got so far.
func (r *Rig) Passages() []Passage { return r.tap.passages() }

// Asked returns the requests that the upstream got, without the questions of plimsoll about
// the server itself.
func (r *Rig) Asked() []scripted.Exchange {
	return slices.DeleteFunc(r.Upstream.Log(), func(e scripted.Exchange) bool { return e.Method == http.MethodGet })
}
