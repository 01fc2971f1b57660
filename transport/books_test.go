package transport

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll/account"
)

// shelf takes figures when it is open.
type shelf struct {
	mu     sync.Mutex
	closed error
	asked  int
	sums   map[string]account.Account
}

func (s *shelf) AddAccount(_ context.Context, accounts ...account.Account) error {
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
	for name, closed := range map[string]error{"it rests": errResting, "it fails": errors.New("the disk is gone")} {
		synctest.Test(t, func(t *testing.T) {
			var failures int
			a := &accounts{failed: func(error) { failures++ }}
			s := &shelf{closed: closed}
			add := func(conversation string) {
				a.add("owner", s, account.Account{Conversation: conversation, Requests: 1, Saved: 10})
			}
			add("one")
			add("two")
			time.Sleep(accountDelay + time.Second)
			synctest.Wait()
			add("one")
			time.Sleep(3 * accountDelay)
			synctest.Wait()
			if s.asked < 2 {
				t.Errorf("%s: it was asked %d times", name, s.asked)
			}
			s.mu.Lock()
			s.closed = nil
			s.mu.Unlock()
			time.Sleep(2 * accountDelay)
			synctest.Wait()
			if s.sums["one"].Requests != 2 || s.sums["two"].Requests != 1 || s.sums["one"].Saved != 20 {
				t.Errorf("%s: %+v", name, s.sums)
			}
			add("two")
			a.close()
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
		a := &accounts{failed: func(error) {}}
		s := &shelf{closed: errors.New("there is no such table")}
		a.add("owner", s, account.Account{Conversation: "one", Requests: 1})
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
		a := &accounts{failed: func(err error) { told = err }}
		a.add("owner", &shelf{closed: errResting}, account.Account{Conversation: "one", Requests: 1})
		a.close()
		if told == nil {
			t.Error("nobody is told")
		}
	})
}
