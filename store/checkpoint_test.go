package store_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/summary"
	"github.com/plimsoll/plimsoll/token"
)

// agentSession reads files for so many rounds.
func agentSession(rounds int) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "Find out why the winch stops. Never edit rope.go.")}
	for i := range rounds {
		id := fmt.Sprint("call_", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"deck/winch_%d.go"}`, i)}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{
				Text: strings.Repeat(fmt.Sprintf("func turn_%d(rope Rope) error { return nil }\n", i), 30),
			})}))
	}
	return plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
}

func history(t *testing.T, c plimsoll.Conversation) string {
	t.Helper()
	data, err := json.Marshal(c.Messages)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestO10_ACheckpointOutlivesTheProcessAndHoldsWhatItNames compacts with one process,
// goes on with another and collects garbage in between: what the checkpoint refers
// to stays as long as the checkpoint is remembered, and goes when it is undone.
func TestO10_ACheckpointOutlivesTheProcessAndHoldsWhatItNames(t *testing.T) {
	t.Parallel()
	ctx, path := t.Context(), filepath.Join(t.TempDir(), "store.db")
	open := func() (*fit.Keeper, *store.Store, *store.Tenant) {
		backend, err := sqlite.Open(ctx, path, nil)
		if err != nil {
			t.Fatal(err)
		}
		s, err := store.New(ctx, backend, nil)
		if err != nil {
			t.Fatal(err)
		}
		tenant := s.Tenant("harbour")
		k, err := fit.New(&fit.Options{
			Meter: token.NewMeter(nil), Window: 12_000, Reserve: new(0), Marks: fit.Watermarks{High: 1, Low: 0.8},
			Archive: tenant, Memory: tenant.Memory(), Rungs: []fit.Rung{&rung.Compact{}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return k, s, tenant
	}
	k, s, _ := open()
	first, err := k.Fit(ctx, fit.Task{Conversation: agentSession(40)})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(history(t, first.Conversation()), summary.CheckpointTag[1:len(summary.CheckpointTag)-1]) {
		t.Fatal("the session was not compacted")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}

	k, s, tenant := open()
	defer s.Close()
	if _, err := s.GC(ctx, store.Policy{Unreferenced: true, Grace: -1}, false); err != nil {
		t.Fatal(err)
	}
	again, err := k.Fit(ctx, fit.Task{Conversation: agentSession(40)})
	if err != nil {
		t.Fatal(err)
	}
	if one, two := history(t, first.Conversation()), history(t, again.Conversation()); one != two {
		t.Errorf("after a restart another history is sent:\n%s\n%s", one, two)
	}
	refs := regexp.MustCompile(`ref=([a-z2-7]{26})`).FindAllStringSubmatch(history(t, again.Conversation()), -1)
	if len(refs) < 2 {
		t.Fatalf("the checkpoint names %d references, want the old messages and some files", len(refs))
	}
	for _, ref := range refs {
		if _, err := tenant.Content(ctx, ref[1]); err != nil {
			t.Errorf("ref=%s: %v", ref[1], err)
		}
	}

	if _, err := k.Undo(ctx, fit.Task{Conversation: agentSession(40)}, refs[len(refs)-1][1]); err != nil {
		t.Fatal(err)
	}
	report, err := s.GC(ctx, store.Policy{Unreferenced: true, Grace: -1}, false)
	if err != nil {
		t.Fatal(err)
	}
	if report.Unreferenced.Objects < int64(len(refs)) || report.After.Objects != 0 {
		t.Errorf("after undoing %d objects were collected and %d are left", report.Unreferenced.Objects, report.After.Objects)
	}
}

func TestALeaseIsHeldByOneUntilItIsReleased(t *testing.T) {
	t.Parallel()
	k := newKit(t)
	memory := k.tenant.Memory()
	release, ok, err := memory.Lease(t.Context(), "checkpoint", time.Minute)
	if err != nil || !ok {
		t.Fatalf("the first one got %v, %v", ok, err)
	}
	if _, ok, err := memory.Lease(t.Context(), "checkpoint", time.Minute); ok || err != nil {
		t.Errorf("a second one got it too: %v, %v", ok, err)
	}
	release()
	again, ok, err := memory.Lease(t.Context(), "checkpoint", time.Minute)
	if !ok || err != nil {
		t.Fatalf("after its release nobody gets it: %v, %v", ok, err)
	}
	again()
}

// TestALeaseLastsAsLongAsTheWorkAndNoLongerThanItsLifeBehindIt holds one for ten times
// its life, and then lets a process die over it.
func TestALeaseLastsAsLongAsTheWorkAndNoLongerThanItsLifeBehindIt(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		k := newKit(t)
		k.memory.now = time.Now
		memory := k.tenant.Memory()
		taken := func() bool {
			release, ok, err := memory.Lease(t.Context(), "checkpoint", time.Minute)
			must(t, err)
			if ok {
				release()
			}
			return ok
		}
		release, ok, err := memory.Lease(t.Context(), "checkpoint", time.Minute)
		if err != nil || !ok {
			t.Fatalf("the first one got %v, %v", ok, err)
		}
		for range 20 {
			time.Sleep(31 * time.Second)
			if taken() {
				t.Fatal("another one got it while the first was at work")
			}
		}
		release()
		if !taken() {
			t.Error("after its release nobody gets it")
		}
		// A process that has died is one that does not renew.
		if ok, err := k.memory.Lease(t.Context(), fmt.Sprintf("%x:checkpoint", k.tenant.ID()), "dead", time.Minute); err != nil || !ok {
			t.Fatalf("the next one got %v, %v", ok, err)
		}
		time.Sleep(59 * time.Second)
		if taken() {
			t.Error("another one got it before it ended")
		}
		time.Sleep(2 * time.Second)
		if !taken() {
			t.Error("nobody gets what a dead process had")
		}
	})
}
