package plain_test

import (
	"bytes"
	"context"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/chat/plain"
	"github.com/plimsoll/plimsoll/internal/lang"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/preset"
)

// engine is a chat with scripted models, by name.
func engine(t *testing.T, tools chat.Toolbox, models ...*scripted.Options) *chat.Engine {
	t.Helper()
	o, err := preset.Auto(nil)
	if err != nil {
		t.Fatal(err)
	}
	keeper, err := fit.New(o)
	if err != nil {
		t.Fatal(err)
	}
	options := &chat.Options{Keeper: func(string) (*fit.Keeper, error) { return keeper, nil }, Tools: tools}
	for i, m := range models {
		server := httptest.NewServer(scripted.New(m))
		t.Cleanup(server.Close)
		p, err := chat.ParseParticipant(string(rune('a'+i))+"=openai:gpt-4o@"+server.URL, func(string) string { return "" })
		if err != nil {
			t.Fatal(err)
		}
		options.Participants = append(options.Participants, p)
	}
	e, err := chat.New(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.Close() })
	return e
}

func says(text string, delay time.Duration) *scripted.Options {
	return &scripted.Options{Script: scripted.Steps(scripted.Step{Text: text, Delay: delay, Again: true})}
}

// run talks and returns both streams.
func run(t *testing.T, e *chat.Engine, in string, o *plain.Options) (out, remarks string, err error) {
	t.Helper()
	var a, b bytes.Buffer
	err = plain.Run(t.Context(), e, strings.NewReader(in), &a, &b, o)
	return a.String(), b.String(), err
}

func TestAnswersComeInTheOrderOfTheModelsWhoeverIsFaster(t *testing.T) {
	t.Parallel()
	e := engine(t, nil, says("slow", 200*time.Millisecond), says("fast", 0), says("middle", 50*time.Millisecond))
	out, _, err := run(t, e, "@all Well?\n@c @a Again?\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("[a] slow\n[b] fast\n[c] middle\n[c] middle\n[a] slow\n", out); diff != "" {
		t.Error(diff)
	}
}

func TestEscapeSequencesAreShownAndNotSent(t *testing.T) {
	t.Parallel()
	e := engine(t, nil, says("red \x1b[31malert\x07\nnext\tline \u202eright", 0))
	out, _, err := run(t, e, "Well?\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if want := "red ?[31malert?\nnext\tline ?right\n"; out != want {
		t.Errorf("%q, want %q", out, want)
	}
}

func TestLinesBetweenQuotesAreOneMessage(t *testing.T) {
	t.Parallel()
	e := engine(t, nil, says("yes", 0))
	if _, _, err := run(t, e, "\"\"\"\n//not a command\n\n日本語\n\"\"\"\r\n/attach -\npasted\n.\nlast", nil); err != nil {
		t.Fatal(err)
	}
	turns := e.Turns()
	if len(turns) != 2 || turns[0].Question != "/not a command\n\n日本語" || turns[1].Question != "last" {
		t.Fatalf("turns: %+v", turns)
	}
	if diff := cmp.Diff([]chat.Attachment{{Name: "pasted", Text: "pasted"}}, turns[1].Attached); diff != "" {
		t.Error(diff)
	}
}

func TestAMessageWithoutItsClosingQuotesIsAnError(t *testing.T) {
	t.Parallel()
	_, _, err := run(t, engine(t, nil, says("yes", 0)), "\"\"\"\nhalf a message\n", nil)
	if plimsoll.CodeOf(err) != plimsoll.CodeInvalid {
		t.Errorf("error %v", err)
	}
}

func TestALineThatFailsDoesNotEndTheChatButIsItsStatus(t *testing.T) {
	t.Parallel()
	e := engine(t, nil, says("yes", 0))
	out, remarks, err := run(t, e, "/nonsense\n@nobody hello\nWell?\n/quit\nnever\n", nil)
	if plimsoll.CodeOf(err) != plimsoll.CodeInvalid || out != "yes\n" {
		t.Errorf("error %v, output %q", err, out)
	}
	if n := strings.Count(remarks, "\n! ") + strings.Count(remarks[:2], "! "); n != 2 {
		t.Errorf("%d failures are reported, want 2:\n%s", n, remarks)
	}
}

// sink is a toolbox that asks before it does anything.
type sink struct {
	mu      sync.Mutex
	allowed []bool
}

func (*sink) Tools() []plimsoll.Tool {
	return []plimsoll.Tool{{Name: "run", Description: "Runs a command.", Schema: `{"type":"object"}`}}
}

func (s *sink) Call(ctx context.Context, call plimsoll.ToolCall, confirm func(context.Context, chat.Confirmation) bool) plimsoll.ToolResult {
	ok := confirm(ctx, chat.Confirmation{Tool: call.Name, Action: "rm \x1b[2K-r ."})
	s.mu.Lock()
	defer s.mu.Unlock()
	s.allowed = append(s.allowed, ok)
	return plimsoll.ToolResult{Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "ok"})}
}

func TestTheNextLineAnswersAQuestionAndOnlyYesIsYes(t *testing.T) {
	t.Parallel()
	box := &sink{}
	script := &scripted.Options{Script: func(c *scripted.Call) (scripted.Step, bool) {
		if c.End() == scripted.EndTool {
			return scripted.Say("done"), true
		}
		return scripted.Use("run", `{}`), true
	}}
	out, remarks, err := run(t, engine(t, box, script), "One.\ny\nTwo.\nno\nThree.\nwell\nFour.\nYES\nFive.\n", nil)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]bool{true, false, false, true, false}, box.allowed); diff != "" {
		t.Error(diff)
	}
	if out != strings.Repeat("done\n", 5) || !strings.Contains(remarks, "a wants to use run: rm ?[2K-r .\nAllow it? [y/N] ") {
		t.Errorf("output %q, remarks\n%s", out, remarks)
	}
}

func TestAChatEndsWhenItIsTold(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithTimeout(t.Context(), 50*time.Millisecond)
	defer cancel()
	blocked := make(chan struct{})
	t.Cleanup(func() { close(blocked) })
	if err := plain.Run(ctx, engine(t, nil, says("yes", 0)), reader(blocked), &bytes.Buffer{}, &bytes.Buffer{}, &plain.Options{Prompt: "> "}); err != nil {
		t.Error(err)
	}
}

// reader is an input on which nothing comes.
type reader chan struct{}

func (r reader) Read([]byte) (int, error) {
	<-r
	return 0, context.Canceled
}

// What the chat says is Japanese; what the person wrote and what models say is not
// touched, though it reads like a message of the chat.
func TestRemarksAreInTheLanguageOfThePerson(t *testing.T) {
	t.Parallel()
	e := engine(t, nil, says("nothing was changed", 0))
	out, remarks, _ := run(t, e, "/system nothing was changed\n/system\nnothing was changed\n/help quit\n/prune x\n/limit 9\n/nosuch\n", &plain.Options{Lang: lang.Locale("ja")})
	wantOut := "nothing was changed\nnothing was changed\n" + "/quit                                 チャットを終了します。後で再開できます。\n"
	if diff := cmp.Diff(wantOut, out); diff != "" {
		t.Errorf("output (-want +got):\n%s", diff)
	}
	for _, want := range []string{
		"* システムプロンプトを設定しました\n",
		"= a: ", " トークン（システム ",
		"! /prune: \"x\" はターン数ではありません\n  削除するターン数を指定してください\n",
		"* 上限: 9 トークン\n",
		"! /nosuch: そのようなコマンドはありません\n  /help で一覧を表示できます。",
	} {
		if !strings.Contains(remarks, want) {
			t.Errorf("the remarks lack %q:\n%s", want, remarks)
		}
	}
}
