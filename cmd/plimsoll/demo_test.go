package main

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/bar"
	"github.com/plimsoll/plimsoll/internal/lab/demo"
	"github.com/plimsoll/plimsoll/transport"
)

// shownRequests are what a demonstration tells: one that passes, one that is cut, and
// one in which the model looks at what was cut.
func shownRequests() []demo.RequestResult {
	ref := strings.Repeat("a1", 13)
	return []demo.RequestResult{
		{N: 1, Of: 3, Does: "read_file docs/design.md", Uncut: 9000, Sent: 9000, Limit: 30000, Decision: "pass", Usage: plimsoll.Usage{Input: 9000}},
		{
			N: 2, Of: 3, Does: "read_file keeper.go, read_file \x1b[2J", Uncut: 40000, Sent: 12000, Limit: 30000, Over: true, Decision: "cut",
			Rungs:  []plimsoll.RungReport{{Rung: "dedupe", Replayed: true, Edits: 2, Saved: 500}, {Rung: "view", Undone: "so"}, {Rung: "clear", Edits: 4, Saved: 28000}, {Rung: "offer", Edits: 2, Saved: -400}},
			Pieces: []demo.Piece{{What: "read_file docs/design.md", Bytes: 9649, Ref: ref}, {What: "grep x", Bytes: 10, Message: true}, {What: "run ls", Bytes: 1}, {What: "x"}, {What: "y"}},
			Refs:   []string{ref}, Usage: plimsoll.Usage{CacheCreation: 6000, CacheRead: 6000},
		},
		{
			N: 3, Of: 3, Does: "answers", Uncut: 99000, Sent: 13000, Limit: 30000, Over: true, Decision: "recall", Warning: "the store was slow",
			Looks: []demo.Look{{Tool: "tool_output_cache", What: "read_file docs/design.md", Ref: ref, Lines: 40, Same: true}, {Tool: "tool_output_cache_grep", What: "grep x", Ref: ref, Lines: 1}},
			Usage: plimsoll.Usage{CacheRead: 13000},
		},
	}
}

func drawn(t *testing.T, d display, gauges bool) string {
	t.Helper()
	var out bytes.Buffer
	s := &show{p: &process{out: bufio.NewWriter(&out)}, d: d, gauges: gauges}
	for _, r := range shownRequests() {
		s.request(r)
	}
	s.report(&demo.Report{
		Dialect: plimsoll.Anthropic, Model: "claude-sonnet-4-5", Window: 32000, Limit: 30000, Requests: 3, Rounds: 2, Uncut: 148000, Sent: 34000,
		LargestUncut: 99000, LargestSent: 13000, Cuts: 1, Pieces: 5, Over: 2, Refs: 1, Same: 1, Looks: 2, SameLooks: 1, Cached: 0.559, Priced: true,
		WouldCost: 2, Cost: 0.5, Net: 1.5, Seconds: 0.04,
	})
	if err := s.p.out.Flush(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

func TestADemonstrationIsDrawnAtAnyWidth(t *testing.T) {
	t.Parallel()
	for _, width := range []int{60, 80, 120} {
		for _, line := range strings.Split(drawn(t, display{width: width, known: true}, true), "\n") {
			if cells := bar.Cells(line); cells > width {
				t.Errorf("width %d: a line has %d: %q", width, cells, line)
			}
		}
	}
}

func TestADemonstrationAsGauges(t *testing.T) {
	t.Parallel()
	const want = `An agent works on the sources of plimsoll: 3 requests, each with the whole
history. The line is at 30,000 tokens. # is sent, - was cut, | is the line.

  1/3 ###          |                        9,000   0%  read_file docs/design.md
  2/3 #####--------|---                    12,000  50%  read_file keeper.go, re~
       cut: 39,600 tokens are over the line, so old outputs become placeholders
         (clear), then the model gets tools to read what was cut (offer): 27,600
         tokens less
         ref=a1a1a1a1a1a1a1a1a1a1a1a1a1  read_file docs/design.md, 9,649 bytes
         with its message  grep x, 10 bytes
         gone  run ls, 1 bytes
         and 2 more
  3/3 #####--------|------------------->   13,000 100%  answers
       hidden from the client: the model calls tool_output_cache for
         ref=a1a1a1a1a1a1a1a1a1a1a1a1a1 (read_file docs/design.md) and gets 40
         lines, as recorded
       hidden from the client: the model calls tool_output_cache_grep for
         ref=a1a1a1a1a1a1a1a1a1a1a1a1a1 (grep x) and gets 1 line, NOT as
         recorded
       warning: the store was slow

requests                                3  anthropic, claude-sonnet-4-5, 0.0 s
would have overflowed without us        2  the window has 32,000 tokens
tokens uncut                      148,000  the largest request 99,000
tokens sent                        34,000  the largest request 13,000
cuts                                    1  5 outputs in all
references                              1  all byte for byte what was recorded
read back by the model                  2  ONLY 1 right, hidden from the client
read from the prompt cache         55.9 %  of what was sent
would have cost                     $2.00  uncut, in a window large enough
did cost                          $0.5000
net saved                           $1.50  75 %, cache rewrites subtracted
`
	if diff := cmp.Diff(want, drawn(t, display{width: 80, known: true, ascii: true}, true)); diff != "" {
		t.Errorf("-want +got\n%s", diff)
	}
}

func TestADemonstrationAsSentences(t *testing.T) {
	t.Parallel()
	got := drawn(t, display{width: 80}, false)
	for _, want := range []string{
		"request 1 of 3: 9,000 tokens; 0.0 % cached; pass; the model: read_file docs/design.md\n",
		"request 2 of 3: 40,000 tokens, sent as 12,000; 50.0 % cached; cut; it would have overflowed; the model: read_file keeper.go, read_file ?[2J\n",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("%q is missing in\n%s", want, got)
		}
	}
	if strings.ContainsAny(got, "█░│\x1b") {
		t.Errorf("there are gauges or colours in\n%s", got)
	}
}

// TestADemonstrationGoesOnServingWhenAsked asks the proxy once the session has been
// played, and ends it.
func TestADemonstrationGoesOnServingWhenAsked(t *testing.T) {
	t.Parallel()
	path, err := exec.LookPath("plimsoll")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), path, "demo", "--serve", "--plain")
	said, err := cmd.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewScanner(said)
	for lines.Scan() && !strings.HasPrefix(lines.Text(), "plimsoll: serving ") {
	}
	address, _, _ := strings.Cut(strings.TrimPrefix(lines.Text(), "plimsoll: serving "), " ")
	body := `{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[{"role":"user","content":"hello"}]}`
	resp, err := http.Post(address+"/v1/messages", "application/json", strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	answer, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 || resp.Header.Get(transport.HeaderDecision) != "pass" || !strings.Contains(string(answer), "I only know my script") {
		t.Errorf("%s, %v, %s", resp.Status, err, answer)
	}
	if runtime.GOOS == "windows" {
		_ = cmd.Process.Kill() // nothing milder is known there
		return
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	for lines.Scan() {
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("it ended with %v", err)
	}
}
