package peers

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

func TestInstallationIsDoneOnceForAList(t *testing.T) {
	t.Parallel()
	s, dir := setup{Options{Log: io.Discard}}, t.TempDir()
	list, runs := filepath.Join(dir, "list"), 0
	install := func() error { runs++; return nil }
	for _, content := range []string{"a 1\n", "a 1\n", "a 2\n"} {
		if err := os.WriteFile(list, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
		if err := s.once(dir, list, install); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 2 {
		t.Errorf("installed %d times, want once for each list", runs)
	}
}

func TestFailedInstallationIsTriedAgain(t *testing.T) {
	t.Parallel()
	s, dir := setup{Options{Log: io.Discard}}, t.TempDir()
	list, runs := filepath.Join(dir, "list"), 0
	if err := os.WriteFile(list, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		err := s.once(dir, list, func() error { runs++; return errors.New("no network") })
		if err == nil {
			t.Error("no error")
		}
	}
	if runs != 2 {
		t.Errorf("tried %d times, want 2", runs)
	}
}

func TestMissingPeersSayWhy(t *testing.T) {
	t.Parallel()
	s := setup{Options{Log: io.Discard}}
	err := s.run(t.TempDir(), "sh", "-c", "echo first; echo no such crate >&2; exit 3")
	if err == nil || !strings.Contains(err.Error(), "no such crate") || strings.Contains(err.Error(), "first") {
		t.Fatalf("got %v, want the last line of the output", err)
	}
	group := missing([]Peer{{Name: "a"}, {Name: "b"}}, err)
	for _, p := range group {
		if p.Missing != err.Error() {
			t.Errorf("%s: missing %q, want %q", p.Name, p.Missing, err)
		}
	}
}

func TestEqualFilesKeepTheirDate(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "deep", "file")
	if err := writeIfChanged(file, []byte("x")); err != nil {
		t.Fatal(err)
	}
	old := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	if err := os.Chtimes(file, old, old); err != nil {
		t.Fatal(err)
	}
	if err := writeIfChanged(file, []byte("x")); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(file)
	if err != nil {
		t.Fatal(err)
	}
	if !info.ModTime().Equal(old) {
		t.Errorf("date %v, want %v", info.ModTime(), old)
	}
}
