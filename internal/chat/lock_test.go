package chat_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
)

// kept is a table whose session is on the disk, and the file that is locked for it.
func kept(t *testing.T) (tt *table, locked string) {
	t.Helper()
	tt = newTable(t)
	tt.invite("openai", chatter(20))
	tt.open()
	tt.do("One?")
	return tt, filepath.Join(tt.o.Sessions, tt.engine.Session()+".lock")
}

func TestASessionIsOpenInOneProcessAtATime(t *testing.T) {
	t.Parallel()
	tt, locked := kept(t)
	second := tt.o
	second.Session = tt.engine.Session()
	_, err := chat.New(t.Context(), &second)
	if err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d has it open since 20", os.Getpid())) {
		t.Errorf("the second one hears %v", err)
	}
	if hint := plimsoll.HintOf(err); !strings.Contains(hint, "end that chat") || !strings.Contains(hint, "--session") {
		t.Errorf("it is told %q", hint)
	}
	if err := os.WriteFile(locked, []byte("who?"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := chat.New(t.Context(), &second); err == nil || !strings.Contains(err.Error(), "another process has it open") {
		t.Errorf("of a holder that cannot be read it hears %v", err)
	}
	tt.do("Two?")
	tt.again()
	if n := len(tt.engine.Turns()); n != 2 {
		t.Errorf("once it is closed it goes on with %d turns, want 2", n)
	}
	if err := tt.engine.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(locked); err == nil {
		t.Error("the lock is left behind")
	}
}

func TestALockThatACrashLeftKeepsNobodyOut(t *testing.T) {
	t.Parallel()
	tt, locked := kept(t)
	if err := tt.engine.Close(); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(locked, []byte(`{"pid":1,"since":"2026-01-02T03:04:05Z","host":"elsewhere, with a long name"}`), 0o600); err != nil {
		t.Fatal(err)
	}
	tt.again()
	second := tt.o
	if _, err := chat.New(t.Context(), &second); err == nil || !strings.Contains(err.Error(), fmt.Sprintf("process %d has", os.Getpid())) {
		t.Errorf("the lock is not ours: %v", err)
	}
}

func TestAChatThatDoesNotBeginHoldsNoLock(t *testing.T) {
	t.Parallel()
	tt, _ := kept(t)
	if err := tt.engine.Close(); err != nil {
		t.Fatal(err)
	}
	broken := tt.o
	broken.Session, broken.Method = tt.engine.Session(), "magic"
	if _, err := chat.New(t.Context(), &broken); err == nil {
		t.Fatal("a method that there is not is taken")
	}
	tt.again()
}

func TestASessionThatIsNotThereLeavesNoLock(t *testing.T) {
	t.Parallel()
	tt, _ := kept(t)
	missing := tt.o
	missing.Session = "nothing"
	if _, err := chat.New(t.Context(), &missing); plimsoll.CodeOf(err) != plimsoll.CodeNotFound {
		t.Errorf("%v", err)
	}
	if _, err := os.Stat(filepath.Join(tt.o.Sessions, "nothing.lock")); err == nil {
		t.Error("there is a lock for it")
	}
}
