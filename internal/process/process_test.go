//go:build unix

package process_test

import (
	"context"
	"errors"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll/internal/process"
)

func TestWhatACommandStartedEndsWithItsContext(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cmd := process.Command(ctx, "sh", "-c", "sleep 6000 & echo $!; wait")
	out := &signalled{Head: process.Head{Limit: 100}, written: make(chan struct{})}
	cmd.Stdout = out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	<-out.written
	cancel()
	if err := cmd.Wait(); err == nil {
		t.Error("it ended well")
	}
	child, err := strconv.Atoi(strings.TrimSpace(string(out.Data)))
	if err != nil {
		t.Fatal(err)
	}
	// A child whose parent is gone is buried by the system, if it is one that does.
	for end := time.Now().Add(2 * time.Minute); !errors.Is(syscall.Kill(child, 0), syscall.ESRCH) && !zombie(child); time.Sleep(10 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("process %d is still there", child)
		}
	}
}

func zombie(pid int) bool {
	out, err := exec.Command("ps", "-o", "stat=", "-p", strconv.Itoa(pid)).Output()
	return err == nil && strings.HasPrefix(strings.TrimSpace(string(out)), "Z")
}

// signalled says when something was written.
type signalled struct {
	process.Head
	written chan struct{}
}

func (s *signalled) Write(p []byte) (int, error) {
	n, err := s.Head.Write(p)
	close(s.written)
	return n, err
}

func TestAHeadKeepsTheBeginning(t *testing.T) {
	t.Parallel()
	h := &process.Head{Limit: 5}
	for _, s := range []string{"abc", "de"} {
		if n, err := h.Write([]byte(s)); n != len(s) || err != nil || h.More {
			t.Fatalf("%d %v %v", n, err, h.More)
		}
	}
	if n, err := h.Write([]byte("fg")); n != 2 || err != nil || !h.More || string(h.Data) != "abcde" {
		t.Errorf("%d %v %v %q", n, err, h.More, h.Data)
	}
}
