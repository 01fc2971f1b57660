package transport

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/transport/internal/breaker"
)

// shelf takes figures when it is open.
type shelf struct {
	// hold, if not nil, holds up those who write until it is closed.
	hold   chan struct{}
	mu     sync.Mutex
	closed error
	asked  int
	sums   map[string]account.Account
}

func (s *shelf) AddAccount(_ context.Context, accounts ...account.Account) error {
	if s.hold != nil {
		<-s.hold
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked++
	if s.closed != nil {
		return s.closed
	}
	for _, a := range accounts {
		if s.sums == nil {
			s.sums = map[string]account.Account{}
		}
		s.sums[a.Conversation] = s.sums[a.Conversation].Add(a)
	}
	return nil
}

func TestFiguresThatAStoreHasNotTakenAreWrittenLaterAndOnce(t *testing.T) {
	t.Parallel()
	for name, closed := range map[string]error{"the breaker is open": breaker.ErrOpen, "it fails": errors.New("the disk is gone")} {
		synctest.Test(t, func(t *testing.T) {
			var failures int
			l := newAccountWriter(breaker.New(time.Now), func(error) { failures++ })
			s := &shelf{closed: closed}
			add := func(conversation string) {
				l.add(entry{Account: account.Account{Conversation: conversation, Requests: 1, Saved: 10}, owner: "owner", books: s})
			}
			add("one")
			add("two")
			time.Sleep(writeDelay + time.Second)
			synctest.Wait()
			add("one")
			time.Sleep(3 * writeDelay)
			synctest.Wait()
			if s.asked < 2 {
				t.Errorf("%s: it was asked %d times", name, s.asked)
			}
			s.mu.Lock()
			s.closed = nil
			s.mu.Unlock()
			time.Sleep(time.Minute) // the breaker closes
			synctest.Wait()
			if s.sums["one"].Requests != 2 || s.sums["two"].Requests != 1 || s.sums["one"].Saved != 20 {
				t.Errorf("%s: %+v", name, s.sums)
			}
			add("two")
			l.close()
			if s.sums["one"].Requests != 2 || s.sums["two"].Requests != 2 {
				t.Errorf("%s: at the end %+v", name, s.sums)
			}
			if (failures > 0) != (name == "it fails") {
				t.Errorf("%s: %d failures are told", name, failures)
			}
		})
	}
}

func TestFiguresThatAStoreNeverTakesAreGivenUpInTheEnd(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newAccountWriter(breaker.New(time.Now), func(error) {})
		defer l.close()
		s := &shelf{closed: errors.New("there is no such table")}
		l.add(entry{Account: account.Account{Conversation: "one", Requests: 1}, owner: "owner", books: s})
		time.Sleep(time.Hour)
		synctest.Wait()
		if s.asked != maxTries {
			t.Errorf("they were tried %d times, want %d", s.asked, maxTries)
		}
	})
}

func TestFiguresThatAreLostAtTheEndAreTold(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told error
		l := newAccountWriter(breaker.New(time.Now), func(err error) { told = err })
		l.add(entry{Account: account.Account{Conversation: "one", Requests: 1}, owner: "owner", books: &shelf{closed: breaker.ErrOpen}})
		l.close()
		if told == nil {
			t.Error("nobody is told")
		}
	})
}

// TestFiguresThatFindTheWriterFullAreDroppedAndCounted has a store that hangs while more
// requests end than the writer holds.
func TestFiguresThatFindTheWriterFullAreDroppedAndCounted(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told []error
		l := newAccountWriter(breaker.New(time.Now), func(err error) { told = append(told, err) })
		s := &shelf{hold: make(chan struct{})}
		one := entry{Account: account.Account{Conversation: "one", Requests: 1}, owner: "owner", books: s}
		l.add(one)
		time.Sleep(writeDelay)
		synctest.Wait() // it waits for the store
		for range maxEntries + 3 {
			l.add(one)
		}
		close(s.hold)
		l.close()
		if len(told) != 1 || !strings.Contains(told[0].Error(), "the figures of 3 requests") {
			t.Errorf("the writer says %v, want 3 dropped requests", told)
		}
		if got := s.sums["one"].Requests; got != maxEntries+1 {
			t.Errorf("%d requests are in the account, want %d", got, maxEntries+1)
		}
	})
}

// panics is a store with a mistake in it.
type panics struct{}

func (panics) AddAccount(context.Context, ...account.Account) error { panic("a mistake") }

// notes is a memory that keeps what it gets, or refuses it.
type notes struct {
	fit.Memory
	refused error
	got     []fit.Decision
}

func (n *notes) Remember(_ context.Context, d fit.Decision) error {
	if n.refused != nil {
		return n.refused
	}
	n.got = append(n.got, d)
	return nil
}

func TestBillsAreWrittenAtOnceAndWithoutTheFigures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		l := newAccountWriter(breaker.New(time.Now), func(err error) { t.Error(err) })
		defer l.close()
		s, n := &shelf{}, &notes{}
		l.add(entry{Account: account.Account{Conversation: "one", Requests: 1}, owner: "owner", books: s})
		l.add(entry{bill: fit.Decision{Body: []byte("a")}, memory: n})
		l.add(entry{bill: fit.Decision{Body: []byte("b")}, memory: n})
		synctest.Wait()
		if len(n.got) != 2 || string(n.got[1].Body) != "b" || s.asked != 0 {
			t.Errorf("at once %d bills and %d figures were written, want 2 and none", len(n.got), s.asked)
		}
	})
}

func TestABillThatTheStoreRefusesIsReported(t *testing.T) {
	t.Parallel()
	var told []error
	l := newAccountWriter(breaker.New(time.Now), func(err error) { told = append(told, err) })
	l.add(entry{memory: &notes{refused: errors.New("the disk is gone")}})
	l.close()
	if len(told) != 1 {
		t.Errorf("the writer says %v", told)
	}
}

func TestAPanicInWhatWritesAccountsEndsNothing(t *testing.T) {
	t.Parallel()
	var told []error
	l := newAccountWriter(breaker.New(time.Now), func(err error) { told = append(told, err) })
	l.add(entry{Account: account.Account{Conversation: "one", Requests: 1}, owner: "owner", books: panics{}})
	l.close()
	if len(told) == 0 || !strings.Contains(told[0].Error(), "panic: a mistake") {
		t.Errorf("the writer says %v", told)
	}
}

// picky is a shelf that refuses one conversation as data, and with it all that come in
// the same write.
type picky struct{ shelf }

func (p *picky) AddAccount(ctx context.Context, accounts ...account.Account) error {
	for _, a := range accounts {
		if a.Conversation == "bad" {
			p.asked++
			return fmt.Errorf("row: %w", plimsoll.ErrInvalid)
		}
	}
	return p.shelf.AddAccount(ctx, accounts...)
}

func TestARowThatTheStoreRefusesCostsNoOtherConversationItsFigures(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var told int
		b := breaker.New(time.Now)
		l := newAccountWriter(b, func(error) { told++ })
		s := &picky{}
		for _, name := range []string{"one", "bad", "two"} {
			l.add(entry{Account: account.Account{Conversation: name, Requests: 1}, owner: "owner", books: s})
		}
		time.Sleep(time.Hour)
		synctest.Wait()
		if s.sums["one"].Requests != 1 || s.sums["two"].Requests != 1 || told != 1 || s.asked != 4 || !b.Closed("owner") {
			t.Errorf("%+v after %d calls, %d failures told, closed %v", s.sums, s.asked, told, b.Closed("owner"))
		}
		l.close()
	})
}
