package preset_test

import (
	"fmt"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/wiretest"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
	"github.com/plimsoll/plimsoll/wire"
	"github.com/plimsoll/plimsoll/wire/dialects"
)

// agent is a request of an agent: one question, and rounds whose results have
// about 430 tokens each.
func agent(b *testing.B, rounds int) *wire.Request {
	b.Helper()
	messages := []plimsoll.Message{plimsoll.Say(plimsoll.User, "fix the bug")}
	for i := range rounds {
		messages = append(messages, round(i)...)
	}
	body, err := wiretest.Rewrite(dialects.Codec(plimsoll.OpenAI), plimsoll.Conversation{Model: "gpt-4o", Messages: plimsoll.ListOf(messages...)})
	if err != nil {
		b.Fatal(err)
	}
	request, err := dialects.Codec(plimsoll.OpenAI).Decode(body)
	if err != nil {
		b.Fatal(err)
	}
	return request
}

func round(i int) []plimsoll.Message {
	id, output := fmt.Sprintf("call_%d", i), ""
	for line := range 40 {
		output += fmt.Sprintf("%d\tfunc step%d(ctx context.Context) error\n", line, i*line)
	}
	return []plimsoll.Message{
		plimsoll.NewMessage(plimsoll.Assistant, plimsoll.ToolCall{ID: id, Name: "read_file", Arguments: fmt.Sprintf(`{"path":"pkg/file%d.go"}`, i)}),
		plimsoll.NewMessage(plimsoll.ToolRole, plimsoll.ToolResult{CallID: id, Content: plimsoll.ListOf[plimsoll.Part](plimsoll.Text{Text: output})}),
	}
}

// BenchmarkFit compares the first sight of a conversation of about 200,000 tokens
// with the next request, which has one more round, and with tokenising alone.
func BenchmarkFit(b *testing.B) {
	for _, window := range []int{400_000, 100_000} {
		name := "under the line"
		if window < 200_000 {
			name = "over the line"
		}
		b.Run(name+"/first", func(b *testing.B) {
			for b.Loop() {
				b.StopTimer()
				k, c := fresh(b, window), agent(b, 430).Conversation()
				b.StartTimer()
				fitAll(b, k, c)
			}
		})
		b.Run(name+"/next", func(b *testing.B) {
			k := fresh(b, window)
			fitAll(b, k, agent(b, 430).Conversation())
			grown := make([]plimsoll.Conversation, 500)
			for i := range grown {
				grown[i] = agent(b, 431).Conversation()
				if i > 0 {
					break
				}
			}
			for b.Loop() {
				fitAll(b, k, grown[0])
			}
		})
	}
	b.Run("tokenise", func(b *testing.B) {
		for b.Loop() {
			b.StopTimer()
			c := agent(b, 430).Conversation()
			b.StartTimer()
			token.NewMeter(nil).Weigh(c)
		}
	})
}

func fresh(b *testing.B, window int) *fit.Keeper {
	b.Helper()
	o, err := preset.Auto(&preset.Options{Window: window})
	if err != nil {
		b.Fatal(err)
	}
	k, err := fit.New(o)
	if err != nil {
		b.Fatal(err)
	}
	return k
}

func fitAll(b *testing.B, k *fit.Keeper, c plimsoll.Conversation) {
	b.Helper()
	if _, err := k.Fit(b.Context(), fit.Task{Conversation: c}); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkFitGrows shows that time grows with the number of messages and not
// faster.
func BenchmarkFitGrows(b *testing.B) {
	for _, messages := range []int{1_000, 3_000, 10_000} {
		b.Run(fmt.Sprint(messages, " messages"), func(b *testing.B) {
			c := agent(b, messages/2).Conversation()
			k := fresh(b, messages*100)
			fitAll(b, k, c)
			for b.Loop() {
				fitAll(b, k, c)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*messages), "ns/message")
		})
	}
}
