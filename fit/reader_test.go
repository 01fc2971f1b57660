package fit_test

import (
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/testkit"
	"github.com/plimsoll/plimsoll/rung"
)

// allText returns everything that the messages of a plan say.
func allText(p *plimsoll.Plan) string {
	var b strings.Builder
	for _, m := range p.Conversation().Messages.All() {
		b.WriteString(m.Text() + "\n")
		for _, part := range m.Parts.All() {
			if r, ok := part.(plimsoll.ToolResult); ok {
				b.WriteString(plimsoll.TextOf(r.Content) + "\n")
			}
		}
	}
	return b.String()
}

func TestAModelWithoutAToolForReferencesIsShownNone(t *testing.T) {
	t.Parallel()
	questions := func() plimsoll.Conversation {
		messages := talk(40).Messages.Slice()
		return plimsoll.Conversation{Messages: plimsoll.ListOf(append(messages, plimsoll.Say(plimsoll.User, "What did question 3 ask?"))...)}
	}
	for _, tt := range []struct {
		name         string
		conversation plimsoll.Conversation
		window       int
		rung         fit.Rung
		recollect    bool
	}{
		{"placeholders", readings(20), 8000, &rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true, Explain: true}, false},
		{"views", readings(20), 8000, &rung.View{ToFit: true}, false},
		{"checkpoints", readings(20), 6000, &rung.Compact{Tail: 1500, Size: 1200}, false},
		{"receipts", readings(20), 6000, &rung.Slide{}, false},
		{"recollections", questions(), 4000, &rung.Slide{}, true},
	} {
		for _, toolsFirst := range []bool{true, false} {
			k := clearing(t, tt.window, func(o *fit.Options) { o.Rungs, o.Recollect = []fit.Rung{tt.rung}, tt.recollect })
			made := map[bool][]string{}
			for i := range 4 { // the requests share decisions
				tools := toolsFirst == (i%2 == 0)
				task := fit.Task{Conversation: tt.conversation, NoReader: true}
				if tools {
					task = offering(tt.conversation)
				}
				p, err := k.Fit(t.Context(), task)
				testkit.Must(t, err)
				text := allText(p)
				made[tools] = append(made[tools], text)
				if refs, archived := strings.Count(text, "ref="), strings.Count(text, "archived="); tools && (refs == 0 || archived > 0) || !tools && (refs > 0 || archived == 0) {
					t.Errorf("%s, tools first %v, request %d: %d references and %d in the archive:\n%s", tt.name, toolsFirst, i, refs, archived, text)
				}
			}
			for tools, texts := range made {
				if texts[0] != texts[1] {
					t.Errorf("%s, tools %v: the same request got other words:\n%s\n%s", tt.name, tools, texts[0], texts[1])
				}
			}
		}
	}
}

func TestPlaceholdersThatCannotBeReadSayWhatToDo(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		rung fit.Rung
		want string
	}{
		{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true}, "[tool output trimmed; archived="},
		{&rung.Clear{Budget: -1, KeepNewest: 3, ToGoal: true, Explain: true}, "[tool output trimmed; run the tool again if it is needed; archived="},
		{&rung.View{ToFit: true, Explain: true}, "[tool output truncated; run the tool again if it is needed; archived="},
		{&rung.View{All: true, MaxBytes: 100}, "[tool output truncated; the rest was archived; archived="},
	} {
		k := clearing(t, 8000, func(o *fit.Options) { o.Arrival, o.Rungs = []fit.Rung{tt.rung}, []fit.Rung{tt.rung} })
		p, err := k.Fit(t.Context(), fit.Task{Conversation: readings(20), NoReader: true})
		testkit.Must(t, err)
		if text := allText(p); !strings.Contains(text, tt.want) {
			t.Errorf("no %q in\n%s", tt.want, text)
		}
	}
}

func TestWhatAModelCannotReadIsStillFoundWhenItComesBack(t *testing.T) {
	t.Parallel()
	archive := &vault{}
	keeper := func(r fit.Rung) *fit.Keeper {
		return clearing(t, 8000, func(o *fit.Options) { o.Archive, o.Rungs = archive, []fit.Rung{r} })
	}
	c := readings(20)
	blind := func(c plimsoll.Conversation) fit.Task { return fit.Task{Conversation: c, NoReader: true} }
	p, err := keeper(&rung.View{ToFit: true}).Fit(t.Context(), blind(c))
	testkit.Must(t, err)
	original, _ := archive.Ref(t.Context(), c.Messages.At(3).Parts.At(0).(plimsoll.ToolResult).Content)
	if text := allText(p); !strings.Contains(text, "archived="+original.ID) {
		t.Fatalf("the first output was not cut:\n%s", text)
	}
	// A view that the client sends back is no new content.
	sent := p.Conversation()
	messages := sent.Messages.Slice()
	for i, m := range messages {
		if r, ok := m.Parts.At(0).(plimsoll.ToolResult); ok {
			r.Ref = nil
			messages[i] = plimsoll.NewMessage(m.Role, r)
		}
	}
	sent.Messages = plimsoll.ListOf(messages...)
	cleared, err := keeper(&rung.Clear{Budget: 1, KeepNewest: 1, MinReclaim: -1}).Plan(t.Context(), fit.Task{Conversation: sent, Line: &plimsoll.Line{Window: 5000}})
	testkit.Must(t, err)
	if text := allText(cleared); !strings.Contains(text, "[tool output trimmed; ref="+original.ID+"]") {
		t.Errorf("no placeholder with %s:\n%s", original.ID, text)
	}
	// A checkpoint that the client sends back can be undone.
	k := keeper(&rung.Compact{Tail: 1500, Size: 1200})
	made, err := k.Compact(t.Context(), blind(c), fit.CompactOptions{Force: true})
	testkit.Must(t, err)
	back, err := keeper(&rung.Compact{}).Undo(t.Context(), fit.Task{Conversation: made.Plan.Conversation()}, made.Checkpoint.Ref.ID)
	testkit.Must(t, err)
	if got, want := back.Messages.Len(), c.Messages.Len(); got != want {
		t.Errorf("%d messages came back, want %d", got, want)
	}
}
