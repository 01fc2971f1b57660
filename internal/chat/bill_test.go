package chat_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/plimsoll/plimsoll"
	"github.com/plimsoll/plimsoll/fit"
	"github.com/plimsoll/plimsoll/internal/chat"
	"github.com/plimsoll/plimsoll/preset"
	"github.com/plimsoll/plimsoll/token"
)

// hiding is a meter of a provider that bills more than anyone can count.
type hiding struct {
	plimsoll.Meter
	extra func(plimsoll.Conversation) int
}

func (m hiding) Weigh(c plimsoll.Conversation) plimsoll.Load {
	load := m.Meter.Weigh(c)
	load.Total += m.extra(c)
	return load
}

// TestABillMovesTheGauge has two chats with the same words. One provider bills 700 tokens
// more for each request. The gauge and the next request must show them, and after the
// chat was closed and opened again, too.
func TestABillMovesTheGauge(t *testing.T) {
	t.Parallel()
	const hidden = 700
	for api := range usual {
		t.Run(api, func(t *testing.T) {
			t.Parallel()
			gauges := map[int][]chat.Gauge{}
			for _, extra := range []int{0, hidden} {
				tt := newTable(t)
				script := chatter(50)
				script.Meter = hiding{token.NewMeter(nil), func(plimsoll.Conversation) int { return extra }}
				tt.invite(api, script)
				tt.keep()
				tt.open()
				if g := tt.engine.Gauges()[0]; g.Used() > 50 {
					t.Fatalf("before anything was said the gauge is %v", g)
				}
				tt.do("Which berths are free?")
				gauges[extra] = append(gauges[extra], tt.engine.Gauges()[0])
				tt.do("Until when?")
				if answered := all[chat.Answered](tt)[0]; extra > 0 && answered.Load.Total != answered.Usage.Prompt() {
					t.Errorf("the second request weighs %d and is billed %d", answered.Load.Total, answered.Usage.Prompt())
				}
				gauges[extra] = append(gauges[extra], tt.engine.Gauges()[0])
				tt.o.Keeper = keepers(nil) // another process has another keeper
				tt.again()
				gauges[extra] = append(gauges[extra], tt.engine.Gauges()[0])
			}
			for i, plain := range gauges[0] {
				if billed := gauges[hidden][i]; billed.Used() != plain.Used()+hidden || billed.Exact || billed.Band == 0 {
					t.Errorf("gauge %d: %v, ±%d, and without the hidden tokens %v", i, billed, billed.Band, plain)
				}
			}
		})
	}
}

// TestC12_ABilledTotalAtTheThresholdCompactsInTheChat lets the provider bill 3,300 of 4,000
// tokens for the third request, which weighs less. The fourth is compacted.
func TestC12_ABilledTotalAtTheThresholdCompactsInTheChat(t *testing.T) {
	t.Parallel()
	for billed, want := range map[int]int{300: -1, 3300: 3} {
		t.Run(fmt.Sprint(billed), func(t *testing.T) {
			t.Parallel()
			tt := newTable(t)
			counts := token.NewMeter(nil)
			script := chatter(5)
			script.Meter = hiding{counts, func(c plimsoll.Conversation) int {
				if last := c.Messages.At(c.Messages.Len() - 1); strings.Contains(last.Text(), "quay 2") {
					return billed - counts.Weigh(c).Total
				}
				return 0
			}}
			tt.invite("openai", script)
			options, err := preset.Agent(&preset.Options{Meter: counts, Reserve: new(0)})
			if err != nil {
				t.Fatal(err)
			}
			k, err := fit.New(options)
			if err != nil {
				t.Fatal(err)
			}
			tt.o.Keeper = func(string) (*fit.Keeper, error) { return k, nil }
			tt.o.Limit = 4000
			tt.open()
			compacted := -1
			for i := range 4 {
				tt.do(fmt.Sprintf("Is quay %d deep enough? %s", i, strings.Repeat("The tide is low. ", 60)))
				if tt.notice(chat.NoticeCompressed) != "" {
					compacted = i
					break
				}
			}
			if compacted != want {
				t.Errorf("with a bill of %d tokens request %d is compacted, want %d", billed, compacted, want)
			}
		})
	}
}
