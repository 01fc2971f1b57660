package wiretest

import (
	"flag"
	"fmt"
	"os"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/corpora"
	"github.com/plimsoll/plimsoll/internal/examples"
	"github.com/plimsoll/plimsoll/internal/transcript"
)

// Sessions returns conversations as people and agents have them: the bundled
// example and, if they are here, some from all over the recorded corpora. If they
// are not, it says so. For a fuzzer they are short.
func Sessions(t testing.TB) []plimsoll.Conversation {
	t.Helper()
	example, err := transcript.Parse(examples.Harbour(), transcript.JSON)
	if err != nil {
		t.Fatal(err)
	}
	all := example.Conversations
	if _, err := corpora.Find(t); err != nil {
		sayLoudly(t, err)
		return shortened(all)
	}
	for _, file := range []string{
		"aider-chats/chats.jsonl.gz", "asdc-ja/dialogs.jsonl.gz", "entire-claude-code/sessions.jsonl.gz",
		"mt-bench-ja/chats.jsonl.gz", "realpersonachat-llm-ja/chats.jsonl.gz", "swe-agent/trajs.jsonl.gz",
		"tau-bench/airline_gpt-4o.jsonl.gz", "tau2-bench/simulations.jsonl.gz",
	} {
		for _, r := range corpora.Spread(t, file, 6) {
			all = append(all, r.Conversation)
		}
	}
	return shortened(all)
}

// shortened keeps one long conversation and the beginnings of the others, or of all
// when fuzzing: a fuzzer spends its time on making long bodies shorter.
func shortened(all []plimsoll.Conversation) []plimsoll.Conversation {
	limit, long := 32<<10, 1
	if fuzzing() {
		limit, long = 2<<10, 0
	}
	for i, c := range all {
		size, keep := 0, 0
		for _, m := range c.Messages.All() {
			size += sizeOf(m)
			if size <= limit {
				keep++
			}
		}
		if size > limit && size < 8*limit && long > 0 {
			long--
			continue
		}
		all[i].Messages = plimsoll.ListOf(c.Messages.Slice()[:keep]...)
	}
	return all
}

func sizeOf(m plimsoll.Message) int {
	size := 0
	for _, p := range m.Parts.All() {
		switch p := p.(type) {
		case plimsoll.Text:
			size += len(p.Text)
		case plimsoll.ToolCall:
			size += len(p.Arguments)
		case plimsoll.ToolResult:
			size += len(plimsoll.TextOf(p.Content))
		}
	}
	return size
}

// sayLoudly is heard in the log of a test, and at once on the terminal of a fuzzer.
func sayLoudly(t testing.TB, err error) {
	t.Helper()
	t.Logf("NOT CHECKED: no recorded sessions: %v", err)
	if fuzzing() {
		fmt.Fprintln(os.Stderr, "NOT CHECKED: fuzzing without recorded sessions:", err)
	}
}

func fuzzing() bool {
	f := flag.Lookup("test.fuzz")
	return f != nil && f.Value.String() != ""
}
