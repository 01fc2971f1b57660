package demo

import (
	"regexp"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func TestTheRecordingIsLongWholeAndSmallInTheTree(t *testing.T) {
	t.Parallel()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	if len(recording) > 300_000 {
		t.Errorf("%d bytes, want at most 300,000", len(recording))
	}
	if n := len(s.steps); n < 40 || n > 80 {
		t.Errorf("the model speaks %d times, want 40 to 80", n)
	}
	if len(s.calls) != len(s.results) || len(s.tools) == 0 || len(s.system) == 0 {
		t.Errorf("%d calls, %d results, %d tools, %d instructions", len(s.calls), len(s.results), len(s.tools), len(s.system))
	}
	load := token.NewMeter(nil).Weigh(plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: "gpt-5", Messages: plimsoll.ListOf(s.messages...)})
	if load.Total < 150_000 {
		t.Errorf("%d tokens, want 150,000 or more", load.Total)
	}
	if last := s.messages[len(s.messages)-1]; last.Role != plimsoll.Assistant || len(callsOf(last)) > 0 {
		t.Errorf("it ends with %s", describe(last))
	}
}

// elsewhere is a path of somebody's machine.
var elsewhere = regexp.MustCompile(`/(?:home|root|Users|work|tmp/tmp)[./][\w./-]*`)

func TestTheRecordingHasNoFailuresAndNoPathsOfAMachine(t *testing.T) {
	t.Parallel()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for id, text := range s.results {
		what := describeCall(s.calls[id])
		if strings.HasPrefix(text, "Error: ") {
			t.Errorf("%s: %.100s", what, text)
		}
		if found := elsewhere.FindString(text); found != "" {
			t.Errorf("%s: names %s", what, found)
		}
	}
}

func TestEachRequestBeginsWithTheBytesOfTheOneBefore(t *testing.T) {
	t.Parallel()
	s, err := load()
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range spoken {
		h, err := render(s, d, d.model)
		if err != nil {
			t.Fatalf("%s: %v", d.name, err)
		}
		before := ""
		for _, step := range s.steps {
			body := string(h.body(step.upTo))
			if !strings.HasPrefix(body, before) {
				t.Fatalf("%s: the request of %d messages begins in another way", d.name, step.upTo)
			}
			before = strings.TrimSuffix(body, string(h.tail))
		}
	}
}

func TestLinesThatCameBackAreHeldAgainstTheText(t *testing.T) {
	t.Parallel()
	const original = "package quay\n\nfunc moor() {}\n"
	for _, tt := range []struct {
		name, answer string
		pattern      string
		lines        int
		same         bool
	}{
		{"all of them", "    1  package quay\n    2  \n    3  func moor() {}\n    4  ", "", 4, true},
		{"some", "    3  func moor() {}", "", 1, true},
		{"with a note", "ref:x\n    3  func moor() {}\n\n[truncated lines: 3] To read on", "", 1, true},
		{"a long one, cut", "    3  func moor...", "", 1, true},
		{"the middle of one", "    3  ...nc moor...", "", 1, true},
		{"the end of one", "    3  ...moor() {}", "", 1, true},
		{"the end of another", "    3  ...moor() { }", "", 1, false},
		{"another text", "    3  func moor() { }", "", 1, false},
		{"another place", "    1  func moor() {}", "", 1, false},
		{"behind the end", "    9  func moor() {}", "", 1, false},
		{"none", "No matches.", "", 0, false},
		{"none of a pattern that is there", "No matches.", "moor", 0, false},
		{"none of a pattern that is not", "No matches.", "sail", 0, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			if lines, same := (Look{answer: tt.answer, pattern: tt.pattern}).compare(original); lines != tt.lines || same != tt.same {
				t.Errorf("%d lines, the same %v", lines, same)
			}
		})
	}
}
