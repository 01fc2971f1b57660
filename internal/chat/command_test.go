package chat_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
)

func TestEveryCommandIsKnownAndExplained(t *testing.T) {
	t.Parallel()
	for _, c := range chat.Commands() {
		t.Run(c.Name, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite("openai", nil)
			tt.open()
			if err := tt.try("/" + c.Name); err != nil && strings.Contains(err.Error(), "no such command") {
				t.Errorf("%v", err)
			} else if err != nil && !errors.Is(err, chat.ErrQuit) && plimsoll.HintOf(err) == "" {
				t.Errorf("%v has no hint", err)
			}
			tt.do("/help " + c.Name)
			if text := tt.notice(chat.NoticeText); !strings.HasPrefix(text, "/"+c.Name) || !strings.Contains(text, c.Help) {
				t.Errorf("help: %q", text)
			}
		})
	}
}

func TestAnUnknownCommandIsNotSent(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.open()
	err := tt.try("/comp all of it")
	if err == nil || !strings.Contains(plimsoll.HintOf(err), "/compress") {
		t.Errorf("error %v, hint %q", err, plimsoll.HintOf(err))
	}
	if n := len(tt.requests("openai")); n != 0 {
		t.Errorf("%d requests were sent, want none", n)
	}
}

func TestContextShowsTheLargestFirst(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite(api, nil)
			tt.o.System = long(50)
			tt.open()
			tt.do("Small?")
			tt.do("Large? " + long(300))
			tt.do("Middle? " + long(100))
			tt.do("/context")
			text := tt.notice(chat.NoticeText)
			at := -1
			for _, want := range []string{"turn 2: Large?", "turn 3: Middle?", "system prompt", "turn 1: Small?"} {
				next := strings.Index(text, want)
				if next <= at {
					t.Errorf("%q is missing or at the wrong place in\n%s", want, text)
				}
				at = next
			}
		})
	}
}

func TestPruneDropsTheOldestTurns(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", chatter(100))
	tt.open()
	for i := range 6 {
		tt.do(fmt.Sprintf("Question %d?", i))
	}
	tt.do("/prune")
	if n := len(tt.engine.Turns()); n != 6 {
		t.Fatalf("%d turns, want 6: everything fits", n)
	}
	tt.do("/pin 1")
	tt.do("/prune 2")
	if turns := tt.engine.Turns(); len(turns) != 4 || turns[0].Question != "Question 0?" || turns[1].Question != "Question 3?" {
		t.Fatalf("turns: %+v", turns)
	}
	tt.do("/undo")
	tt.do("/pin off")
	tt.do("/limit 500")
	tt.do("/prune")
	turns := tt.engine.Turns()
	if len(turns) >= 6 || turns[len(turns)-1].Question != "Question 5?" {
		t.Fatalf("turns: %+v", turns)
	}
	if g := tt.engine.Gauges()[0]; g.Cut != 0 {
		t.Errorf("%d tokens are still left out after /prune", g.Cut)
	}
	for _, bad := range []string{"/prune -1", "/prune all", "/prune 0"} {
		if err := tt.try(bad); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
}

func TestAPinnedTurnStays(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite(api, chatter(150))
			tt.o.Limit, tt.o.Method = 1200, "window"
			tt.open()
			tt.do("Remember: the pilot's (boat) is *called* Ariadne+.\nAlways.")
			tt.do("/pin")
			for i := range 12 {
				tt.do(fmt.Sprintf("Question %d?", i))
			}
			text := show(tt.sent(api))
			if !strings.Contains(text, "is *called* Ariadne+. / Always.") || !strings.Contains(text, "Answer 1:") || strings.Contains(text, "Question 1?") {
				t.Errorf("sent\n%s", text)
			}
			tt.do("/compress")
			tt.do("And now?")
			if text := show(tt.sent(api)); !strings.Contains(text, "is *called* Ariadne+. / Always.") || !strings.Contains(text, "Answer 1:") {
				t.Errorf("after /compress: sent\n%s", text)
			}
		})
	}
}

func TestF08_TheMethodCanBeChosen(t *testing.T) {
	t.Parallel()
	for method, want := range map[string]string{"window": "will go", "summary": "will become a summary", "hybrid": "will become a summary"} {
		t.Run(method, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite("openai", chatter(150))
			tt.open()
			tt.do("/limit 1500")
			tt.do("/method " + method)
			var going string
			for i := 0; i < 20 && going == ""; i++ {
				tt.do(fmt.Sprintf("Question %d?", i))
				going = tt.notice(chat.NoticeGoing)
			}
			if !strings.Contains(going, want) {
				t.Errorf("told %q, want that turns %s", going, want)
			}
		})
	}
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.open()
	if err := tt.try("/method magic"); !errors.Is(err, plimsoll.ErrInvalid) {
		t.Errorf("error %v", err)
	}
}

func TestModelsComeAndGo(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.invite("gemini", nil)
	second := tt.o.Participants[1]
	tt.o.Participants = tt.o.Participants[:1]
	tt.open()
	tt.do("One?")
	tt.do("/model " + second.Spec())
	tt.do("@all Two?")
	if text := show(tt.sent("gemini")); !strings.Contains(text, "[to openai] One?") {
		t.Errorf("the one who came later was sent\n%s", text)
	}
	tt.do("/model -openai")
	tt.do("Three?")
	if to := all[chat.Asked](tt)[0].To; len(to) != 1 || to[0] != "gemini" {
		t.Errorf("asked %v", to)
	}
	for _, bad := range []string{"/model -gemini", "/model -nobody", "/model foo:bar", "@openai Hello?"} {
		if err := tt.try(bad); !errors.Is(err, plimsoll.ErrInvalid) {
			t.Errorf("%s: %v", bad, err)
		}
	}
	tt.again()
	if all := tt.engine.Participants(); len(all) != 1 || all[0].Name != "gemini" || all[0].URL != second.URL {
		t.Errorf("the session goes on with %+v", all)
	}
}

// pixel is a PNG of one pixel.
const pixel = "\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89\x00\x00\x00\rIDATx\x9cc\xf8\xcf\xc0\xf0\x1f\x00\x05\x00\x01\xff\x89\x99=\x1d\x00\x00\x00\x00IEND\xaeB`\x82"

func TestFilesGoWithTheNextMessage(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			dir := t.TempDir()
			for name, content := range map[string]string{"plan.csv": "quay,depth\n4,9.5\n", "quay.png": pixel, "blob.bin": "\x00\x01\xff"} {
				if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			tt := newTable(t)
			tt.invite(api, nil)
			tt.open()
			tt.engine.Attend(chat.Desk{Read: func(context.Context) (string, error) { return "from the clipboard", nil }})
			tt.do("/attach " + filepath.Join(dir, "plan.csv"))
			tt.do("/attach " + filepath.Join(dir, "quay.png"))
			tt.do("/attach -")
			for _, bad := range []string{"blob.bin", "missing", "."} {
				if err := tt.try("/attach " + filepath.Join(dir, bad)); !errors.Is(err, plimsoll.ErrInvalid) {
					t.Errorf("%s: %v", bad, err)
				}
			}
			if got := strings.Join(tt.engine.Attached(), " "); got != "plan.csv quay.png pasted" {
				t.Errorf("attached %q", got)
			}
			tt.do("What is this?")
			if failed := all[chat.Failed](tt); len(failed) > 0 {
				t.Fatal(failed[0].Err)
			}
			c := tt.sent(api)
			text := show(c)
			if !strings.Contains(text, "4,9.5") || !strings.Contains(text, "from the clipboard") || !strings.Contains(text, "What is this?") {
				t.Errorf("sent\n%s", text)
			}
			if m := c.Messages.At(c.Messages.Len() - 1); plimsoll.CountOf[plimsoll.Media](m) != 1 {
				t.Errorf("the picture is missing in %+v", m.Parts)
			}
			if n := len(tt.engine.Attached()); n != 0 {
				t.Errorf("%d files go with the message after it, too", n)
			}
		})
	}
}

// crate is a toolbox of one tool.
type crate struct {
	mu    sync.Mutex
	calls []plimsoll.ToolCall
}

func (*crate) Tools() []plimsoll.Tool {
	return []plimsoll.Tool{{Name: "run", Description: "Runs a command.", Schema: `{"type":"object","properties":{"command":{"type":"string"}}}`}}
}

func (c *crate) Call(ctx context.Context, call plimsoll.ToolCall, confirm func(context.Context, chat.Confirmation) bool) plimsoll.ToolResult {
	c.mu.Lock()
	c.calls = append(c.calls, call)
	c.mu.Unlock()
	text := "not allowed"
	ok := confirm(ctx, chat.Confirmation{Tool: call.Name, Action: call.Arguments})
	if ok {
		text = "depth 9.5"
	}
	return plimsoll.ToolResult{Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text}), IsError: !ok}
}

func TestToolsAreUsedAndStayInTheHistory(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			box := &crate{}
			tt := newTable(t)
			tt.invite(api, &scripted.Options{Script: scripted.Steps(
				scripted.Step{Text: "I look.", Calls: []plimsoll.ToolCall{{Name: "run", Arguments: `{"command":"sound quay 4"}`}}},
				scripted.Step{On: scripted.On{End: scripted.EndTool, Contains: "depth 9.5"}, Text: "It is deep."},
				scripted.Say("Yes."),
			)})
			tt.o.Tools = box
			tt.open()
			var asked []chat.Confirmation
			tt.engine.Attend(chat.Desk{Confirm: func(_ context.Context, c chat.Confirmation) bool {
				asked = append(asked, c)
				return true
			}})
			tt.do("How deep is it?")
			if failed := all[chat.Failed](tt); len(failed) > 0 {
				t.Fatal(failed[0].Err)
			}
			if len(asked) != 1 || asked[0].Participant != api || asked[0].Tool != "run" {
				t.Fatalf("asked %+v", asked)
			}
			if called := all[chat.Called](tt); len(called) != 1 || called[0].Bytes != len("depth 9.5") {
				t.Errorf("called %+v", called)
			}
			if r := tt.engine.Turns()[0].Replies[0]; r.Text != "I look.\n\nIt is deep." || len(r.Rounds) == 0 {
				t.Errorf("reply %+v", r)
			}
			tt.o.Tools = box
			tt.again()
			tt.do("Sure?")
			c := tt.sent(api)
			if pairs := c.Outline().Pairs; len(pairs) != 1 {
				t.Errorf("the next request has %d calls with results, want 1:\n%s", len(pairs), show(c))
			}
			if g := tt.engine.Gauges()[0]; g.Tools == 0 {
				t.Errorf("gauge %+v does not count tools", g)
			}
		})
	}
}

func TestWithoutConfirmationNothingIsRun(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", &scripted.Options{Script: scripted.Steps(
		scripted.Use("run", `{"command":"rm -r /"}`),
		scripted.Step{On: scripted.On{End: scripted.EndTool, Contains: "not allowed"}, Text: "As you wish."},
	)})
	tt.o.Tools = &crate{}
	tt.open()
	tt.do("Tidy up.")
	if answered := all[chat.Answered](tt); len(answered) != 1 || answered[0].Text != "As you wish." {
		t.Errorf("events %+v", tt.events)
	}
}
