package dashboard

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/account"
	"github.com/plimsoll/plimsoll/transport"
)

func eventOf(conversation string, before, after int) transport.Event {
	return transport.Event{Account: conversation, Exchange: transport.Exchange{
		Tenant: "0011223344556677", Model: "claude-sonnet-4-5", Dialect: plimsoll.Anthropic, Upstream: "api.example", Status: 200,
		Before: plimsoll.Load{Total: before}, After: plimsoll.Load{Total: after}, Line: plimsoll.Line{Window: 1000}, Decision: transport.Cut, New: 1, Edits: 1,
	}}
}

// TestARequestIsNeverHeldUp lets the dashboard hang where it takes requests in.
func TestARequestIsNeverHeldUp(t *testing.T) {
	t.Parallel()
	hangs := make(chan struct{})
	d := New(&Options{Account: func() account.Account {
		<-hangs
		return account.Account{}
	}})
	const shown = 10 * queued
	for i := range shown {
		d.Watch(t.Context(), eventOf(fmt.Sprint(i), 2000, 900))
	}
	if dropped := d.dropped.Load(); dropped < shown-queued-2 {
		t.Errorf("%d of %d were left out, and %d can wait", dropped, shown, queued)
	}
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Root+"conversations.json", http.NoBody))
	if w.Code != http.StatusOK {
		t.Errorf("meanwhile a page is answered with %d", w.Code)
	}
	close(hangs)
	if err := d.Close(); err != nil {
		t.Error(err)
	}
}

func TestAMistakeInTheDashboardHarmsNoRequest(t *testing.T) {
	t.Parallel()
	d := New(nil)
	defer d.Close()
	s := eventOf("x", 1, 1)
	s.Plan = &plimsoll.Plan{Edits: []plimsoll.Edit{{Kind: plimsoll.EditDrop, Message: 7}}} // without a draft
	d.Watch(t.Context(), s)
	if d.dropped.Load() != 1 {
		t.Error("it is not counted")
	}
}

// TestWhatIsRememberedIsBounded feeds requests of any kind and adds everything up.
func TestWhatIsRememberedIsBounded(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		l := newLive(time.Unix(0, 0))
		requests := 0
		for i := range rapid.IntRange(1, 15).Draw(t, "bursts") {
			key := fmt.Sprint(rapid.IntRange(0, 300).Draw(t, "conversation"))
			text := strings.Repeat("x", rapid.IntRange(0, maxInstead).Draw(t, "text"))
			for range rapid.IntRange(1, 300).Draw(t, "requests") {
				requests++
				n := note{key: key, model: key, upstream: key, request: request{At: time.Unix(int64(i), 0), Before: 9, After: 5, New: 1, Warning: text[:min(9, len(text))]}}
				for range rapid.IntRange(0, 9).Draw(t, "cuts") {
					n.cuts = append(n.cuts, shownCut{Instead: text, Ref: &plimsoll.Ref{ID: fmt.Sprint(requests)}})
					n.ids = append(n.ids, uint64(requests))
				}
				l.take(n)
				l.bill(time.Unix(int64(requests), 0), account.Account{Requests: int64(requests)})
			}
		}
		texts := 0
		for _, c := range l.conversations {
			own := 0
			for _, made := range c.cuts {
				own += len(made.Instead)
			}
			texts += own
			if own != c.texts || len(c.requests) > 2*maxRequests || len(c.cuts) > maxConversation {
				t.Fatalf("%d bytes counted as %d, %d requests, %d cuts", own, c.texts, len(c.requests), len(c.cuts))
			}
		}
		if texts != l.texts || texts > maxTexts || len(l.conversations) > maxConversations || len(l.recent) > 2*maxRecent ||
			len(l.warnings) > 2*maxWarnings || len(l.costs) > maxCosts || len(l.models) > maxModels || len(l.upstreams) > maxUpstreams {
			t.Fatalf("%d bytes counted as %d; %d conversations", texts, l.texts, len(l.conversations))
		}
		if l.totals.Requests != int64(requests) {
			t.Fatalf("%d requests are counted as %d", requests, l.totals.Requests)
		}
	})
}

func TestTextsOfQuietConversationsGoFirst(t *testing.T) {
	t.Parallel()
	l := newLive(time.Unix(0, 0))
	for i := range 40 {
		n := note{key: fmt.Sprint(i), request: request{At: time.Unix(int64(i), 0)}}
		for range maxCuts {
			n.cuts = append(n.cuts, shownCut{Instead: strings.Repeat("x", maxInstead)})
		}
		l.take(n)
	}
	first, last := l.conversations["0"].cuts[0], l.conversations["39"].cuts[0]
	if first.Instead != "" || !first.More || last.Instead == "" {
		t.Error("the text of the newest went, or that of the oldest did not")
	}
}

// TestReadersAreToldOfNews reads the stream of events, and what ends it.
func TestReadersAreToldOfNews(t *testing.T) {
	t.Parallel()
	d := New(nil)
	server := httptest.NewServer(d)
	defer server.Close()
	resp, err := http.Get(server.URL + Root + "events")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	if got := resp.Header.Get("Content-Type"); got != "text/event-stream" {
		t.Errorf("the type is %s", got)
	}
	lines := bufio.NewScanner(resp.Body)
	next := func() string {
		for lines.Scan() {
			if data, ok := strings.CutPrefix(lines.Text(), "data: "); ok {
				return data
			}
		}
		return "the end"
	}
	if got := next(); got != "0" {
		t.Errorf("it begins with %s", got)
	}
	d.Watch(context.Background(), eventOf("x", 2000, 900))
	if got := next(); got == "0" || got == "the end" {
		t.Errorf("after a request there is %s", got)
	}
	if d.streams.Load() != 1 {
		t.Errorf("%d streams are counted", d.streams.Load())
	}
	_ = d.Close() // it never fails
	if got := next(); got != "the end" {
		t.Errorf("after the end there is %s", got)
	}
}

func TestOnlySoManyReadersWait(t *testing.T) {
	t.Parallel()
	d := New(nil)
	defer d.Close()
	d.streams.Store(maxStreams)
	w := httptest.NewRecorder()
	d.ServeHTTP(w, httptest.NewRequest(http.MethodGet, Root+"events", http.NoBody))
	if w.Code != http.StatusServiceUnavailable || d.streams.Load() != maxStreams {
		t.Errorf("one more is answered with %d; %d are counted", w.Code, d.streams.Load())
	}
}

func TestDropsForDifferentReasonsStayApart(t *testing.T) {
	t.Parallel()
	c := plimsoll.Conversation{Messages: plimsoll.ListOf(
		plimsoll.Say(plimsoll.User, "one"), plimsoll.Say(plimsoll.Assistant, "two"), plimsoll.Say(plimsoll.User, "three"), plimsoll.Say(plimsoll.User, "four"))}
	s := sketch{draft: plimsoll.NewDraft(c, nil)}
	var cuts []shownCut
	for i, reason := range []string{"oldest turn", "oldest turn", "no answer"} {
		cuts = s.add(cuts, plimsoll.Edit{Kind: plimsoll.EditDrop, Message: i, Part: -1, Rung: "slide", Reason: reason, Saved: 10})
	}
	if len(cuts) != 2 || cuts[0].Until != 1 || cuts[0].Saved != 20 || cuts[1].Message != 2 || cuts[1].Reason != "no answer" {
		t.Errorf("got %+v", cuts)
	}
}
