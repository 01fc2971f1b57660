// Package agent starts real agents, each in a home of its own, with nothing in its
// environment but what it needs: where the model is, a key that opens nothing, and
// every switch that keeps it from calling home.
package agent

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/interop/npm"
)

// Agent is a program that works by asking a model.
type Agent struct {
	// Name of the program, and the API that it is made to speak.
	Name    string
	Dialect plimsoll.Dialect
	// Set is where it comes from; see package npm.
	Set string
	// command is what to run; the prompt is the last argument.
	command func(dir, node string) []string
	// files are its settings, by their place in its home.
	files func(url string) map[string]any
	// env is what it needs beside the usual.
	env func(home, url string) []string
}

// Key is the credential that all of them send.
const Key = "sk-interop-0000000000000000"

// Run is how an agent ended.
type Run struct {
	Output  string
	Err     error
	Elapsed time.Duration
}

// Start lets an agent do what the prompt says in a directory, and waits until it has
// ended. The url is that of the model, without a path.
func (a *Agent) Start(t testing.TB, url, work, prompt string, most time.Duration) Run {
	t.Helper()
	node, dir := npm.Node(t), npm.Install(t, a.Set)
	home := t.TempDir()
	if err := a.settle(home, url); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), most)
	defer cancel()
	args := append(a.command(filepath.Join(dir, "node_modules"), node), prompt)
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = work
	cmd.Env = append(environment(home, filepath.Dir(node)), a.env(home, url)...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = 5 * time.Second
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	begin := time.Now()
	err := cmd.Run()
	if ctx.Err() != nil {
		err = errors.Join(fmt.Errorf("it had not ended after %s", most), err)
	}
	if cmd.Process != nil {
		_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) // whatever it left behind
	}
	return Run{Output: out.String(), Err: err, Elapsed: time.Since(begin)}
}

// settle writes the settings of an agent into its home.
func (a *Agent) settle(home, url string) error {
	if a.files == nil {
		return nil
	}
	for name, content := range a.files(url) {
		file := filepath.Join(home, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			return err
		}
		data, ok := content.(string)
		if !ok {
			encoded, err := json.Marshal(content)
			if err != nil {
				return err
			}
			data = string(encoded)
		}
		if err := os.WriteFile(file, []byte(data), 0o600); err != nil {
			return err
		}
	}
	return nil
}

// environment is what every agent gets. Whatever is not on this machine is behind a
// proxy that nobody runs.
func environment(home, bin string) []string {
	const nowhere = "http://127.0.0.1:9"
	return []string{
		"HOME=" + home, "USERPROFILE=" + home, "TMPDIR=" + home, "SHELL=/bin/sh",
		"XDG_CONFIG_HOME=" + filepath.Join(home, ".config"), "XDG_DATA_HOME=" + filepath.Join(home, ".local/share"),
		"XDG_CACHE_HOME=" + filepath.Join(home, ".cache"), "XDG_STATE_HOME=" + filepath.Join(home, ".local/state"),
		"PATH=" + bin + string(os.PathListSeparator) + os.Getenv("PATH"),
		"LANG=C.UTF-8", "TERM=dumb", "NO_COLOR=1", "CI=1",
		"HTTPS_PROXY=" + nowhere, "https_proxy=" + nowhere, "NO_PROXY=127.0.0.1,localhost", "no_proxy=127.0.0.1,localhost",
	}
}

// platform is how packages with programs in them are named.
func platform() string {
	arch := runtime.GOARCH
	if arch == "amd64" {
		arch = "x64"
	}
	return runtime.GOOS + "-" + arch
}
