package rung_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
)

// shelf is an archive in memory. Names are hashes unless one is set.
type shelf struct {
	name     string
	kept     map[string]string
	contents map[string]plimsoll.List[plimsoll.Part]
	down     bool
}

func (s *shelf) Ref(_ context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	if s.down {
		return plimsoll.Ref{}, errors.New("no shelf")
	}
	text := written(content)
	if s.name != "" {
		return plimsoll.Ref{ID: s.name, Bytes: int64(len(text))}, nil
	}
	sum := sha256.Sum256([]byte(text))
	return plimsoll.Ref{ID: hex.EncodeToString(sum[:6]), Bytes: int64(len(text))}, nil
}

func (s *shelf) Put(ctx context.Context, content plimsoll.List[plimsoll.Part]) (plimsoll.Ref, error) {
	ref, err := s.Ref(ctx, content)
	if s.kept == nil {
		s.kept, s.contents = map[string]string{}, map[string]plimsoll.List[plimsoll.Part]{}
	}
	s.kept[ref.ID], s.contents[ref.ID] = written(content), content
	return ref, err
}

func (s *shelf) Content(_ context.Context, id string) (plimsoll.List[plimsoll.Part], error) {
	content, ok := s.contents[id]
	if !ok {
		return content, fmt.Errorf("%s: %w", id, plimsoll.ErrNotFound)
	}
	return content, nil
}

// written writes content so that different contents read differently.
func written(content plimsoll.List[plimsoll.Part]) string {
	var b strings.Builder
	for _, p := range content.All() {
		if t, ok := p.(plimsoll.Text); ok {
			b.WriteString(t.Text)
			continue
		}
		fmt.Fprintf(&b, "%#v", p)
	}
	return b.String()
}

// parts makes content of texts and other parts.
func parts(all ...any) plimsoll.List[plimsoll.Part] {
	var list []plimsoll.Part
	for _, p := range all {
		if s, ok := p.(string); ok {
			p = plimsoll.Text{Text: s}
		}
		list = append(list, p.(plimsoll.Part))
	}
	return plimsoll.ListOf(list...)
}

// step is a round of one call.
type step struct {
	tool, args string
	content    plimsoll.List[plimsoll.Part]
	failed     bool
}

func ran(tool string, output string) step { return step{tool: tool, content: parts(output)} }

func used(tool, args, output string) step {
	return step{tool: tool, args: args, content: parts(output)}
}

// session is one turn: a question, rounds and an answer. Message 2+2i is the result
// of step i.
func session(steps ...step) plimsoll.Conversation {
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "what is wrong?")}
	for i, s := range steps {
		id := fmt.Sprint("call", i)
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: s.tool, Arguments: s.args}),
			plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: s.content, IsError: s.failed}))
	}
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

// together is one turn of one round with parallel calls. Message 2+i is the result
// of step i.
func together(steps ...step) plimsoll.Conversation {
	messages := make([]plimsoll.Message, 2, 2+len(steps))
	messages[0] = plimsoll.Say(plimsoll.User, "what is wrong?")
	var calls []plimsoll.Part
	for i, s := range steps {
		id := fmt.Sprint("call", i)
		calls = append(calls, plimsoll.ToolCall{ID: id, Name: s.tool, Arguments: s.args})
		messages = append(messages, plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: s.content, IsError: s.failed}))
	}
	messages[1] = plimsoll.NewMessage(plimsoll.Assistant, calls...)
	return plimsoll.Conversation{Messages: plimsoll.ListOf(messages...)}
}

// fitted runs a keeper on a conversation that goes on.
func fitted(t *testing.T, o fit.Options, c plimsoll.Conversation) *plimsoll.Plan {
	t.Helper()
	return fittedTask(t, o, fit.Task{Conversation: c, GoesOn: true})
}

func fittedTask(t *testing.T, o fit.Options, task fit.Task) *plimsoll.Plan {
	t.Helper()
	if o.Meter == nil {
		o.Meter = letterMeter()
	}
	o.Reserve = new(0)
	k, err := fit.New(&o)
	if err != nil {
		t.Fatal(err)
	}
	plan, err := k.Fit(t.Context(), task)
	if err != nil {
		t.Fatal(err)
	}
	for _, r := range plan.Rungs {
		if r.Undone != "" {
			t.Fatalf("%s was undone: %s", r.Rung, r.Undone)
		}
	}
	return plan
}

// arrived applies rungs whatever the load is.
func arrived(t *testing.T, c plimsoll.Conversation, rungs ...fit.Rung) *plimsoll.Plan {
	t.Helper()
	return fitted(t, fit.Options{Window: 1_000_000, Arrival: rungs, Archive: &shelf{}}, c)
}

// outputOf returns the text of the result in a message.
func outputOf(c plimsoll.Conversation, message int) string {
	r := c.Messages.At(message).Parts.At(0).(plimsoll.ToolResult)
	return plimsoll.TextOf(r.Content)
}

// outputsOf returns the texts of all results.
func outputsOf(c plimsoll.Conversation) []string {
	var all []string
	for i, m := range c.Messages.All() {
		if plimsoll.Has[plimsoll.ToolResult](m) {
			all = append(all, outputOf(c, i))
		}
	}
	return all
}

func pinAt(i int) fit.Pin { return fit.Pin{Index: &i} }

func TestRungsLoadOnlyWhatTheyLookAt(t *testing.T) {
	t.Parallel()
	loads := 0
	result := func(id, text string) plimsoll.Message {
		whole := plimsoll.ToolResult{CallID: id, Content: parts(text)}
		m := plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.Defer(plimsoll.ToolResult{CallID: id}, counted{whole, &loads}, 0))
		m.Digest = plimsoll.Digest{byte(len(text)), byte(len(text) >> 8)}
		return m
	}
	request := func() plimsoll.Conversation { // as a codec has just read it
		c := session(ran("a", "x"), ran("b", "x"), ran("c", "x"))
		messages := c.Messages.Slice()
		messages[2] = result("call0", strings.Repeat("long ", 60))
		messages[4] = result("call1", "a short one")
		messages[6] = result("call2", strings.Repeat("word ", 70))
		c.Messages = plimsoll.ListOf(messages...)
		return c
	}
	meter := letterMeter()
	meter.Weigh(request())
	for _, tc := range []struct {
		name string
		rung fit.Rung
		want int
	}{
		{"clear passes over the newest", &rung.Clear{Budget: 1000}, 0},
		{"dedupe passes over what weighs like no other", &rung.Dedupe{All: true}, 0},
		{"view looks at everything that arrives", &rung.View{All: true}, 3},
	} {
		loads = 0
		fitted(t, fit.Options{Meter: meter, Window: 100_000, Arrival: []fit.Rung{tc.rung}}, request())
		if loads != tc.want {
			t.Errorf("%s: loaded %d times, want %d", tc.name, loads, tc.want)
		}
	}
}

type counted struct {
	whole plimsoll.Part
	loads *int
}

func (c counted) LoadAt(plimsoll.Part, uint64) plimsoll.Part { *c.loads++; return c.whole }
