package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"runtime/debug"
	"strings"
	"syscall"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll/internal/transcript"
)

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func TestOutputThatNobodyReadsIsNoError(t *testing.T) {
	t.Parallel()
	for _, tc := range []struct {
		name   string
		err    error
		status int
		want   string
	}{
		{"the reader has gone", &fs.PathError{Op: "write", Path: "pipe", Err: syscall.EPIPE}, 0, ""},
		{"the pipe is closed", io.ErrClosedPipe, 0, ""},
		{"the disk is full", errors.New("disk is full"), 1, "plimsoll: write the output: disk is full\n"},
	} {
		for _, args := range [][]string{{"models"}, {"models", "--json"}, {"count", "--example"}, {"--help"}} {
			var problems bytes.Buffer
			status := run(&process{args: args, stdout: failingWriter{tc.err}, stderr: &problems})
			if status != tc.status || problems.String() != tc.want {
				t.Errorf("%s, %s: status %d, %q; want %d, %q", tc.name, args, status, problems.String(), tc.status, tc.want)
			}
		}
	}
}

func TestStreamedTextCountsLikeTextInMemory(t *testing.T) {
	t.Parallel()
	text := strings.Repeat("Berth 4 is free until 21:00. 岸壁は空いています。\n", 200)
	total := func(stdin io.Reader, args ...string) int {
		var out, problems bytes.Buffer
		if status := run(&process{args: append([]string{"count", "--json"}, args...), stdin: stdin, stdout: &out, stderr: &problems}); status != 0 {
			t.Fatalf("status %d: %s", status, &problems)
		}
		var r weighed
		if err := json.Unmarshal(out.Bytes(), &r); err != nil {
			t.Fatal(err)
		}
		return r.Total
	}
	want := total(strings.NewReader(text))
	if got := total(iotest.OneByteReader(strings.NewReader(text)), "--format", "text"); got != want || got < 1000 {
		t.Errorf("streamed %d, in memory %d", got, want)
	}
}

func TestReadErrorsEndWithStatusOne(t *testing.T) {
	t.Parallel()
	for _, args := range [][]string{{"count"}, {"count", "--format", "text"}} {
		var problems bytes.Buffer
		status := run(&process{args: args, stdin: &failingFile{}, stdout: io.Discard, stderr: &problems})
		if status != 1 || problems.String() != "plimsoll: count standard input: input/output error\n" {
			t.Errorf("%s: status %d, %q", args, status, problems.String())
		}
	}
}

// failingFile fails as a file on a broken disk does.
type failingFile struct{}

func (*failingFile) Read([]byte) (int, error) {
	return 0, &fs.PathError{Op: "read", Path: "disk", Err: syscall.EIO}
}

func TestC03_ListsOfModelsComeFromAddresses(t *testing.T) {
	t.Parallel()
	var list strings.Builder
	list.WriteString(`{"harbour-9": {"mode": "chat", "litellm_provider": "saltmere", "max_input_tokens": 77000}`)
	for i := range 25 {
		fmt.Fprintf(&list, `, "broken-%d": {"mode": "chat", "max_input_tokens": "\u001b[2J"}`, i)
	}
	list.WriteString("}")
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/list.json" {
			http.NotFound(w, r)
			return
		}
		io.WriteString(w, list.String())
	}))
	t.Cleanup(server.Close)
	var out, problems bytes.Buffer
	status := run(&process{args: []string{"models", "--from", server.URL + "/list.json", "harbour-9"}, stdout: &out, stderr: &problems})
	if status != 0 || !strings.Contains(out.String(), "77,000") {
		t.Errorf("status %d\n%s", status, &out)
	}
	lines := strings.Split(strings.TrimSpace(problems.String()), "\n")
	if last := lines[len(lines)-1]; len(lines) != 4 || !strings.HasPrefix(last, "plimsoll: skipped 22 more entries of ") {
		t.Errorf("%d lines, the last is %q", len(lines), last)
	}
	if strings.Contains(problems.String(), "\x1b") {
		t.Errorf("a list can steer the terminal: %q", problems.String())
	}
	problems.Reset()
	status = run(&process{args: []string{"models", "--from", server.URL + "/none"}, stdout: &out, stderr: &problems})
	if status != 2 || !strings.Contains(problems.String(), "404 Not Found\nhint: ") {
		t.Errorf("a missing list: status %d, %q", status, problems.String())
	}
}

func TestVersionsAreWhatTheToolchainRecorded(t *testing.T) {
	t.Parallel()
	info := &debug.BuildInfo{
		Main: debug.Module{Version: "v1.2.3"},
		Settings: []debug.BuildSetting{
			{Key: "vcs.revision", Value: "0123456789abcdef0123"},
			{Key: "vcs.time", Value: "2026-11-01T00:00:00Z"},
			{Key: "vcs.modified", Value: "true"},
		},
	}
	b := buildOf(info)
	if b.Version != "v1.2.3" || b.Commit != "0123456789abcdef0123" || !b.Modified {
		t.Errorf("got %+v", b)
	}
	if got, want := b.commit(), ", commit 0123456789ab of 2026-11-01T00:00:00Z with local changes"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	for _, info := range []*debug.BuildInfo{nil, {}} {
		if b := buildOf(info); b.Version != "(devel)" || b.commit() != "" || b.Go == "" {
			t.Errorf("without a record: %+v", b)
		}
	}
}

func TestTheLastSettingOfAVariableCounts(t *testing.T) {
	t.Parallel()
	p := &process{environ: []string{"A=1", "AB=2", "A=3", "B="}}
	got := []string{p.getenv("A"), p.getenv("AB"), p.getenv("B"), p.getenv("C")}
	if diff := cmp.Diff([]string{"3", "2", "", ""}, got); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestNumbersAreWrittenForPeople(t *testing.T) {
	t.Parallel()
	for n, want := range map[int]string{0: "0", 999: "999", 1000: "1,000", 128000: "128,000", 1048576: "1,048,576", -4321: "-4,321", -12: "-12"} {
		if got := grouped(n); got != want {
			t.Errorf("grouped(%d) = %q, want %q", n, got, want)
		}
	}
	for seconds, want := range map[int]string{1: "1 second", 90: "90 seconds", 300: "5 minutes", 3600: "1 hour", 86400: "24 hours"} {
		if got := duration(seconds); got != want {
			t.Errorf("duration(%d) = %q, want %q", seconds, got, want)
		}
	}
}

// FuzzInput reads anything as a transcript: it is counted or refused, never both,
// and what is counted adds up and can be shown.
func FuzzInput(f *testing.F) {
	f.Add([]byte("hello"), "auto")
	f.Add([]byte(`[{"role": "user", "content": "hi"}]`), "auto")
	f.Add([]byte(" \n{\"messages\": [\n{\"role\": \"user\",}]}"), "auto")
	f.Add([]byte("{\"role\": \"user\", \"content\": 1}\n{"), "jsonl")
	f.Add([]byte("\xef\xbb\xbf[{"), "json")
	settings, err := (&process{}).loadSettings(&cli{}, nil)
	if err != nil {
		f.Fatal(err)
	}
	w, err := newWeigher(f.Context(), &process{}, &countCmd{}, settings, nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte, format string) {
		in := input{"fuzz", func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }}
		reports, err := w.weigh(in, transcript.Format(format), "auto")
		if (err == nil) != (len(reports) > 0) {
			t.Fatalf("%d reports and error %v", len(reports), err)
		}
		for _, r := range reports {
			sum := 0
			for _, s := range r.Space {
				sum += s.Tokens
			}
			if r.Format != "text" && sum != r.Total {
				t.Fatalf("the space of all kinds is %d of %d tokens", sum, r.Total)
			}
			showReport(bufio.NewWriter(io.Discard), display{width: 80}, r, 5)
		}
	})
}
