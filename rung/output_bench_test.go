package rung_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/rung"
	"github.com/plimsoll/plimsoll/token"
)

// longSession is an agent's work of n messages: reads of a few files, edits and
// logs, of about a kilobyte each.
func longSession(n int) plimsoll.Conversation {
	var messages []plimsoll.Message
	for i := 0; len(messages) < n; i++ {
		if i%20 == 0 {
			messages = append(messages, plimsoll.Say(plimsoll.User, fmt.Sprintf("task %d", i)))
		}
		id := fmt.Sprint("call", i)
		text := strings.Repeat(fmt.Sprintf("line of output %d of the agent\n", i/3), 32)
		tool, args := "Bash", fmt.Sprintf(`{"command":"run %d"}`, i)
		if i%2 == 0 {
			tool, args = "Read", fmt.Sprintf(`{"file_path":"file%d.go"}`, i%50)
		}
		messages = append(messages,
			plimsoll.NewMessage(plimsoll.Assistant, plimsoll.Reasoning{Text: "what next? " + id, Signature: id}, plimsoll.ToolCall{ID: id, Name: tool, Arguments: args}),
			plimsoll.NewMessage(plimsoll.User, plimsoll.ToolResult{CallID: id, Content: parts(text)}))
	}
	return plimsoll.Conversation{Dialect: plimsoll.Anthropic, Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)}
}

// BenchmarkRungs shows what rungs cost beside the weighing, which the meter
// remembers: time per message must not grow with the number of messages.
func BenchmarkRungs(b *testing.B) {
	for _, r := range []struct {
		name string
		rung fit.Rung
	}{
		{"none", &rung.Clear{Budget: -1}},
		{"view", &rung.View{All: true, MaxBytes: 256}},
		{"clear", &rung.Clear{Budget: 1}},
		{"dedupe", &rung.Dedupe{All: true}},
	} {
		for _, n := range []int{1000, 3000, 10_000} {
			c := longSession(n)
			benchmarkFit(b, fmt.Sprintf("%s/%d", r.name, n), n, c, fit.Options{Window: 1 << 30, Arrival: []fit.Rung{r.rung}})
		}
	}
	for _, n := range []int{1000, 3000, 10_000} {
		c := longSession(n)
		load := token.NewMeter(nil).Weigh(c).Total
		o := fit.Options{Window: load, Reserve: new(0), Marks: fit.Watermarks{High: 0.5}, Rungs: []fit.Rung{&rung.Reasoning{}}}
		benchmarkFit(b, fmt.Sprintf("reasoning/%d", n), n, c, o)
		o = fit.Options{Window: load / 2, Reserve: new(0), Rungs: []fit.Rung{&rung.View{ToFit: true}}}
		benchmarkFit(b, fmt.Sprintf("to fit/%d", n), n, c, o)
	}
}

// BenchmarkParallelResults clears one message of many results, each by itself, with
// a meter that has seen nothing but the original.
func BenchmarkParallelResults(b *testing.B) {
	for _, n := range []int{10, 30, 100} {
		var calls, results []plimsoll.Part
		for i := range n {
			id := fmt.Sprint("call", i)
			calls = append(calls, plimsoll.ToolCall{ID: id, Name: "Bash", Arguments: "{}"})
			results = append(results, plimsoll.ToolResult{CallID: id, Content: parts(numbered(1000 + i))})
		}
		c := plimsoll.Conversation{Dialect: plimsoll.Anthropic, Model: "gpt-4o", Messages: plimsoll.ListOf(
			plimsoll.Say(plimsoll.User, "look"), plimsoll.NewMessage(plimsoll.Assistant, calls...), plimsoll.NewMessage(plimsoll.User, results...))}
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				meter := token.NewMeter(nil)
				meter.Weigh(c)
				k, err := fit.New(&fit.Options{Meter: meter, Window: 1 << 30, Arrival: []fit.Rung{&rung.Clear{Budget: 1}}})
				if err != nil {
					b.Fatal(err)
				}
				b.StartTimer()
				if _, err := k.Fit(b.Context(), fit.Task{Conversation: c}); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/result")
		})
	}
}

func benchmarkFit(b *testing.B, name string, n int, c plimsoll.Conversation, o fit.Options) {
	b.Run(name, func(b *testing.B) {
		o.Meter = token.NewMeter(nil)
		k, err := fit.New(&o)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := k.Fit(b.Context(), fit.Task{Conversation: c}); err != nil {
			b.Fatal(err)
		}
		for b.Loop() {
			if _, err := k.Fit(b.Context(), fit.Task{Conversation: c}); err != nil {
				b.Fatal(err)
			}
		}
		b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(n), "ns/message")
	})
}
