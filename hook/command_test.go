//go:build unix

package hook_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/hook"
)

// shell returns a hook that runs a script.
func shell(t *testing.T, script string, o *hook.Options) *hook.Hook {
	t.Helper()
	h, err := hook.Command([]string{"sh", "-c", script}, o)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

func TestG14_ACommandIsToldBeforeACompaction(t *testing.T) {
	t.Parallel()
	for _, content := range []bool{false, true} {
		dir := t.TempDir()
		if _, err := shell(t, "cat > notice", &hook.Options{Dir: dir, Content: content}).PreCompress(t.Context(), about()); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(filepath.Join(dir, "notice"))
		if err != nil {
			t.Fatal(err)
		}
		want := wantBefore
		if content {
			want = withContent(want)
		}
		sameJSON(t, want, got)
		if strings.Contains(string(got), secret) != content {
			t.Errorf("content %v: %s", content, got)
		}
	}
}

func TestG15_ACommandIsToldWhatBecameOfACompaction(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	if err := shell(t, "cat > notice; echo thanks", &hook.Options{Dir: dir, Content: true}).PostCompress(t.Context(), outcome()); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "notice"))
	if err != nil {
		t.Fatal(err)
	}
	sameJSON(t, wantAfter, got)
}

func TestG14_WhatACommandAnswersCounts(t *testing.T) {
	t.Parallel()
	checkAnswers(t, func(t *testing.T, said string) asker {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "answer"), []byte(said), 0o600); err != nil {
			t.Fatal(err)
		}
		return shell(t, "cat answer", &hook.Options{Dir: dir})
	})
}

func TestOnlyStatusTwoIsAVeto(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct{ name, script, veto, fails string }{
		{"status 2 with words", "echo not now >&2; echo '{'; exit 2", "not now", ""},
		{"status 2 without words", "exit 2", "exit status 2", ""},
		{"status 1", "echo no disk >&2; exit 1", "", "exit status 1: no disk"},
		{"a signal", "kill -9 $$", "", "signal: killed"},
		{"a veto that fails", `echo '{"veto":"x"}'; exit 3`, "", "exit status 3"},
		{"one that leaves something running", `sleep 3 & echo '{"veto":"wait"}'`, "wait", ""},
		{"one that reads nothing", "exec <&-; echo '{}'", "", ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			got, err := shell(t, tt.script, nil).PreCompress(t.Context(), about())
			if got.Veto != tt.veto {
				t.Errorf("veto %q, want %q", got.Veto, tt.veto)
			}
			expectError(t, err, tt.fails)
		})
	}
	if err := shell(t, "echo no >&2; exit 2", nil).PostCompress(t.Context(), outcome()); err == nil {
		t.Error("a veto afterwards is no error")
	}
}

func TestACommandThatIsNotThereIsNoVeto(t *testing.T) {
	t.Parallel()
	h, err := hook.Command([]string{filepath.Join(t.TempDir(), "none")}, nil)
	if err != nil {
		t.Fatal(err)
	}
	got, err := h.PreCompress(t.Context(), about())
	if got.Veto != "" || err == nil {
		t.Errorf("veto %q, error %v", got.Veto, err)
	}
	if _, err := hook.Command(nil, nil); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("no command: %v", err)
	}
}

func TestACommandThatTakesTooLongIsKilled(t *testing.T) {
	t.Parallel()
	_, err := shell(t, "sleep 6000", &hook.Options{Timeout: 50 * time.Millisecond}).PreCompress(t.Context(), about())
	expectError(t, err, "took more than 50ms")
}

// TestWhatACommandStartedIsKilledWithIt runs a command that leaves a process behind
// and waits for it. The test reads the process's number from a named pipe before it ends
// the command.
func TestWhatACommandStartedIsKilledWithIt(t *testing.T) {
	t.Parallel()
	pipe := filepath.Join(t.TempDir(), "child")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() {
		_, err := shell(t, "sleep 6000 & echo $! > child; wait", &hook.Options{Dir: filepath.Dir(pipe), Timeout: time.Hour}).PreCompress(ctx, about())
		ended <- err
	}()
	text, err := os.ReadFile(pipe)
	if err != nil {
		t.Fatal(err)
	}
	pid, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	for end := time.Now().Add(2 * time.Minute); alive(pid); time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", pid)
		}
	}
}

// alive reports whether a process runs; one that only waits to be buried does not.
func alive(pid int) bool {
	if syscall.Kill(pid, 0) != nil {
		return false
	}
	stat, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	return err != nil || !strings.Contains(string(stat), ") Z ")
}

func TestACallerThatGoesAwayEndsTheCommand(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := shell(t, "sleep 60", nil).PreCompress(ctx, about())
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}
