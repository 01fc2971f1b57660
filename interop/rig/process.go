package rig

import (
	"bytes"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"sync"
	"syscall"
	"testing"
	"time"
)

// binary is built once for all tests of a process, unless PLIMSOLL_BINARY says which
// one to test. Its directory is left to the system, since no test is the last.
var binary = sync.OnceValues(func() (string, error) {
	if file := os.Getenv("PLIMSOLL_BINARY"); file != "" {
		return file, nil
	}
	root, err := moduleRoot()
	if err != nil {
		return "", err
	}
	dir, err := os.MkdirTemp("", "plimsoll-interop")
	if err != nil {
		return "", err
	}
	file := filepath.Join(dir, "plimsoll")
	build := exec.Command("go", "build", "-o", file, "./cmd/plimsoll")
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build plimsoll: %w\n%s", err, out)
	}
	return file, nil
})

// moduleRoot is the directory of the module that this one is nested in.
func moduleRoot() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for filepath.Base(dir) != "interop" {
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", fmt.Errorf("run inside of interop")
		}
		dir = parent
	}
	return filepath.Dir(dir), nil
}

// Binary returns the path of plimsoll.
func Binary(t testing.TB) string {
	t.Helper()
	file, err := binary()
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// Serve starts `plimsoll serve` in front of an upstream, with a store of its own, and
// returns its address. It is ended with the test.
func Serve(t testing.TB, upstream string, flags ...string) string {
	t.Helper()
	return serve(t, upstream, filepath.Join(t.TempDir(), "store.db"), flags...)
}

// serve starts `plimsoll serve` in front of an upstream and returns its address. It is
// ended with the test.
func serve(t testing.TB, upstream, kept string, flags ...string) string {
	t.Helper()
	file, dir := Binary(t), t.TempDir()
	address := FreeAddress(t)
	args := append([]string{"serve", "--listen", address, "--upstream", upstream, "--store", kept}, flags...)
	cmd := exec.Command(file, args...)
	cmd.Env = append(os.Environ(), "HOME="+dir, "XDG_CONFIG_HOME="+dir, "XDG_DATA_HOME="+dir)
	cmd.Dir = dir
	out := &output{}
	cmd.Stdout, cmd.Stderr = out, out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM) // it may have ended
		select {
		case <-ended:
		case <-time.After(20 * time.Second):
			t.Errorf("plimsoll serve did not end when it was asked to")
			_ = cmd.Process.Kill()
		}
		if t.Failed() {
			t.Logf("plimsoll serve said:\n%s", out)
		}
	})
	url := "http://" + address
	for deadline := time.Now().Add(30 * time.Second); ; time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("plimsoll serve ended: %v\n%s", err, out)
		default:
		}
		if r, err := http.Get(url + "/readyz"); err == nil {
			r.Body.Close()
			if r.StatusCode == http.StatusOK {
				return url
			}
		}
		if time.Now().After(deadline) {
			t.Fatalf("plimsoll serve is not ready\n%s", out)
		}
	}
}

// FreeAddress finds a free port of this machine.
func FreeAddress(t testing.TB) string {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	return net.JoinHostPort("127.0.0.1", strconv.Itoa(l.Addr().(*net.TCPAddr).Port))
}

// output collects what a process writes.
type output struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (o *output) Write(p []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.Write(p)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.b.String()
}
