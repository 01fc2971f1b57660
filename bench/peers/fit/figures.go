package main

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"time"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/bench/internal/fit"
	"github.com/plimsoll/plimsoll/bench/internal/line"
	engine "github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/bpe"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// figures measures conversations of all sizes, whose tool results are cut out of
// the text in a file.
func figures(from, to string) (string, error) {
	text, err := os.ReadFile(from)
	if err != nil {
		return "", err
	}
	var all []fit.Figure
	for _, messages := range fit.Sizes {
		s := session{text: string(text), rounds: messages / 2}
		f, err := s.measure(30_000 / messages)
		if err != nil {
			return "", fmt.Errorf("%d messages: %w", messages, err)
		}
		all = append(all, f)
	}
	return fmt.Sprintf("ok\t%d", len(all)), fit.WriteLines(to, all)
}

// session is an agent's work: one question, and rounds whose results have about
// 430 tokens each.
type session struct {
	text   string
	rounds int
	// step makes each further round another one.
	step int
}

const resultBytes = 1_600

func (s *session) request(extra int) []byte {
	all := []any{map[string]any{"role": "user", "content": "Find out why the build fails and fix it."}}
	for i := range s.rounds {
		all = append(all, s.round(i)...)
	}
	for range extra {
		s.step++
		all = append(all, s.round(1_000_000+s.step)...)
	}
	list, err := json.Marshal(all)
	if err != nil {
		panic(err) // maps of strings
	}
	return fit.Body(list)
}

func (s *session) round(i int) []any {
	id := fmt.Sprintf("call_%d", i)
	at := i * 997 % (len(s.text) - resultBytes)
	return []any{
		map[string]any{"role": "assistant", "content": nil, "tool_calls": []any{map[string]any{
			"id": id, "type": "function", "function": map[string]any{"name": "read_file", "arguments": fmt.Sprintf(`{"path":"pkg/part%d/file.go"}`, i)},
		}}},
		map[string]any{"role": "tool", "tool_call_id": id, "content": fmt.Sprintf("%d\n%s", i, s.text[at:at+resultBytes])},
	}
}

// batch requests are fitted between two looks at the clock when they are short
// work.
const batch = 8

func (s *session) measure(rounds int) (fit.Figure, error) {
	body := s.request(0)
	c, err := read(body)
	if err != nil {
		return fit.Figure{}, err
	}
	f := fit.Figure{Messages: c.Messages.Len(), Tokens: token.NewMeter(nil).Weigh(c).Total, Bytes: len(body)}
	texts := textsOf(c)
	for range max(rounds, 5) {
		keep(&f.Decode, timed(1, func(int) error { _, err := read(body); return err }, &err))
		keep(&f.Count, timed(1, func(int) error { return count(texts) }, &err))
		fresh, e := read(body)
		if e != nil {
			return f, e
		}
		keep(&f.Weigh, timed(1, func(int) error { token.NewMeter(nil).Weigh(fresh); return nil }, &err))
		for window, times := range map[int]*fit.Times{2 * f.Tokens: &f.Under, f.Tokens / 2: &f.Over} {
			if err := s.fits(body, window, times); err != nil {
				return f, err
			}
		}
	}
	return f, err
}

// fits measures a new keeper on a request and on those that could come next. It cuts
// at the line only: by rent it would cut a conversation that is sent twice, once, and
// the next request would not be an ordinary one.
func (s *session) fits(body []byte, window int, times *fit.Times) error {
	options, err := preset.Auto(&preset.Options{Window: window, Policy: preset.PolicyThreshold})
	if err != nil {
		return err
	}
	keeper, err := engine.New(options)
	if err != nil {
		return err
	}
	first, err := read(body)
	if err != nil {
		return err
	}
	next := make([]plimsoll.Conversation, batch)
	for i := range next {
		if next[i], err = read(s.request(1)); err != nil {
			return err
		}
	}
	run := func(c plimsoll.Conversation) error {
		_, err := keeper.Fit(context.Background(), engine.Task{Conversation: c})
		return err
	}
	keep(&times.First, timed(1, func(int) error { return run(first) }, &err))
	keep(&times.Next, timed(batch, func(i int) error { return run(next[i]) }, &err))
	return err
}

func read(body []byte) (plimsoll.Conversation, error) {
	request, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		return plimsoll.Conversation{}, err
	}
	return request.Conversation(), nil
}

// timed returns the CPU time of one of n runs. What was made ready before is
// collected first, so that nobody pays for it.
func timed(n int, run func(int) error, failed *error) time.Duration {
	runtime.GC()
	start := line.CPU()
	for i := range n {
		if err := run(i); err != nil && *failed == nil {
			*failed = err
		}
	}
	return (line.CPU() - start) / time.Duration(n)
}

func keep(best *time.Duration, took time.Duration) {
	if *best == 0 || took < *best {
		*best = took
	}
}

func textsOf(c plimsoll.Conversation) []string {
	var texts []string
	for _, m := range c.Messages.All() {
		for _, p := range m.Parts.All() {
			switch p := p.(type) {
			case plimsoll.Text:
				texts = append(texts, p.Text)
			case plimsoll.ToolCall:
				texts = append(texts, p.Name, p.Arguments)
			case plimsoll.ToolResult:
				texts = append(texts, plimsoll.TextOf(p.Content))
			}
		}
	}
	return texts
}

func count(texts []string) error {
	n := 0
	for _, text := range texts {
		n += bpe.O200K().Count(text)
	}
	if n == 0 {
		return fmt.Errorf("nothing to count")
	}
	return nil
}
