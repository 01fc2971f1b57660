package summary

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/plimsoll/plimsoll"
)

// rounds makes a turn of tool rounds, each of about so many bytes.
func rounds(n, bytes int) []plimsoll.Message {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "Count the crates.")}
	for i := range n {
		id := fmt.Sprint("call", i)
		messages = append(messages, agentCalls(id, "count", "{}"), toolAnswers(id, fmt.Sprintf("crate%d ", i)+strings.Repeat("x", bytes)))
	}
	return messages
}

// narrow is a model with a window that refuses what is larger.
type narrow struct {
	window  int
	says    bool // it says how large its window is
	asked   []Request
	refused int
}

func (*narrow) Name() string { return "narrow" }

func (m *narrow) Summarize(_ context.Context, r *Request) (Summary, error) {
	size := r.Count(Transcript(r.Conversation, r.Old)) + r.Count(Ask(r)) + OutputTokens(r.Budget, m.window)
	if size > m.window {
		m.refused++
		f := &Failure{TooLarge: true, Err: errors.New("too long")}
		if m.says {
			f.Limit = m.window
		}
		return Summary{}, f
	}
	m.asked = append(m.asked, *r)
	return Summary{Text: fmt.Sprintf("Counted up to message %d.", r.Old.End), Usage: plimsoll.Usage{Output: 1}}, nil
}

func TestWhatIsLargerThanTheWindowIsFolded(t *testing.T) {
	t.Parallel()
	for name, tt := range map[string]struct {
		known  int
		says   bool
		refuse bool
	}{
		"a window that is known":              {6000, false, false},
		"one that the refusal tells":          {0, true, true},
		"one that is found out by refusals":   {0, false, true},
		"one that is smaller than it is said": {12000, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := requestOf(Retained, rounds(40, 2000)...)
			r.Budget = 300
			var progress [][2]int
			r.Progress = func(done, all int) { progress = append(progress, [2]int{done, all}) }
			model := &narrow{window: 6000, says: tt.says}
			got, err := Fold{Summarizer: model, Window: tt.known}.Summarize(t.Context(), r)
			if err != nil {
				t.Fatal(err)
			}
			if tt.refuse != (model.refused > 0) || len(model.asked) < 4 {
				t.Errorf("%d refusals, %d chunks", model.refused, len(model.asked))
			}
			at, before := 0, ""
			for i, part := range model.asked {
				if part.Old.Start != at || part.Previous.Text != before || !part.Bare {
					t.Errorf("chunk %d is %v, builds on %q, bare: %v", i, part.Old, part.Previous.Text, part.Bare)
				}
				if at > 0 && part.Conversation.Messages.At(at).Role != plimsoll.Assistant {
					t.Errorf("chunk %d begins with a %s", i, part.Conversation.Messages.At(at).Role)
				}
				at, before = part.Old.End, fmt.Sprintf("Counted up to message %d.", part.Old.End)
			}
			if at != r.Old.End || got.Text != before || got.Usage.Output != len(model.asked) {
				t.Errorf("ended at %d of %d with %q, usage %+v", at, r.Old.End, got.Text, got.Usage)
			}
			last := progress[len(progress)-1]
			if len(progress) != len(model.asked) || last[0] != last[1] || last[0] != len(model.asked) {
				t.Errorf("progress %v", progress)
			}
		})
	}
}

func TestWhatFitsIsAskedForAsItIs(t *testing.T) {
	t.Parallel()
	r := requestOf(Retained, rounds(4, 100)...)
	model := &narrow{window: 60000}
	if _, err := (Fold{Summarizer: model, Window: 60000}).Summarize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	if len(model.asked) != 1 || model.asked[0].Bare || model.asked[0].Old != r.Old {
		t.Errorf("asked %d times", len(model.asked))
	}
}

func TestARoundThatIsLargerThanTheWindowIsSeenWithGaps(t *testing.T) {
	t.Parallel()
	r := requestOf(Retained, rounds(2, 100_000)...)
	r.Budget = 300
	model := &narrow{window: 6000}
	if _, err := (Fold{Summarizer: model, Window: 6000}).Summarize(t.Context(), r); err != nil {
		t.Fatal(err)
	}
	text := Transcript(model.asked[1].Conversation, model.asked[1].Old)
	if !strings.Contains(text, "bytes left out") || !strings.Contains(text, "crate") {
		t.Errorf("got %.200q", text)
	}
	if whole := r.Conversation.Messages.At(2).Parts.At(0).(plimsoll.ToolResult); len(plimsoll.TextOf(whole.Content)) < 100_000 {
		t.Error("the conversation itself was changed")
	}
}

func TestAWindowThatIsTooSmallIsRefused(t *testing.T) {
	t.Parallel()
	model := &narrow{window: 700}
	_, err := Fold{Summarizer: model, Window: 0}.Summarize(t.Context(), requestOf(Retained, rounds(4, 5000)...))
	var f *Failure
	if !errors.As(err, &f) || !f.Final || !errors.Is(err, plimsoll.ErrOverLimit) {
		t.Errorf("got %v", err)
	}
}

func TestTheOutputIsClampedToTheWindow(t *testing.T) {
	t.Parallel()
	got := []int{OutputTokens(1000, 0), OutputTokens(1000, 8000), OutputTokens(1000, 200_000), OutputTokens(0, 1)}
	if diff := cmp.Diff([]int{10192, 4000, 10192, 1}, got); diff != "" {
		t.Error(diff)
	}
}
