package chat_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

// again opens the session of a table as another process would, without the options
// that it was begun with.
func (tt *table) again() {
	tt.t.Helper()
	if err := tt.engine.Close(); err != nil {
		tt.t.Fatal(err)
	}
	tt.o.Session = tt.engine.Session()
	tt.o.Participants, tt.o.System, tt.o.Method, tt.o.Limit = nil, "", "", 0
	tt.o.Parse = func(spec string) (chat.Participant, error) {
		return chat.ParseParticipant(spec, func(string) string { return "" })
	}
	tt.open()
}

func TestASessionGoesOnWhereItEnded(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(200))
	tt.invite("gemini", chatter(20))
	tt.o.System = "Be brief."
	tt.open()
	tt.do("@all One?")
	tt.do("@gemini Two?")
	tt.do("/limit 5,000")
	tt.do("/method hybrid")
	tt.do("@all Three?")
	tt.do("/pin 2")
	tt.do("Four?")
	tt.do("/compress")
	tt.do("Five?")
	want, gauges := tt.engine.Turns(), tt.engine.Gauges()
	tt.again()
	if diff := cmp.Diff(want, tt.engine.Turns()); diff != "" {
		t.Errorf("the turns of the session that goes on (-before +after):\n%s", diff)
	}
	if diff := cmp.Diff(gauges, tt.engine.Gauges()); diff != "" {
		t.Errorf("gauges (-before +after):\n%s", diff)
	}
	tt.engine.Greet(func(e chat.Event) { tt.events = append(tt.events, e) })
	if text := tt.notice(chat.NoticeDone); !strings.Contains(text, "continuing session") || !strings.Contains(text, "5 turns") {
		t.Errorf("the greeting is %q", text)
	}
	tt.do("/undo")
	if n := len(tt.engine.Turns()); n != 5 {
		t.Errorf("after /undo there are %d turns, want 5", n)
	}
	tt.do("Six?")
}

func TestACrashLosesAtMostTheLineThatWasBeingWritten(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(20))
	tt.open()
	tt.do("One?")
	tt.do("Two?")
	path := filepath.Join(tt.o.Sessions, tt.engine.Session()+".jsonl")
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.SplitAfter(strings.TrimSuffix(string(whole), "\n"), "\n")
	for cut := len(whole); cut > len(lines[0]); cut -= 61 {
		if err := os.WriteFile(path, whole[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		complete := strings.Count(string(whole[:cut]), `"kind":"ask"`)
		tt.again()
		turns := tt.engine.Turns()
		if len(turns) > complete || len(turns) < complete-1 {
			t.Fatalf("cut at %d: %d turns of %d", cut, len(turns), complete)
		}
		tt.do("Still there?")
		tt.again()
		if got := tt.engine.Turns(); len(got) != len(turns)+1 || got[len(got)-1].Question != "Still there?" {
			t.Fatalf("cut at %d: what was said after it is not kept: %+v", cut, got)
		}
	}
}

func TestWhatCameOfAnAnswerSurvivesACrash(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("anthropic", &scripted.Options{Script: scripted.Steps(
		scripted.Step{Text: strings.Repeat("word ", 3000), Pace: 1e6}, scripted.Say("Whole."))})
	tt.open()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	path := filepath.Join(tt.o.Sessions, tt.engine.Session()+".jsonl")
	var disk []byte
	said := 0
	err := tt.engine.Do(ctx, "Talk.", func(e chat.Event) {
		if s, ok := e.(chat.Said); ok && disk == nil {
			if said += len(s.Text); said > 9000 {
				disk, _ = os.ReadFile(path) // what a kill would leave
				cancel()
			}
		}
	})
	if err != nil || disk == nil {
		t.Fatal(err, len(disk))
	}
	if err := os.WriteFile(path, disk, 0o600); err != nil {
		t.Fatal(err)
	}
	tt.again()
	r := tt.engine.Turns()[0].Replies[0]
	if len(r.Text) < 4000 || r.Failure == "" {
		t.Errorf("%d bytes of the answer are left, failure %q", len(r.Text), r.Failure)
	}
	tt.do("/retry")
	if r := tt.engine.Turns()[0].Replies[0]; r.Text != "Whole." || r.Failure != "" {
		t.Errorf("after /retry the reply is %.40q, failure %q", r.Text, r.Failure)
	}
	tt.again()
	if r := tt.engine.Turns()[0].Replies[0]; r.Text != "Whole." {
		t.Errorf("on the disk the reply is %.40q", r.Text)
	}
}

func TestSessionsAreListedNewestFirst(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.open()
	tt.do("The first one?")
	tt.open()
	tt.do("The second one?")
	tt.do("And more?")
	tt.open() // says nothing, so it is no session
	list, err := chat.Sessions(tt.o.Sessions)
	if err != nil {
		t.Fatal(err)
	}
	var titles []string
	for _, s := range list {
		titles = append(titles, s.Title)
	}
	if diff := cmp.Diff([]string{"The second one?", "The first one?"}, titles); diff != "" {
		t.Error(diff)
	}
	if list[0].Turns != 2 {
		t.Errorf("turns: %d, want 2", list[0].Turns)
	}
}

func TestSessionsHoldNoKeys(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.o.Participants[0].Key = "sk-secret-of-somebody"
	tt.open()
	tt.do("Hello?")
	data, err := os.ReadFile(filepath.Join(tt.o.Sessions, tt.engine.Session()+".jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(data), "sk-secret") {
		t.Error("the session holds the key")
	}
	if got := tt.models["openai"].Log()[0].Header.Get("Authorization"); got != "Bearer sk-secret-of-somebody" {
		t.Errorf("the server got %q", got)
	}
}

func TestASessionThatCannotBeWrittenTakesNoLine(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	blocked := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(blocked, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	tt.o.Sessions = filepath.Join(blocked, "sessions")
	tt.open()
	if err := tt.try("Hello?"); plimsoll.HintOf(err) == "" {
		t.Errorf("error %v, want one with a hint", err)
	}
	if n := len(tt.requests("openai")); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

func TestSaveAndLoadGiveTheSameConversation(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(20))
	tt.o.System = "Be brief."
	tt.open()
	tt.do("One?")
	tt.do("Two?")
	want := tt.engine.Turns()
	file := filepath.Join(t.TempDir(), "talk.jsonl")
	tt.do("/save " + file)
	if err := tt.try("/save " + file); err == nil {
		t.Error("/save writes over a file")
	}
	tt.do("/clear")
	tt.do("/system Be wordy.")
	tt.do("Three?")
	tt.do("/load " + file)
	if diff := cmp.Diff(want, tt.engine.Turns()); diff != "" {
		t.Error(diff)
	}
	tt.do("/system")
	if text := tt.notice(chat.NoticeData); text != "Be brief." {
		t.Errorf("system prompt %q", text)
	}
	tt.do("/undo")
	if turns := tt.engine.Turns(); len(turns) != 1 || turns[0].Question != "Three?" {
		t.Errorf("after /undo: %+v", turns)
	}
	tt.do("/undo")
	if diff := cmp.Diff(want, tt.engine.Turns()[:2]); diff != "" {
		t.Error(diff)
	}
	tt.do("/load " + tt.engine.Session())
}
