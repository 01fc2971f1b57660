package fit_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/summary"
)

// scribe is a summariser that may take its time: it waits for a word on go, if that
// is not nil.
type scribe struct {
	text  string
	begun chan struct{}
	goOn  chan struct{}
	calls atomic.Int32
	mu    sync.Mutex
	asked []*summary.Request
}

func (*scribe) Name() string { return "scribe" }

func (s *scribe) Summarize(ctx context.Context, r *summary.Request) (summary.Summary, error) {
	s.calls.Add(1)
	s.mu.Lock()
	s.asked = append(s.asked, r)
	s.mu.Unlock()
	if s.begun != nil {
		s.begun <- struct{}{}
	}
	if s.goOn != nil {
		select {
		case <-s.goOn:
		case <-ctx.Done():
			return summary.Summary{}, ctx.Err()
		}
	}
	text := s.text
	if text == "" {
		text = "<state_snapshot>\n<overall_goal>\nkeep afloat\n</overall_goal>\n</state_snapshot>"
	}
	return summary.Summary{Text: text, By: "scribe", Model: "scribe-1", Usage: plimsoll.Usage{Input: 1000, Output: 10}}, nil
}

// vault is an archive that can be read.
type vault struct {
	mu   sync.Mutex
	kept map[string]plimsoll.List[plimsoll.Part]
	full bool
}

func (v *vault) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	sum := sha256.Sum256(fmt.Appendf(nil, "%#v", content.Slice()))
	return plimsoll.Ref{ID: hex.EncodeToString(sum[:8])}, nil
}

func (v *vault) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	ref, err := v.Ref(ctx, content)
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.full {
		return ref, errors.New("the vault is full")
	}
	if v.kept == nil {
		v.kept = map[string]plimsoll.List[plimsoll.Part]{}
	}
	v.kept[ref.ID] = content
	return ref, err
}

func (v *vault) Content(_ context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	content, ok := v.kept[id]
	if !ok {
		return content, plimsoll.ErrNotFound
	}
	return content, nil
}

// notebook is a memory that processes can share.
type notebook struct {
	mu        sync.Mutex
	decisions map[plimsoll.Digest]fit.Decision
	leases    map[string]bool
	torn      bool
}

func (n *notebook) Recall(_ context.Context, keys []plimsoll.Digest) (fit.Decision, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.torn {
		return fit.Decision{}, errors.New("the notebook is torn")
	}
	for _, key := range keys {
		if d, ok := n.decisions[key]; ok {
			return d, nil
		}
	}
	return fit.Decision{}, plimsoll.ErrNotFound
}

func (n *notebook) Remember(_ context.Context, d fit.Decision) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.torn {
		return errors.New("the notebook is torn")
	}
	if n.decisions == nil {
		n.decisions = map[plimsoll.Digest]fit.Decision{}
	}
	n.decisions[d.Key] = d
	return nil
}

func (n *notebook) Forget(_ context.Context, keys ...plimsoll.Digest) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, key := range keys {
		delete(n.decisions, key)
	}
	return nil
}

func (n *notebook) Lease(_ context.Context, name string, _ time.Duration) (func(), bool, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.leases[name] {
		return nil, false, nil
	}
	if n.leases == nil {
		n.leases = map[string]bool{}
	}
	n.leases[name] = true
	return func() {
		n.mu.Lock()
		defer n.mu.Unlock()
		delete(n.leases, name)
	}, true, nil
}

func (n *notebook) AddAccount(context.Context, account.Account) error { return nil }

// compacting returns a keeper of a window of letters that compacts with the scribe.
func compacting(t *testing.T, s *scribe, change func(*fit.Options)) *fit.Keeper {
	t.Helper()
	o := &fit.Options{
		Meter: testkit.ByteMeter{}, Window: 4000, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.8, Soft: 0.6}, Archive: &vault{},
		Rungs: []fit.Rung{&rung.Compact{Summarizer: s}, &rung.Slide{}},
	}
	if change != nil {
		change(o)
	}
	k, err := fit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = k.Close() })
	return k
}

// talk is a conversation of turns with answers of 300 letters.
func talk(turns int) plimsoll.Conversation {
	var messages []plimsoll.Message
	for i := range turns {
		messages = append(messages,
			plimsoll.Say(plimsoll.User, fmt.Sprintf("question %d", i)),
			plimsoll.Say(plimsoll.Assistant, fmt.Sprintf("answer %d %s", i, strings.Repeat("x", 300))))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(append(messages, plimsoll.Say(plimsoll.User, "and now?"))...)}
}

func said(c plimsoll.Conversation) string {
	var b strings.Builder
	for _, m := range c.Messages.All() {
		fmt.Fprintf(&b, "%s: %s\n", m.Role, m.Text())
	}
	return b.String()
}
