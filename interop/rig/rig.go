package rig

import (
	"net/http/httptest"
	"net/url"
	"strconv"
	"testing"

	"github.com/plimsoll/plimsoll/internal/scripted"
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
	// Upstream logs what reached it.
	Upstream *scripted.Model
	thinking *thinking
	tap      *tap
}

// New starts a rig, which ends with the test.
func New(t testing.TB, way Way, o *Options) *Rig {
	t.Helper()
	r := &Rig{Upstream: scripted.New(&scripted.Options{Script: o.Script, Window: o.Window, Remember: 5000})}
	r.thinking = newThinking(r.Upstream)
	upstream := httptest.NewServer(r.thinking)
	t.Cleanup(upstream.Close)
	to := upstream.URL
	switch way {
	case Limited:
		to = Serve(t, to, append([]string{"--limit", strconv.Itoa(o.Window)}, o.Flags...)...)
	case Learned:
		to = Serve(t, to, o.Flags...)
	}
	target, err := url.Parse(to)
	if err != nil {
		t.Fatal(err)
	}
	r.tap = newTap(target)
	front := httptest.NewServer(r.tap)
	t.Cleanup(front.Close)
	r.URL = front.URL
	return r
}

// Passages returns what the client sent and got so far.
func (r *Rig) Passages() []Passage { return r.tap.passages() }
