package chat_test

import (
	"context"
	"errors"
	"fmt"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/internal/scripted"
	"github.com/plimsoll/plimsoll/internal/storetest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/store"
	"github.com/plimsoll/plimsoll/store/sqlite"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// usual are models of each API.
var usual = map[string]string{
	"openai": "gpt-4o", "responses": "gpt-4o", "anthropic": "claude-sonnet-4-5", "gemini": "gemini-2.5-flash", "ollama": "llama3.2",
}

// table is a chat with scripted models.
type table struct {
	t      *testing.T
	o      chat.Options
	engine *chat.Engine
	models map[string]*scripted.Model
	// events are those of the newest line.
	events []chat.Event
}

// invite adds a participant that answers by the script.
func (tt *table) invite(api string, o *scripted.Options) {
	tt.t.Helper()
	m := scripted.New(o)
	server := httptest.NewServer(m)
	tt.t.Cleanup(server.Close)
	p, err := chat.ParseParticipant(api+":"+usual[api]+"@"+server.URL, func(string) string { return "" })
	if err != nil {
		tt.t.Fatal(err)
	}
	tt.o.Participants = append(tt.o.Participants, p)
	tt.models[api] = m
}

func newTable(t *testing.T) *table {
	t.Helper()
	tt := &table{t: t, models: map[string]*scripted.Model{}}
	tt.o = chat.Options{Sessions: t.TempDir(), Keeper: keepers(nil), Marks: preset.Marks(preset.NameAuto)}
	return tt
}

// keep gives the chat a store.
func (tt *table) keep() {
	tt.t.Helper()
	backend, err := sqlite.Open(tt.t.Context(), storetest.NewFile(tt.t, sqlite.Open), nil)
	if err != nil {
		tt.t.Fatal(err)
	}
	tt.o.Store, err = store.New(tt.t.Context(), backend, nil)
	if err != nil {
		tt.t.Fatal(err)
	}
	tt.t.Cleanup(func() { _ = tt.o.Store.Close() })
}

// keepers makes keepers of preset auto.
func keepers(adjust func(*fit.Options)) func(string) (*fit.Keeper, error) {
	var mu sync.Mutex
	made := map[string]*fit.Keeper{}
	meter := token.NewMeter(nil)
	return func(method string) (*fit.Keeper, error) {
		mu.Lock()
		defer mu.Unlock()
		if k := made[method]; k != nil {
			return k, nil
		}
		o, err := preset.Auto(&preset.Options{Meter: meter, Method: method})
		if err != nil {
			return nil, err
		}
		if adjust != nil {
			adjust(o)
		}
		k, err := fit.New(o)
		made[method] = k
		return k, err
	}
}

// open starts the engine.
func (tt *table) open() {
	tt.t.Helper()
	e, err := chat.New(tt.t.Context(), &tt.o)
	if err != nil {
		tt.t.Fatal(err)
	}
	tt.engine = e
	tt.t.Cleanup(func() { _ = e.Close() })
}

// do works on a line that must be taken.
func (tt *table) do(line string) {
	tt.t.Helper()
	if err := tt.try(line); err != nil {
		tt.t.Fatalf("%s: %v (%s)", line, err, plimsoll.HintOf(err))
	}
}

func (tt *table) try(line string) error {
	tt.events = nil
	err := tt.engine.Do(tt.t.Context(), line, func(e chat.Event) { tt.events = append(tt.events, e) })
	if _, ok := tt.events[len(tt.events)-1].(chat.Ended); !ok {
		tt.t.Errorf("%s: the last event is %T, want Ended", line, tt.events[len(tt.events)-1])
	}
	return err
}

// all returns the events of one type.
func all[T chat.Event](tt *table) []T {
	var found []T
	for _, e := range tt.events {
		if e, ok := e.(T); ok {
			found = append(found, e)
		}
	}
	return found
}

// notice returns the texts of one kind of notices, joined.
func (tt *table) notice(kind chat.NoticeKind) string {
	var texts []string
	for _, n := range all[chat.Notice](tt) {
		if n.Kind == kind {
			texts = append(texts, n.Text)
		}
	}
	return strings.Join(texts, "\n")
}

// requests returns the conversations that a model was sent.
func (tt *table) requests(api string) []plimsoll.Conversation {
	tt.t.Helper()
	var all []plimsoll.Conversation
	for _, x := range tt.models[api].Log() {
		d, ok := dialects.FromPath(x.Path)
		if !ok {
			continue
		}
		r, err := dialects.Codec(d).Decode(x.Body)
		if err != nil {
			tt.t.Fatal(err)
		}
		all = append(all, r.Conversation())
	}
	return all
}

// sent returns the newest conversation that a model was sent.
func (tt *table) sent(api string) plimsoll.Conversation {
	tt.t.Helper()
	all := tt.requests(api)
	if len(all) == 0 {
		tt.t.Fatalf("%s was sent nothing", api)
	}
	return all[len(all)-1]
}

// show writes a conversation a line a message.
func show(c plimsoll.Conversation) string {
	var lines []string
	for _, m := range c.Messages.All() {
		if !m.Role.Instructs() {
			lines = append(lines, fmt.Sprintf("%s: %s", m.Role, strings.ReplaceAll(m.Text(), "\n", " / ")))
		}
	}
	return strings.Join(lines, "\n")
}

func TestEveryDialectAnswersAndIsBilled(t *testing.T) {
	t.Parallel()
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			tt.invite(api, &scripted.Options{Script: scripted.Steps(scripted.Say("A load line is painted on the hull."), scripted.Say("Samuel Plimsoll."))})
			tt.o.System = "You are a harbour master."
			tt.open()
			tt.do("What is a load line?")
			answered := all[chat.Answered](tt)
			if len(answered) != 1 || answered[0].Text != "A load line is painted on the hull." || !answered[0].Billed || answered[0].Load.Total == 0 || answered[0].Line.Window == 0 {
				t.Fatalf("answered: %+v", answered)
			}
			var said strings.Builder
			for _, s := range all[chat.Said](tt) {
				said.WriteString(s.Text)
			}
			if said.String() != answered[0].Text {
				t.Errorf("the pieces are %q, the answer is %q", said.String(), answered[0].Text)
			}
			tt.do("Who was it named after?")
			want := "user: What is a load line?\nassistant: A load line is painted on the hull.\nuser: Who was it named after?"
			if got := show(tt.sent(api)); got != want {
				t.Errorf("the model was sent\n%s\nwant\n%s", got, want)
			}
		})
	}
}

func TestS01_AllRepliesToAMessageAreOneTurn(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	for _, api := range []string{"openai", "responses", "anthropic", "gemini", "ollama"} {
		tt.invite(api, &scripted.Options{Script: scripted.Steps(scripted.Say(api+" one."), scripted.Say(api+" two."), scripted.Say(api+" three."))})
	}
	tt.open()
	tt.do("@all First?")
	if got := len(all[chat.Answered](tt)); got != 5 {
		t.Fatalf("%d answered, want 5: %+v", got, tt.events)
	}
	if turns := tt.engine.Turns(); len(turns) != 1 || len(turns[0].Replies) != 5 {
		t.Fatalf("turns: %+v", turns)
	}
	tt.do("@gemini Second?")
	tt.do("@all Third?")
	for _, api := range []string{"openai", "responses", "anthropic", "gemini", "ollama"} {
		c := tt.sent(api)
		text := show(c)
		for _, other := range []string{"openai", "responses", "anthropic", "ollama"} {
			if has := strings.Contains(text, "["+other+"] "+other+" one."); has == (other == api) {
				t.Errorf("%s sees an attributed reply of %s: %v\n%s", api, other, has, text)
			}
		}
		if !strings.Contains(text, "assistant: "+api+" one.") {
			t.Errorf("%s does not see its own reply as its own:\n%s", api, text)
		}
		if seen := strings.Contains(text, "[to gemini] Second?"); seen == (api == "gemini") {
			t.Errorf("%s sees whom the second question was for: %v\n%s", api, seen, text)
		}
		if got := len(c.Outline().Turns); got != 3 {
			t.Errorf("%s is sent %d turns, want 3:\n%s", api, got, text)
		}
	}
}

func TestAReplyThatFailsDoesNotLoseTheOthers(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", &scripted.Options{Script: scripted.Steps(scripted.Say("Here."), scripted.Say("Again."))})
	tt.invite("gemini", &scripted.Options{Script: scripted.Steps(scripted.Step{Fault: &scripted.Fault{Status: 503}}, scripted.Say("Better."))})
	tt.open()
	tt.do("@all Who is there?")
	failed := all[chat.Failed](tt)
	if len(failed) != 1 || failed[0].Participant != "gemini" || plimsoll.HintOf(failed[0].Err) == "" {
		t.Fatalf("failed: %+v", failed)
	}
	if answered := all[chat.Answered](tt); len(answered) != 1 || answered[0].Text != "Here." {
		t.Fatalf("answered: %+v", answered)
	}
	tt.do("/retry")
	if answered := all[chat.Answered](tt); len(answered) != 1 || answered[0].Participant != "gemini" || answered[0].Text != "Better." {
		t.Fatalf("/retry asks those whose reply is missing, and answered is %+v", answered)
	}
	if turns := tt.engine.Turns(); len(turns) != 1 || len(turns[0].Replies) != 2 {
		t.Errorf("turns: %+v", turns)
	}
}

func TestAnAnswerThatBreaksOffIsKept(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", &scripted.Options{Script: scripted.Steps(scripted.Step{Text: strings.Repeat("word ", 200), Cut: true, After: 20})})
	tt.open()
	tt.do("Talk.")
	if failed := all[chat.Failed](tt); len(failed) != 1 {
		t.Fatalf("events: %+v", tt.events)
	}
	r := tt.engine.Turns()[0].Replies[0]
	if !strings.HasPrefix(r.Text, "word ") || r.Failure == "" {
		t.Errorf("the reply is %+v, want a beginning and why it ended", r)
	}
}

func TestAnAnswerCanBeStopped(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("anthropic", &scripted.Options{Script: scripted.Steps(scripted.Step{Text: strings.Repeat("word ", 2000), Pace: 20e6})})
	tt.open()
	ctx, cancel := context.WithCancel(t.Context())
	err := tt.engine.Do(ctx, "Talk.", func(e chat.Event) {
		tt.events = append(tt.events, e)
		if _, ok := e.(chat.Said); ok {
			cancel()
		}
	})
	if err != nil {
		t.Fatal(err)
	}
	failed := all[chat.Failed](tt)
	if len(failed) != 1 || !errors.Is(failed[0].Err, context.Canceled) {
		t.Fatalf("failed: %+v", failed)
	}
	if r := tt.engine.Turns()[0].Replies[0]; r.Text == "" {
		t.Error("what came before the stop is lost")
	}
}

func TestWarningsFromOutsideAreTold(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", &scripted.Options{Script: func(*scripted.Call) (scripted.Step, bool) {
		tt.engine.Warn("during the line")
		return scripted.Say("Yes."), true
	}})
	tt.open()
	tt.engine.Warn("before the line")
	tt.do("Hello?")
	if got := tt.notice(chat.NoticeWarning); got != "before the line\nduring the line" {
		t.Errorf("told %q", got)
	}
	tt.do("/limit")
	if got := tt.notice(chat.NoticeWarning); got != "" {
		t.Errorf("told again: %q", got)
	}
}

func TestAddressesMustBeKnown(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.open()
	err := tt.try("@bard Hello?")
	if !errors.Is(err, plimsoll.ErrInvalid) || !strings.Contains(plimsoll.HintOf(err), "@openai") {
		t.Errorf("error %v, hint %q", err, plimsoll.HintOf(err))
	}
	if n := len(tt.engine.Turns()); n != 0 {
		t.Errorf("%d turns, want none: the line was not taken", n)
	}
}

func TestALineWithoutAnAddressIsForWhoeverWasAskedLast(t *testing.T) {
	t.Parallel()
	tt := newTable(t)
	tt.invite("openai", nil)
	tt.invite("gemini", nil)
	tt.open()
	var to [][]string
	for _, line := range []string{"One", "@gemini Two", "Three", "@all Four", "Five", "//six"} {
		tt.do(line)
		to = append(to, all[chat.Asked](tt)[0].To)
	}
	want := [][]string{{"openai"}, {"gemini"}, {"gemini"}, {"openai", "gemini"}, {"openai", "gemini"}, {"openai", "gemini"}}
	if !slices.EqualFunc(to, want, slices.Equal[[]string]) {
		t.Errorf("asked %v, want %v", to, want)
	}
	if q := tt.engine.Turns()[5].Question; q != "/six" {
		t.Errorf("two slashes give %q, want one", q)
	}
}
