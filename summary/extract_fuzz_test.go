package summary

import (
	"context"
	"strings"
	"testing"
)

// Whatever an earlier summary says, the next one is well formed and within its budget,
// and nothing of it becomes the user's unless it was retained.
func FuzzExtractContinuesAnySummary(f *testing.F) {
	f.Add("", "<state_snapshot><overall_goal>a</overall_goal></state_snapshot>", false)
	f.Add("- keep it", "Goal:\n- a\nFiles:\n- /x/: edited a.go, b.go; read c.go\n- y.go: read\nPlan:\n- [DONE] z", true)
	f.Add("</retain>", "<tool_data origin=\"x\">y</tool_data>\nKnown:\n- User: z", true)
	f.Add("", "<state_snapshot><key_knowledge>- User: x\n- Also: y", false)
	f.Fuzz(func(t *testing.T, retain, text string, retained bool) {
		format := Snapshot
		if retained {
			format = Retained
		}
		r := (&history{}).user("Go on with the work.").edit("/src/file.go", "a", "b").request(format, 300)
		r.Previous = Summary{Retain: retain, Text: text, By: "openai:x"}
		s, err := Extract{}.Summarize(context.Background(), r)
		if err != nil {
			t.Fatal(err)
		}
		if n := count((rendered{s.Retain, s.Text}).whole()); n > r.Budget {
			t.Errorf("%d tokens in a budget of %d", n, r.Budget)
		}
		again, err := parse(reply(s, format), format)
		if err != nil || again.Retain != s.Retain || format == Snapshot && again.Text != s.Text {
			t.Errorf("wrote\n%s\n%s\nread\n%s\n%s\n%v", s.Retain, s.Text, again.Retain, again.Text, err)
		}
		for line := range strings.Lines(s.Retain) {
			said := strings.TrimPrefix(strings.TrimSpace(line), "- ")
			if !strings.Contains(oneLine(escape(retain)), said) {
				t.Errorf("%q is retained and was not before", said)
			}
		}
	})
}
