package survival

import (
	"maps"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
)

func TestAtomsAreIdentifiersAndNoWords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"see /home/dev/main.go.":                 "home/dev/main.go",
		"a snake_case word":                      "snake_case",
		"a camelCase word":                       "camelCase",
		"HTTPServer":                             "HTTPServer",
		"id abc123":                              "abc123",
		"README.md":                              "README.md",
		"plain words, UPPERCASE, hyphen-ated":    "",
		"short a_b.c":                            "",
		`{"new_string": "x\n\tfooBar"}`:          "new_string",
		"x" + strings.Repeat("_y", 80) + " done": "",
	} {
		found := Atoms(text)
		if want == "" && len(found) > 0 || want != "" && !found[want] {
			t.Errorf("Atoms(%q) = %v, want %q", text, found, want)
		}
	}
	if !Atoms(`{"s": "\n\tfooBar"}`)["tfooBar"] {
		t.Error("the letter of an escape belongs to the atom, as the research counts")
	}
}

// The research finds atoms with a regular expression.
func TestAtomsAreThoseOfTheExpression(t *testing.T) {
	t.Parallel()
	expression := regexp.MustCompile(`[A-Za-z0-9_][A-Za-z0-9_./\-]{4,}[A-Za-z0-9_]`)
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`([a-zA-Z0-9_./\- \\日é]{0,9}){0,12}`).Draw(t, "text")
		want := map[string]bool{}
		for _, m := range expression.FindAllString(text, -1) {
			if len(m) <= maxAtom && isAtom(m) {
				want[m] = true
			}
		}
		if got := Atoms(text); !maps.Equal(got, want) {
			t.Fatalf("Atoms(%q) = %v, want %v", text, got, want)
		}
	})
}

func TestEstimateFollowsTheResearch(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"":                        0,
		"word":                    1,
		"internationalisation":    3, // 1 + 11/5
		"HTTPServerConfiguration": 4, // HTTP, Server, 1 + 4/5
		"12345":                   2,
		"a b":                     2,
		"a  b":                    3,
		"日本語":                     3,
		"ひらがな":                    3,
		"a.b":                     3,
	} {
		if got := Estimate(text); got != want {
			t.Errorf("Estimate(%q) = %d, want %d", text, got, want)
		}
	}
}

func TestKeptCountsExactAndByBaseName(t *testing.T) {
	t.Parallel()
	e := Event{Needed: []string{"a/b/main.go", "fooBar", "lost_name"}}
	exact, lenient := e.Kept("see x/main.go and fooBar")
	if exact != 1 || lenient != 2 {
		t.Errorf("kept %d exactly and %d by base name, want 1 and 2", exact, lenient)
	}
}

// The research's own program finds 13 compactions with 367 needed identifiers, of
// which the recorded summaries keep 13.9 %, 25.6 % by base name.
func TestTheRecordedCompactionsAreThoseOfTheResearch(t *testing.T) {
	t.Parallel()
	file := filepath.Join(corpora.Dir(t), "corpora", "entire-claude-code", "sessions.jsonl.gz")
	events, err := Events(file, AsWritten)
	if err != nil {
		t.Fatal(err)
	}
	need, exact, lenient := 0, 0, 0
	for _, e := range events {
		x, l := e.Kept(e.Summary)
		need, exact, lenient = need+len(e.Needed), exact+x, lenient+l
	}
	if len(events) != 13 || need != 367 || exact != 51 || lenient != 94 {
		t.Errorf("%d compactions, %d needed, %d kept, %d by base name; want 13, 367, 51, 94", len(events), need, exact, lenient)
	}
}

func TestDecodedArgumentsHaveNoEscapes(t *testing.T) {
	t.Parallel()
	c := plimsoll.ToolCall{Name: "edit", Arguments: `{"new_string":"a\n\tfooBar"}`}
	if got := argumentsOf(c, Decoded); !Atoms(got)["fooBar"] || Atoms(got)["tfooBar"] {
		t.Errorf("decoded: %q", got)
	}
	if got := argumentsOf(c, AsWritten); !Atoms(got)["tfooBar"] {
		t.Errorf("as written: %q", got)
	}
}

func TestWhatTheTailShowsIsNotNeededAtACut(t *testing.T) {
	t.Parallel()
	use := func(id, command, result string) []plimsoll.Message {
		return []plimsoll.Message{
			{Role: plimsoll.Assistant, Parts: plimsoll.ListOf[plimsoll.Part](plimsoll.ToolCall{ID: id, Name: "run", Arguments: `{"command":"` + command + `"}`})},
			{Role: plimsoll.User, Parts: plimsoll.ListOf[plimsoll.Part](plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: result})})},
		}
	}
	old := "old_one old_two old_three old_four old_five in_tail"
	messages := append([]plimsoll.Message{plimsoll.Say(plimsoll.User, "go")}, use("1", "ls", old+strings.Repeat(" word", minBefore-1000))...)
	messages = append(messages, use("2", "ls", "in_tail"+strings.Repeat(" word", 2000))...)
	for range minAfter {
		messages = append(messages, use("3", "cat "+old+" never_seen", "x")...)
	}
	events := cuts("7", messages, AsWritten)
	if len(events) != 1 {
		t.Fatalf("%d cuts, want 1", len(events))
	}
	e := events[0]
	if got := strings.Join(e.Needed, " "); got != "old_five old_four old_one old_three old_two" || e.Old.End != 3 || e.Session != "7" {
		t.Errorf("needed %q after %d old messages of session %s", got, e.Old.End, e.Session)
	}
}
