package token_test

import (
	"encoding/binary"
	"fmt"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/token"
)

func chat(model string, messages ...plimsoll.Message) plimsoll.Conversation {
	return plimsoll.Conversation{Dialect: plimsoll.OpenAI, Model: model, Messages: plimsoll.ListOf(messages...)}
}

func say(role plimsoll.Role, text string) plimsoll.Message { return plimsoll.Say(role, text) }

func cookbook(c plimsoll.Counter) *token.Meter {
	framing := token.Framing{Message: 4, TextOnly: true}
	return token.NewMeter(&token.MeterOptions{Counter: c, Framing: &framing})
}

func messageTokens(load plimsoll.Load) []int {
	var all []int
	for _, m := range load.Messages {
		all = append(all, m.Tokens)
	}
	return all
}

func TestT04_WithAnEncoderAMessageWeighsItsTokensPlusFour(t *testing.T) {
	t.Parallel()
	c := token.Tiktoken("gpt-4o")
	load := cookbook(c).Weigh(chat("gpt-4o", say(plimsoll.System, "stay concise"), say(plimsoll.User, "hello")))
	want := []int{c.Count("stay concise") + 4, c.Count("hello") + 4}
	if diff := cmp.Diff(want, messageTokens(load)); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
	if load.Total != want[0]+want[1] || !load.Exact {
		t.Errorf("total %d, exact %v; want %d, true", load.Total, load.Exact, want[0]+want[1])
	}
}

func TestT05_WithoutAnEncoderAMessageWeighsCharactersByFourPlusFive(t *testing.T) {
	t.Parallel()
	load := cookbook(named(t, plimsoll.StrategyHeuristic)).Weigh(chat("",
		say(plimsoll.System, "stay concise"), say(plimsoll.User, "hello"),
		say(plimsoll.Assistant, "hi there"), say(plimsoll.User, "tell me more"),
	))
	if diff := cmp.Diff([]int{8, 6, 7, 8}, messageTokens(load)); diff != "" {
		t.Errorf("weights (-want +got):\n%s", diff)
	}
	if load.Total != 29 || load.Exact || load.Band == 0 {
		t.Errorf("total %d, exact %v, band %d; want 29, an estimate with a band", load.Total, load.Exact, load.Band)
	}
}

// counting is a counter that counts its calls.
type counting struct {
	plimsoll.Counter
	mu    sync.Mutex
	bytes int
}

func (c *counting) Count(text string) int {
	c.mu.Lock()
	c.bytes += len(text)
	c.mu.Unlock()
	return c.Counter.Count(text)
}

func TestT08_ACounterCanBeSharedAndAMeterDoesNotCountTwice(t *testing.T) {
	t.Parallel()
	c := &counting{Counter: named(t, "o200k_base")}
	meter := token.NewMeter(&token.MeterOptions{Counter: c})
	long := chat("gpt-4o", say(plimsoll.User, strings.Repeat("the load line ", 1000)))
	first := meter.Weigh(long)
	counted := c.bytes
	longer := chat("gpt-4o", append(long.Messages.Slice(), say(plimsoll.Assistant, "aye"))...)
	second := meter.Weigh(longer)
	if got := c.bytes - counted; got != len("aye") {
		t.Errorf("adding a message of 3 bytes made the counter read %d bytes", got)
	}
	if second.Total != first.Total+c.Counter.Count("aye")+4 {
		t.Errorf("total went from %d to %d", first.Total, second.Total)
	}
	other := token.NewMeter(&token.MeterOptions{Counter: c})
	if diff := cmp.Diff(second, other.Weigh(longer)); diff != "" {
		t.Errorf("a fresh meter with the same counter differs:\n%s", diff)
	}
}

func TestInstructionsAndToolsAreCountedOnce(t *testing.T) {
	t.Parallel()
	c := &counting{Counter: named(t, "o200k_base")}
	meter := token.NewMeter(&token.MeterOptions{Counter: c})
	conversation := chat("gpt-4o")
	conversation.System = plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: "keep the ship afloat"})
	conversation.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "read", Description: "reads a file", Schema: `{"type":"object"}`})
	first := meter.Weigh(conversation)
	counted := c.bytes
	second := meter.Weigh(conversation)
	if c.bytes != counted || counted == 0 {
		t.Errorf("%d bytes were read the first time, %d the second", counted, c.bytes-counted)
	}
	if diff := cmp.Diff(first, second); diff != "" {
		t.Errorf("the second time (-first +second):\n%s", diff)
	}
}

func TestADigestSavesEvenTheHash(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	m := say(plimsoll.User, "as it came")
	m.Digest = plimsoll.Digest{1}
	want := meter.Weigh(chat("gpt-4o", m))
	lie := say(plimsoll.User, "something much longer that nobody will look at")
	lie.Digest = m.Digest
	if diff := cmp.Diff(want, meter.Weigh(chat("gpt-4o", lie))); diff != "" {
		t.Errorf("a known digest was looked into:\n%s", diff)
	}
}

func TestOpenAIFraming(t *testing.T) {
	t.Parallel()
	c := named(t, "o200k_base")
	n := c.Count
	call := func(id, args string) plimsoll.ToolCall {
		return plimsoll.ToolCall{ID: id, Name: "get_details_by_id", Arguments: args}
	}
	result := func(id, text string) plimsoll.Message {
		return plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{
			CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text}),
		})
	}
	named := func(m plimsoll.Message, name string) plimsoll.Message { m.Name = name; return m }
	for _, tt := range []struct {
		name     string
		messages []plimsoll.Message
		want     int
	}{
		{"a message has four tokens around it", []plimsoll.Message{say(plimsoll.User, "hi")}, 4 + n("hi")},
		{
			"a speaker's name costs itself",
			[]plimsoll.Message{named(say(plimsoll.User, "hi"), "ada")},
			4 + n("hi") + n("ada"),
		},
		{
			"a tool's name beside its result costs nothing",
			[]plimsoll.Message{
				plimsoll.NewMessage(plimsoll.Assistant, call("1", `{}`)), named(result("1", "ok"), "get_details_by_id"),
			},
			4 + n("functions.get_details_by_id") + n("get_details_by_id") + n(`{}`) + 4 + 4 + n("ok"),
		},
		{
			"the texts of a message are one text",
			[]plimsoll.Message{plimsoll.NewMessage(plimsoll.User, plimsoll.Text{Text: "hel"}, plimsoll.Text{Text: "lo"})},
			4 + n("hello"),
		},
		{
			"a call names its tool twice and loses white space in its arguments",
			[]plimsoll.Message{
				plimsoll.NewMessage(plimsoll.Assistant, call("1", `{"id": "L1001"}`)), result("1", `{"ok": true}`),
			},
			4 + n("functions.get_details_by_id") + n("get_details_by_id") + n(`{"id":"L1001"}`) + 4 + 4 + n(`{"ok": true}`),
		},
		{
			"results of parallel calls are one list, written in ASCII",
			[]plimsoll.Message{
				plimsoll.NewMessage(plimsoll.Assistant, call("1", `{"id": "a"}`), call("2", `{"id": "b"}`)),
				result("1", "電波"), result("2", `{"ok":true}`), say(plimsoll.User, "5"),
			},
			20 + n(`{"tool_uses":[]}`) +
				2*n(`{"recipient_name":"functions.get_details_by_id","parameters":{"id":"a"}}`) +
				n("\"\\u96fb\\u6ce2\"") + n(`{"ok": true}`) + 4 + n("5"),
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			load := token.NewMeter(nil).Weigh(chat("gpt-4.1", tt.messages...))
			if got := load.Total - load.Framing; got != tt.want {
				t.Errorf("weight %d, want %d (%v)", got, tt.want, load.Messages)
			}
			if load.Framing != 3 || !load.Exact {
				t.Errorf("framing %d, exact %v; want 3, true", load.Framing, load.Exact)
			}
		})
	}
}

var thoughts atomic.Int64

// anyConversation draws conversations with parts of every kind.
func anyConversation() *rapid.Generator[plimsoll.Conversation] {
	text := rapid.OneOf(rapid.SampledFrom([]string{"", "hello", "{\"a\": 1}", "日本語の文", "line\n\tline"}), rapid.StringN(0, 30, 90))
	part := rapid.Custom(func(t *rapid.T) plimsoll.Part {
		switch rapid.IntRange(0, 5).Draw(t, "kind") {
		case 0:
			id := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id")
			return plimsoll.ToolCall{ID: id, Name: "read", Arguments: text.Draw(t, "arguments")}
		case 1:
			id := rapid.SampledFrom([]string{"1", "2", "3"}).Draw(t, "id")
			return plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: text.Draw(t, "output")})}
		case 2:
			return plimsoll.Reasoning{Text: text.Draw(t, "thought"), Signature: text.Draw(t, "signature")}
		case 3:
			return plimsoll.Media{Kind: plimsoll.Image, Width: rapid.IntRange(0, 5000).Draw(t, "w"), Height: rapid.IntRange(0, 5000).Draw(t, "h")}
		case 4:
			return plimsoll.Opaque{Kind: "x", Raw: text.Draw(t, "raw")}
		}
		return plimsoll.Text{Text: text.Draw(t, "text")}
	})
	message := rapid.Custom(func(t *rapid.T) plimsoll.Message {
		role := rapid.SampledFrom([]plimsoll.Role{plimsoll.System, plimsoll.User, plimsoll.Assistant, plimsoll.ToolRole}).Draw(t, "role")
		m := plimsoll.NewMessage(role, rapid.SliceOfN(part, 0, 3).Draw(t, "parts")...)
		if plimsoll.Has[plimsoll.Reasoning](m) {
			// No two thoughts are the same, and where one stands decides what it weighs.
			binary.LittleEndian.PutUint64(m.Digest[:], uint64(thoughts.Add(1)))
		}
		return m
	})
	return rapid.Custom(func(t *rapid.T) plimsoll.Conversation {
		return plimsoll.Conversation{
			Dialect:  rapid.SampledFrom([]plimsoll.Dialect{"", plimsoll.OpenAI, plimsoll.Responses, plimsoll.Anthropic, plimsoll.Gemini}).Draw(t, "dialect"),
			Model:    rapid.SampledFrom([]string{"gpt-4o", "claude-opus-4-5", "gemini-2.5-pro", "llama3.1:8b", "?"}).Draw(t, "model"),
			System:   plimsoll.ListOf(rapid.SliceOfN(part, 0, 2).Draw(t, "system")...),
			Tools:    plimsoll.ListOf(rapid.SliceOfN(rapid.Just(plimsoll.Tool{Name: "read", Description: "reads", Schema: "{}"}), 0, 2).Draw(t, "tools")...),
			Messages: plimsoll.ListOf(rapid.SliceOfN(message, 0, 8).Draw(t, "messages")...),
		}
	})
}

func TestMeterLaws(t *testing.T) {
	t.Parallel()
	shared := token.NewMeter(nil)
	rapid.Check(t, func(t *rapid.T) {
		c := anyConversation().Draw(t, "conversation")
		load := shared.Weigh(c)
		checkSums(t, load, c.Messages.Len())
		if diff := cmp.Diff(load, token.NewMeter(nil).Weigh(c)); diff != "" {
			t.Fatalf("a meter with memories differs from a fresh one:\n%s", diff)
		}
		siblings := c.Outline().Siblings
		for i, m := range c.Messages.All() {
			if diff := cmp.Diff(load.Messages[i], shared.WeighMessage(c, m, siblings[i])); diff != "" {
				t.Fatalf("message %d alone differs from its place in the whole:\n%s", i, diff)
			}
		}
	})
}

func checkSums(t *rapid.T, load plimsoll.Load, messages int) {
	sum := load.System + load.Tools + load.Framing
	for i, m := range load.Messages {
		parts := m.Framing
		for _, p := range m.Parts {
			if p < 0 {
				t.Fatalf("message %d has a part of %d tokens", i, p)
			}
			parts += p
		}
		if parts != m.Tokens {
			t.Fatalf("message %d weighs %d, its parts %d", i, m.Tokens, parts)
		}
		sum += m.Tokens
	}
	if sum != load.Total || len(load.Messages) != messages {
		t.Fatalf("total %d, sum %d, %d of %d messages", load.Total, sum, len(load.Messages), messages)
	}
	if load.Exact != (load.Band == 0) {
		t.Fatalf("exact %v with a band of %d", load.Exact, load.Band)
	}
}

func TestDraftSavingsAgreeWithTheMeter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		c := anyConversation().Draw(t, "conversation")
		meter := token.NewMeter(nil)
		d := plimsoll.NewDraft(c, meter)
		turns := c.Outline().Turns
		for i, turn := range turns { // no rung drops the newest turn
			if i < len(turns)-1 && rapid.Bool().Draw(t, "drop") {
				if err := d.Drop(turn.Span, plimsoll.Why{Rung: "slide"}); err != nil {
					t.Fatal(err)
				}
			}
		}
		if rapid.Bool().Draw(t, "add") {
			d.AddTool(plimsoll.Tool{Name: "tool", Schema: `{"type":"object"}`}, plimsoll.Why{})
			d.AddSystem(plimsoll.Text{Text: "remember"}, plimsoll.Why{})
		}
		before, after := meter.Weigh(c).Total, meter.Weigh(d.Result()).Total
		allowed := 0
		if d.Result().Tools.Len() > 0 && len(d.Edits()) > 0 {
			allowed = 4 // another first message: the declarations may join it, or have joined it
		}
		if off := d.Saved() - (before - after); off < -allowed || off > allowed {
			t.Fatalf("the draft says %d saved, weighing says %d", d.Saved(), before-after)
		}
	})
}

func TestAMeterIsSafeForConcurrentUse(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(&token.MeterOptions{Calibration: token.NewCalibration(nil)})
	var wg sync.WaitGroup
	for g := range 4 {
		wg.Go(func() {
			for i := range 200 {
				c := chat("claude-opus-4-5", say(plimsoll.User, fmt.Sprintf("message %d", i%50)))
				key := fmt.Sprintf("c%d", g)
				if total := meter.For(key).Weigh(c).Total; total <= 0 {
					t.Errorf("total %d", total)
				}
				meter.Observe(key, c, plimsoll.Usage{Input: 30})
			}
		})
	}
	wg.Wait()
}

func TestAConversationWithoutADialectIsFramedByItsModelsOwnAPI(t *testing.T) {
	t.Parallel()
	meter := token.NewMeter(nil)
	for model, dialect := range map[string]plimsoll.Dialect{
		"claude-sonnet-4-5": plimsoll.Anthropic, "gemini-2.5-pro": plimsoll.Gemini, "gpt-4o": plimsoll.OpenAI, "a-model-of-mine": plimsoll.OpenAI,
	} {
		c := chat(model, say(plimsoll.User, "hello"))
		c.Tools = plimsoll.ListOf(plimsoll.Tool{Name: "read_file", Description: "Reads a file.", Schema: `{"type":"object"}`})
		c.Dialect = dialect
		want := meter.Weigh(c)
		c.Dialect = ""
		if diff := cmp.Diff(want, meter.Weigh(c)); diff != "" {
			t.Errorf("%s (-%s +without a dialect):\n%s", model, dialect, diff)
		}
	}
}
